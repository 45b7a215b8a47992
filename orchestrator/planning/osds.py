"""OSDs: blank selected devices are prepared, labelled ones are kept running. All hosts at once.

An OSD is its uuid and its cluster's fsid, as the label on the device says; paths are only where it
was last seen. What the manifest no longer names keeps running: removal is never an omission.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.model.facts import DaemonType, Device, Facts, Host, Osd
from orchestrator.model.names import OsdId
from orchestrator.model.plan import Action, Change, OsdHost, OsdStep, Reason, WantedDevice
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import placement, selection, unused
from orchestrator.planning.context import Context
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep

PROGRAMS = frozenset({"ceph-osd", "ceph-volume"})

KnownOsds = Mapping[OsdId, Osd] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one host needs; `alone` holds changes for which running OSDs restart."""

    host: Host
    devices: tuple[tuple[Change, WantedDevice], ...] = ()
    osds: tuple[tuple[Change, OsdId], ...] = ()
    alone: tuple[tuple[Change, OsdId], ...] = ()


def steps(context: Context) -> Iterator[OsdStep]:
    """One step for everything that stops nothing, then one for each host with restarts."""
    known = known_osds(context.facts)
    works = [_work(context, host, known) for host in hosts(context.facts)]
    together = [work for work in works if work.devices or work.osds]
    if together:
        yield _step(context, [(work, work.devices, work.osds) for work in together])
    for work in works:
        if work.alone:
            yield _step(context, [(work, (), work.alone)])


Piece = tuple[Work, tuple[tuple[Change, WantedDevice], ...], tuple[tuple[Change, OsdId], ...]]


def _step(context: Context, pieces: list[Piece]) -> OsdStep:
    return OsdStep(
        changes=tuple(change for _, devices, osds in pieces for change, _ in (*osds, *devices)),
        fsid=context.fsid,
        mons=context.mons,
        admin_host=context.admin_host,
        hosts=tuple(
            OsdHost(
                host=work.host.name,
                crush_location=crush_location(context.spec, work.host),
                record=osd_record(context.spec, work.host),
                devices=tuple(device for _, device in devices),
                osds=tuple(osd for _, osd in osds),
            )
            for work, devices, osds in pieces
        ),
    )


def hosts(facts: Facts) -> tuple[Host, ...]:
    """Hosts that may hold OSDs and answered, able to run them."""
    return tuple(
        host
        for host in placement.eligible(facts, DaemonType.OSD)
        if host.reachable and set(host.binaries) >= PROGRAMS
    )


def crush_location(spec: CephClusterSpec, host: Host) -> str:
    """CRUSH names know no dots: Rook writes dashes in their place."""
    root = spec.storage.config.get("crushRoot", "default")
    return f"root={root} host={str(host.name).replace('.', '-')}"


def osd_record(spec: CephClusterSpec, host: Host) -> str:
    return record(type="osd", crush_location=crush_location(spec, host))


def _work(context: Context, host: Host, known: KnownOsds) -> Work:
    decisions = _decisions(context, host)
    needs = list(_upkeep(context, host, known))
    return Work(
        host=host,
        devices=tuple(
            (_prepare(host, decision), _wanted(decision))
            for decision in decisions
            if decision.state is selection.State.SELECTED
        ),
        osds=tuple((change, osd) for change, osd, restarts in needs if not restarts),
        alone=tuple((change, osd) for change, osd, restarts in needs if restarts),
    )


def _decisions(context: Context, host: Host) -> tuple[selection.Decision, ...]:
    selector = selection.selector_for(context.spec, host)
    return selection.decide(host, selector, context.fsid)


def _wanted(decision: selection.Decision) -> WantedDevice:
    path = decision.disk.by_id or decision.disk.path
    return WantedDevice(path=path, device_class=decision.device_class)


def _prepare(host: Host, decision: selection.Decision) -> Change:
    disk = decision.disk
    return Change(
        action=Action.PREPARE,
        subject=f"osd on {disk.by_id or disk.path}",
        host=host.name,
        reason=f"{_size(disk.size)} {disk.model or disk.type}, {decision.reason}",
    )


def _size(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB"


def _upkeep(context: Context, host: Host, known: KnownOsds) -> Iterator[tuple[Change, OsdId, bool]]:
    daemons = {daemon.id: daemon for daemon in host.daemons_of(DaemonType.OSD)}
    expected = osd_record(context.spec, host)
    conf_named = False
    for osd_id in sorted(_labelled(context, host, known)):
        daemon = daemons.get(str(osd_id))
        if daemon is None:
            reason = "its disk is here and no unit starts it"
            change = Change(
                action=Action.ACTIVATE, subject=f"osd.{osd_id}", host=host.name, reason=reason
            )
            yield change, osd_id, False
            continue
        need = upkeep(host, daemon, record=expected, fsid=context.fsid, mons=context.mons)
        if need and not (need.conf_only and conf_named):
            conf_named = conf_named or need.conf_only
            yield need.change, osd_id, need.restarts


def _labelled(context: Context, host: Host, known: KnownOsds) -> set[OsdId]:
    """OSDs of this cluster on `host`, but those that Ceph does not know under that uuid."""
    return {
        disk.osd.id
        for disk in host.devices
        if disk.osd
        and disk.osd.fsid == context.fsid
        and disk.osd.id >= 0
        and (known is None or _same(known.get(disk.osd.id), disk.osd.uuid))
    }


def known_osds(facts: Facts) -> KnownOsds:
    """OSDs by id as Ceph has them; None where it did not tell, which says nothing of any OSD."""
    if facts.cluster is None or "osds" in facts.cluster.unanswered:
        return None
    return {osd.id: osd for osd in facts.cluster.osds}


def _same(osd: Osd | None, uuid: str) -> bool:
    return osd is not None and osd.uuid == uuid


def notices(context: Context) -> Iterator[Reason]:
    """What is not used and why, labels that Ceph does not know, and OSDs whose disk is missing."""
    yield from unused.unknown_nodes(context)
    known = known_osds(context.facts)
    for host in placement.eligible(context.facts, DaemonType.OSD):
        if not host.reachable:
            continue
        if selection.selector_for(context.spec, host):
            yield from _unused(context, host)
        for disk in host.devices:
            if disk.osd and known is not None and disk.osd.fsid == context.fsid:
                yield from _orphan(host, disk, known)
        yield from _lost_disks(host)


def _unused(context: Context, host: Host) -> Iterator[Reason]:
    if set(host.binaries) >= PROGRAMS:
        yield from unused.devices(host, _decisions(context, host))
    else:
        text = "ceph-osd or ceph-volume is not installed; install the packages to use its disks"
        yield Reason(code="MissingPackage", host=host.name, message=text)


def _orphan(host: Host, disk: Device, known: Mapping[OsdId, Osd]) -> Iterator[Reason]:
    if disk.osd and disk.osd.id >= 0 and not _same(known.get(disk.osd.id), disk.osd.uuid):
        text = (
            f"{disk.by_id or disk.path} holds osd.{disk.osd.id} with uuid {disk.osd.uuid}, which "
            "the cluster does not know; it is left alone"
        )
        yield Reason(code="OrphanOsd", host=host.name, message=text)


def _lost_disks(host: Host) -> Iterator[Reason]:
    labels = {disk.osd.uuid for disk in host.devices if disk.osd}
    for daemon in host.daemons_of(DaemonType.OSD):
        if daemon.osd_uuid and daemon.osd_uuid not in labels and not daemon.running:
            text = f"{daemon.name}: no device of this host carries its uuid {daemon.osd_uuid}"
            yield Reason(code="OsdDiskMissing", host=host.name, message=text)
