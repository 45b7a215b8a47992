"""What the manifest may change of OSDs that are there: their device class, if it allows that.

A new OSD gets what the manifest says. Of one that has data another class moves it, so as in Rook
(`storage.allowDeviceClassUpdate`) a manifest has to ask for that by a field of its own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from orchestrator.model.decisions import Decision
from orchestrator.model.facts import Host, Osd
from orchestrator.model.names import HostName, OsdId
from orchestrator.model.plan import Action, Change, Reason
from orchestrator.planning.context import Context
from orchestrator.planning.osd_reasons import listed

CERTAIN = frozenset({"ExistingOsd", "PartlyPrepared"})
"""Verdicts on a device whose OSDs are what Ceph calls by their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """The class that the manifest gives to an OSD of another one, which may be none."""

    host: HostName
    osd: OsdId
    current: str
    wanted: str


@dataclass(frozen=True, kw_only=True)
class Updates:
    """What differs, and whether it may be changed."""

    context: Context

    @cached_property
    def classes(self) -> dict[OsdId, str]:
        """The classes that are to be set, by the OSD's number."""
        allowed = self.context.spec.storage.allow_device_class_update
        return {one.osd: one.wanted for one in self._differing} if allowed else {}

    @property
    def changes(self) -> Iterator[Change]:
        for one in self._differing if self.classes else ():
            was = f"instead of {one.current}" if one.current else "and it has none"
            reason = f"{one.wanted} {was}, as storage.allowDeviceClassUpdate allows"
            yield Change(
                action=Action.SET,
                subject=f"device class of osd.{one.osd}",
                host=one.host,
                reason=reason,
            )

    @property
    def notices(self) -> Iterator[Reason]:
        """Classes that the manifest gives in vain, one for each pair of them."""
        found: dict[tuple[str, str], list[str]] = {}
        for one in () if self.classes else self._differing:
            found.setdefault((one.wanted, one.current), []).append(f"osd.{one.osd}")
        for (wanted, current), osds in sorted(found.items()):
            text = (
                f"the manifest gives {listed(osds)} the device class {wanted}, and Ceph has "
                f"{current or 'none'}; it stays so, as a change may move data. Set "
                "spec.storage.allowDeviceClassUpdate to true to change it"
            )
            yield Reason(code="DeviceClassDiffers", message=text)

    @cached_property
    def _differing(self) -> tuple[Class, ...]:
        found = {one.osd: one for one in self._classes()}
        return tuple(one for _, one in sorted(found.items()) if one.current != one.wanted)

    def _classes(self) -> Iterator[Class]:
        """The classes that the manifest gives to OSDs which Ceph has in its CRUSH map."""
        cluster = self.context.facts.cluster
        if cluster is None or "osds" in cluster.unanswered:
            return
        placed = {osd.id: osd for osd in cluster.osds if osd.host}
        for name, decisions in self.context.survey.decisions.items():
            uuids = _uuids(self.context.facts.hosts[name])
            yield from _of_host(decisions, placed, uuids)


def _of_host(
    decisions: Iterable[Decision], placed: dict[OsdId, Osd], uuids: set[str]
) -> Iterator[Class]:
    for one in decisions:
        meant = (placed.get(osd) for osd in one.osds if one.code in CERTAIN and one.device_class)
        for osd in meant:
            if osd and osd.uuid in uuids:
                yield Class(
                    host=one.host, osd=osd.id, current=osd.device_class, wanted=one.device_class
                )


def _uuids(host: Host) -> set[str]:
    """Those of OSDs that the host's devices show: one number may have been given twice."""
    return {disk.osd.uuid for disk in host.devices if disk.osd} | {
        osd.uuid for osd in host.osds_lvm
    }
