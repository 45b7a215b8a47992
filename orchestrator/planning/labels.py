"""Whose OSD is where: an OSD is its uuid and fsid, whatever disk, name or host shows it.

A disk may have moved to another host, and then its OSD starts there. Two devices that show the same
OSD are a clone or a disk that two hosts reach: starting either could destroy both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Daemon, DaemonType, Device, Facts, Host
from orchestrator.model.names import Fsid, HostName, OsdId
from orchestrator.model.plan import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One sight of an OSD."""

    host: HostName
    osd: OsdId
    path: str


Places = Mapping[str, Sequence[Place]]
"""By uuid. More than one place is a duplicate."""


def places(facts: Facts, fsid: Fsid | None) -> Places:
    """Where each OSD of this cluster is seen; several views of one disk are one place."""
    found: dict[str, list[Place]] = {}
    for host in facts.hosts.values():
        seen: dict[str, list[Device]] = {}
        for disk in host.devices:
            if disk.osd and disk.osd.fsid == fsid and disk.osd.id >= 0:
                seen.setdefault(disk.osd.uuid, []).append(disk)
        for uuid, disks in seen.items():
            found.setdefault(uuid, []).extend(_distinct(host.name, disks))
        for osd in host.osds_lvm:
            if osd.fsid == fsid and osd.uuid not in seen:
                place = Place(host=host.name, osd=osd.id, path=osd.path)
                found.setdefault(osd.uuid, []).append(place)
    return found


def _distinct(host: HostName, disks: Sequence[Device]) -> Iterator[Place]:
    """Without devices that stand on another one of them, and second paths to the same disk."""
    names = {disk.name for disk in disks}
    identities: set[str] = set()
    for disk in disks:
        same = disk.wwn and disk.wwn in identities
        if disk.parent in names or same or not disk.osd:
            continue
        identities.add(disk.wwn)
        yield Place(host=host, osd=disk.osd.id, path=disk.stable_path)


def duplicates(found: Places) -> frozenset[str]:
    return frozenset(uuid for uuid, where in found.items() if len(where) > 1)


def refused(found: Places) -> Iterator[Reason]:
    for uuid in sorted(duplicates(found)):
        where = found[uuid]
        listed = " and ".join(f"{place.path} on {place.host}" for place in where)
        text = (
            f"osd.{where[0].osd}, uuid {uuid}, is on {listed}: a cloned disk, or one that both "
            "reach. Neither is started; take one of them away"
        )
        yield Reason(code="DuplicateOsd", message=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """An OSD whose unit is left on one host while its disk is on another."""

    daemon: Daemon
    old: HostName
    new: Place


def moved(facts: Facts, found: Places) -> Iterator[Moved]:
    for host in facts.hosts.values():
        for daemon in host.daemons_of(DaemonType.OSD):
            place = _elsewhere(host, daemon, found)
            if place:
                yield Moved(daemon=daemon, old=host.name, new=place)


def _elsewhere(host: Host, daemon: Daemon, found: Places) -> Place | None:
    where = found.get(daemon.osd_uuid, ())
    if len(where) != 1 or where[0].host == host.name:
        return None
    return where[0]


def advice(one: Moved) -> Reason:
    """A unit that was left behind stays as long as its OSD does not run where its disk is now."""
    unit = f"ceph-osd@{one.daemon.id}"
    text = f"the disk of {one.daemon.name} is now {one.new.path} on {one.new.host}; "
    if one.daemon.running:
        text += f"{unit} still runs here, so it is not started there: stop one of them"
    else:
        text += f"when it runs there, {unit} is taken away from here"
    return Reason(code="OsdMoved", host=one.old, message=text)
