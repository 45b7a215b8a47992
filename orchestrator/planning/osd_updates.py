"""What may be changed of OSDs that are there, if the manifest allows it: device class and weight.

A new OSD gets what the manifest says. Of one that has data another class or weight moves it, so as
in Rook a manifest has to ask for that by fields of their own: `storage.allowDeviceClassUpdate` for
the class that it gives, and `storage.allowOsdCrushWeightUpdate` for the weight of an OSD whose
disk or volume has grown. The latter is no matter of `initialWeight`, with which an OSD begins.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from orchestrator.model.decisions import Decision
from orchestrator.model.facts import GrownOsd, Host, Osd
from orchestrator.model.names import HostName, OsdId
from orchestrator.model.plan import Action, Change, Reason
from orchestrator.planning.context import Context
from orchestrator.planning.osd_reasons import listed

CERTAIN = frozenset({"ExistingOsd", "PartlyPrepared"})
"""Verdicts on a device whose OSDs are what Ceph calls by their numbers."""


DIGITS = 6


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

    @cached_property
    def weights(self) -> dict[OsdId, float]:
        """The CRUSH weights that are to be set, by the OSD's number: its size. They only rise."""
        return {one.id: round(one.size, DIGITS) for one in self._grown}

    @property
    def _grown(self) -> tuple[GrownOsd, ...]:
        cluster = self.context.facts.cluster
        allowed = self.context.spec.storage.allow_osd_crush_weight_update
        return cluster.grown_osds if cluster and allowed else ()

    @property
    def changes(self) -> Iterator[Change]:
        yield from self._reclassed
        for one in self._grown:
            reason = (
                f"{self.weights[one.id]:g} instead of {one.weight:g}, by its size, as "
                "storage.allowOsdCrushWeightUpdate allows"
            )
            yield Change(action=Action.SET, subject=f"CRUSH weight of osd.{one.id}", reason=reason)

    @property
    def _reclassed(self) -> Iterator[Change]:
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
        for name, decisions in self.context.survey.decisions.items():
            uuids = _uuids(self.context.facts.hosts[name])
            yield from _of_host(decisions, self._placed, uuids)

    @cached_property
    def _placed(self) -> dict[OsdId, Osd]:
        """The OSDs of the CRUSH map, by number; none as long as Ceph does not tell."""
        known = self.context.known_osds or {}
        return {number: osd for number, osd in known.items() if osd.host}


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
