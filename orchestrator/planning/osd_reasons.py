"""What people must know about OSDs and disks: what stops work, and what is merely worth a note."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from orchestrator.model.facts import DaemonType, Device, Host, Osd
from orchestrator.model.names import OsdId
from orchestrator.model.plan import Reason
from orchestrator.planning import labels, osd_moves, topology, unused
from orchestrator.planning.context import Context

PROGRAMS = frozenset({"ceph-osd", "ceph-volume"})

SHOWN = 8
"""Hosts that one message lists."""


def ready(hosts: Iterable[Host]) -> tuple[Host, ...]:
    """Hosts that answered and are able to run OSDs."""
    return tuple(host for host in hosts if host.reachable and set(host.binaries) >= PROGRAMS)


def crush_host(host: Host) -> str:
    return topology.crush_name(str(host.name))


def listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def same(osd: Osd | None, uuid: str) -> bool:
    return osd is not None and osd.uuid == uuid


def blocked(context: Context) -> Iterator[Reason]:
    """Names that mean two hosts, entries that cannot be, and OSDs that two places show."""
    survey = context.survey
    yield from survey.assignment.refused
    yield from _conflicts(context)
    yield from labels.refused(survey.places)
    yield from (labels.advice(one) for one in _staying(context) if one.daemon.running)
    for decisions in survey.decisions.values():
        yield from unused.mistakes(decisions)


def _conflicts(context: Context) -> Iterator[Reason]:
    for name, why in context.survey.conflicts.items():
        text = f"{why}; no OSD is made on this host until its labels agree with the others'"
        yield Reason(code="TopologyConflict", host=name, message=text)


def _staying(context: Context) -> list[labels.Moved]:
    return [one for one in context.survey.moved if not osd_moves.leaves(context, one)]


def runs_elsewhere(
    context: Context, host: Host, osd: OsdId, uuid: str, known: Osd | None
) -> Reason | None:
    """Why an OSD whose disk is here is not started: it may still write to it from elsewhere."""
    if any(one.daemon.osd_uuid == uuid and one.daemon.running for one in context.survey.moved):
        text = f"osd.{osd} still runs on the host that its disk came from"
        return Reason(code="OsdStillUp", host=host.name, message=text)
    if known is None or not known.up or known.host in {"", crush_host(host)}:
        return None
    text = f"the disk of osd.{osd} is here, and Ceph says that it still runs on {known.host}"
    return Reason(code="OsdStillUp", host=host.name, message=text, transient=True)


def notices(context: Context, known: Mapping[OsdId, Osd] | None) -> Iterator[Reason]:
    """What is not used and why, labels that Ceph does not know, and OSDs whose disk is missing."""
    survey = context.survey
    yield from survey.assignment.unknown
    yield from _excluded(context)
    yield from topology.notices(context.spec, context.facts)
    yield from (labels.advice(one) for one in _staying(context) if not one.daemon.running)
    gone = {one.daemon.osd_uuid for one in survey.moved}
    for host in survey.hosts:
        if host.reachable:
            yield from _unused(context, host)
            yield from _orphans(context, host, known)
            yield from _lost_disks(host, gone)


def _excluded(context: Context) -> Iterator[Reason]:
    """Hosts that the manifest names and placement leaves out; all of them when none is left."""
    survey, every = context.survey, context.spec.storage.use_all_nodes
    if every and any(survey.selector(host) for host in survey.hosts):
        return
    found: dict[str, list[str]] = {}
    for host in survey.hosts:
        if host.name in survey.excluded and host.name in survey.assignment.selectors:
            found.setdefault(survey.excluded[host.name], []).append(str(host.name))
    for why, names in found.items():
        yield Reason(code="HostExcluded", message=f"no OSD is made on {', '.join(names)}: {why}")


def _unused(context: Context, host: Host) -> Iterator[Reason]:
    selector = context.survey.selector(host)
    decisions = context.survey.decisions[host.name]
    if selector and set(host.binaries) >= PROGRAMS:
        yield from unused.devices(host, selector, decisions)
    elif selector:
        text = "ceph-osd or ceph-volume is not installed; install the packages to use its disks"
        yield Reason(code="MissingPackage", host=host.name, message=text)
    yield from unused.kept(host, decisions, context.survey.excluded.get(host.name, ""))


def _orphans(context: Context, host: Host, known: Mapping[OsdId, Osd] | None) -> Iterator[Reason]:
    for disk in host.devices:
        if disk.osd and known is not None and disk.osd.fsid == context.fsid:
            yield from _orphan(host, disk, known)


def _orphan(host: Host, disk: Device, known: Mapping[OsdId, Osd]) -> Iterator[Reason]:
    if disk.osd and disk.osd.id >= 0 and not same(known.get(disk.osd.id), disk.osd.uuid):
        text = (
            f"{disk.stable_path} holds osd.{disk.osd.id} with uuid {disk.osd.uuid}, which "
            "the cluster does not know; it is left alone"
        )
        yield Reason(code="OrphanOsd", host=host.name, message=text)


def _lost_disks(host: Host, moved: set[str]) -> Iterator[Reason]:
    present = {disk.osd.uuid for disk in host.devices if disk.osd}
    present |= {osd.uuid for osd in host.osds_lvm} | moved
    for daemon in host.daemons_of(DaemonType.OSD):
        if daemon.osd_uuid and daemon.osd_uuid not in present and not daemon.running:
            text = f"{daemon.name}: no device of this host carries its uuid {daemon.osd_uuid}"
            yield Reason(code="OsdDiskMissing", host=host.name, message=text)
