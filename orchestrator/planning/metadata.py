"""The device that holds the databases of others: one device, whatever it is called (CASES C11).

It is never data itself. A manifest that asks of it what cannot be done gets a reason before
anything is written; a device that is not there stops every preparation on its host.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.decisions import Decision, State
from orchestrator.model.facts import Device as Disk
from orchestrator.model.facts import LvmOsd
from orchestrator.model.names import Fsid
from orchestrator.planning.osd_settings import OsdSettings
from orchestrator.planning.refusals import Finding, Tree
from orchestrator.planning.selectors import Selector, named, names

OURS = "/dev/mapper/ceph--"
"""How the volumes begin that ceph-volume makes; a device that holds others is somebody else's."""

PARTS = frozenset({"part", "lvm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata devices of one host by the names that the manifest gives them."""

    disks: Mapping[str, Disk | None]

    def is_one(self, disk: Disk) -> bool:
        return any(disk is found for found in self.disks.values())


NONE = Metadata(disks={})


def resolve(selector: Selector, tree: Tree) -> Metadata:
    asked = selector.metadata_names
    if not asked:
        return NONE
    return Metadata(disks={name: named(name, tree.host.devices) for name in asked})


Draft = tuple[Decision, OsdSettings]


def applied(
    metadata: Metadata, tree: Tree, fsid: Fsid | None, drafts: Sequence[Draft]
) -> Iterator[Decision]:
    """Selected devices with their metadata device, or with the reason why they cannot be taken."""
    missing = next(_missing(metadata, drafts), "")
    conflicts = _conflicts(metadata, drafts)
    for decision, wanted in drafts:
        found = metadata.disks.get(wanted.metadata_device)
        if missing:
            text = f"metadataDevice {missing} is not on this host, so nothing is prepared here"
            yield _stopped(decision, ("MetadataDeviceMissing", text))
        elif found is None:
            yield replace(decision, wanted=wanted.wanted(decision.disk, ""))
        elif problem := conflicts.get(found.name) or next(
            _problems(found, wanted, tree, fsid), None
        ):
            yield _stopped(decision, problem)
        else:
            yield replace(decision, wanted=wanted.wanted(decision.disk, found.stable_path))


def _missing(metadata: Metadata, drafts: Sequence[Draft]) -> Iterator[str]:
    for _, wanted in drafts:
        name = wanted.metadata_device
        if name and metadata.disks.get(name) is None:
            yield name


def _stopped(decision: Decision, finding: Finding) -> Decision:
    code, reason = finding
    return replace(
        decision, state=State.SKIPPED, code=code, reason=reason, missed=True, mistaken=True
    )


def _conflicts(metadata: Metadata, drafts: Sequence[Draft]) -> dict[str, Finding]:
    """Metadata devices for which two devices want different divisions (Rook refuses these too)."""
    wishes: dict[str, tuple[str, set[tuple[int, int]]]] = {}
    for _, wanted in drafts:
        found = metadata.disks.get(wanted.metadata_device)
        if found:
            _, shapes = wishes.setdefault(found.name, (found.stable_path, set()))
            shapes.add((wanted.osds_per_device, wanted.database_size_mb))
    return {
        name: ("MetadataConflict", _contradiction(path, shapes))
        for name, (path, shapes) in wishes.items()
        if len(shapes) > 1
    }


def _contradiction(path: str, shapes: set[tuple[int, int]]) -> str:
    counts = sorted({count for count, _ in shapes})
    if len(counts) > 1:
        values = "osdsPerDevice " + " and ".join(map(str, counts))
    else:
        values = "databaseSizeMB " + " and ".join(map(str, sorted({size for _, size in shapes})))
    return f"devices that share the metadata device {path} ask for {values}; give them one value"


def _problems(disk: Disk, wanted: OsdSettings, tree: Tree, fsid: Fsid | None) -> Iterator[Finding]:
    if disk.type in PARTS and wanted.shared_metadata:
        kind = "a partition" if disk.type == "part" else "a logical volume"
        only = "which only one devices entry can name"
        yield "MetadataPartition", f"metadataDevice {wanted.metadata_device} is {kind}, {only}"
    reason = next(_unusable(disk, tree, fsid), "")
    if reason:
        yield "MetadataDeviceUnusable", f"metadataDevice {wanted.metadata_device} {reason}"


def _unusable(disk: Disk, tree: Tree, fsid: Fsid | None) -> Iterator[str]:
    if disk.osd and disk.osd.id >= 0:
        yield f"holds osd.{disk.osd.id}"
    if disk.error:
        yield f"cannot be read: {disk.error}"
    if disk.read_only or disk.removable or not disk.size:
        yield "is read-only, removable or without a medium"
    if any(disk.mountpoints):
        yield f"is mounted on {', '.join(disk.mountpoints)}"
    foreign = {one.fsid for one in tree.host.osds_lvm if _below(disk, one)} - {fsid}
    if foreign:
        yield f"holds databases of cluster {', '.join(sorted(foreign)) or 'unknown'}"
    volumes = _holds_our_volumes(disk, tree)
    held = [name for name in (disk.filesystem, *disk.signatures) if name]
    if any(name != "LVM2_member" or not volumes for name in held):
        yield f"holds {', '.join(dict.fromkeys(held))}"
    if disk.partition_table and disk.type != "part":
        yield f"has a {disk.partition_table} partition table"
    if (disk.children or disk.holders) and not volumes:
        yield f"is used by {', '.join((*disk.children, *disk.holders))}"


def _below(disk: Disk, osd: LvmOsd) -> bool:
    return any(name in osd.db_devices for name in names(disk))


def _holds_our_volumes(disk: Disk, tree: Tree) -> bool:
    children = tree.children(disk)
    return bool(children) and all(
        child.type == "lvm" and child.path.startswith(OURS) for child in children
    )
