"""The verdict on one device by itself, before rules that look at several of them.

What a device is comes before what the manifest asks: an OSD stays one, and anything that a device
could hold rules it out, whoever named it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from orchestrator.model.decisions import Decision, State
from orchestrator.model.facts import Device as Disk
from orchestrator.model.facts import OsdLabel
from orchestrator.model.names import Fsid, OsdId
from orchestrator.planning.metadata import Metadata
from orchestrator.planning.refusals import LEVELS, MINIMUM_BYTES, Finding, Tree, limits, refusals
from orchestrator.planning.selectors import EVERY, Request, Selector

STRUCTURAL = frozenset(
    {
        "AnotherPath",
        "HasChildren",
        "LimitReached",
        "MetadataDevice",
        "MultipathMember",
        "NotExplicit",
        "NotMatched",
        "PartOfOsd",
        "PhantomPartition",
    }
)
"""Why a device that a rule for many takes in is not used, and nobody wonders."""

OBVIOUS = STRUCTURAL | {
    "LoopNotAllowed",
    "Mounted",
    "NoSize",
    "ReadOnly",
    "Removable",
    "TypeNotSupported",
    "Volatile",
}
"""The same where the rule is useAllDevices: a filter was written with some devices in mind."""

IMPOSSIBLE = frozenset(
    {
        "EncryptionNotPossible",
        "NoSize",
        "ReadOnly",
        "Removable",
        "SeveralNotPossible",
        "TypeNotSupported",
        "Volatile",
    }
)
"""What a `devices` entry can never have: the entry is a mistake, and only it is (CASES C09)."""

ROOM = 0.9
"""Of an equal share of the disk: what rounding to extents may take from a volume."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """All that verdicts on the devices of one host are made from."""

    tree: Tree
    selector: Selector | None
    requests: Mapping[str, Request]
    metadata: Metadata
    fsid: Fsid | None
    cloned: Collection[str]
    unasked: str = ""

    def verdict(self, disk: Disk) -> Decision:
        request = self.requests.get(disk.name)
        osds = self.tree.ours(disk, self.fsid)
        if osds and not disk.unfinished and not disk.multipath_member:
            return self._existing(disk, osds, request)
        found = self._refusal(disk)
        if request is None or self.selector is None:
            return self._verdict(disk, found or _not_selected(self.selector, self.unasked))
        mismatch = self.selector.narrowing.mismatch(disk)
        found = found or (("NotMatched", mismatch) if mismatch else None)
        found = found or next(limits(disk, self.tree.host, request), None)
        if found is None:
            return self._selected(disk, request)
        return self._refused(disk, request, found, meant=not mismatch)

    def _refusal(self, disk: Disk) -> Finding | None:
        if self.metadata.disks and self.metadata.is_one(disk):
            return "MetadataDevice", "holds the metadata of others, as metadataDevice says"
        return next(refusals(disk, self.tree, self.fsid), None)

    def _verdict(self, disk: Disk, finding: Finding) -> Decision:
        code, reason = finding
        return Decision(
            host=self.tree.host.name, disk=disk, state=State.SKIPPED, code=code, reason=reason
        )

    def _selected(self, disk: Disk, request: Request) -> Decision:
        code, before = ("Unfinished", "cut off before; ") if disk.unfinished else ("Selected", "")
        found = self._verdict(disk, (code, f"{before}matched by {request.asked_by}"))
        return replace(found, state=State.SELECTED, asked_by=request.asked_by)

    def _refused(self, disk: Disk, request: Request, finding: Finding, *, meant: bool) -> Decision:
        named = bool(request.name)
        code, _ = finding
        obvious = OBVIOUS if request.asked_by == EVERY else STRUCTURAL
        return replace(
            self._verdict(disk, finding),
            asked_by=request.asked_by,
            missed=named or (meant and code not in obvious),
            mistaken=named and code in IMPOSSIBLE,
        )

    def _existing(self, disk: Disk, osds: tuple[OsdId, ...], request: Request | None) -> Decision:
        """A device with OSDs of this cluster; one that was to hold more may still get them."""
        labels = [label for label in self.tree.labels(disk) if label.id in osds]
        asked = request or self._asked_above(disk)
        code, reason = self._identity(labels)
        decision = replace(
            self._verdict(disk, (code, reason)),
            state=State.OSD,
            osds=osds,
            asked_by=asked.asked_by if asked else "",
            device_class=asked.settings.device_class if asked else "",
        )
        wanted = request.settings.osds_per_device if request else 1
        if code == "ExistingOsd" and _has_room(disk, self.tree, len(osds), wanted):
            text = f"holds {len(osds)} of {wanted} OSDs; {decision.asked_by}"
            return replace(decision, state=State.SELECTED, code="PartlyPrepared", reason=text)
        return decision

    def _identity(self, labels: list[OsdLabel]) -> Finding:
        text = ", ".join(f"osd.{label.id}, uuid {label.uuid}" for label in labels)
        if any(label.uuid in self.cloned for label in labels):
            return "DuplicateOsd", f"{text}: another device shows the same, so neither is started"
        return "ExistingOsd", text

    def _asked_above(self, disk: Disk) -> Request | None:
        """A volume is asked for with the disk that it is on."""
        for _ in range(LEVELS):
            parent = self.tree.parent(disk)
            if parent is None or disk.type == "part":
                return None
            if parent.name in self.requests:
                return self.requests[parent.name]
            disk = parent
        return None


def _not_selected(selector: Selector | None, unasked: str) -> Finding:
    if selector is None:
        return "HostNotSelected", unasked or "this host is not in storage.nodes"
    return "NotSelected", "the manifest's storage section does not ask for it"


def _has_room(disk: Disk, tree: Tree, present: int, wanted: int) -> bool:
    """Whether the disk holds nothing but OSDs in volumes, and an equal share for each missing."""
    if present >= wanted or disk.osd or disk.filesystem not in {"LVM2_member", ""}:
        return False
    if disk.read_only or disk.removable or disk.error or disk.mountpoints:
        return False
    volumes = tree.children(disk)
    if len(volumes) != present or not all(one.type == "lvm" for one in volumes):
        return False
    free = disk.size - sum(one.size for one in volumes)
    share = disk.size / wanted
    return free >= ROOM * share * (wanted - present) and share >= MINIMUM_BYTES
