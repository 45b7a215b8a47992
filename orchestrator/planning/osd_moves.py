"""Units of OSDs that stayed on the host from which the disk was carried away: they are taken away.

Proof is the label: it is seen once, on another host. Nothing is lost, for an OSD's folder is made
anew from its label; it is put aside all the same.
"""

from collections.abc import Iterator

from orchestrator.model.facts import Osd
from orchestrator.model.plan import AbsentStep, Action, Change, Remains, RemovedDaemon
from orchestrator.planning import absence, labels
from orchestrator.planning.context import Context


def steps(context: Context) -> Iterator[AbsentStep]:
    """One step for all that are left behind."""
    gone = [one for one in context.survey.moved if leaves(context, one)]
    yield from absence.steps(context, [(_change(one), _removed(one)) for one in gone])


def leaves(context: Context, one: labels.Moved) -> bool:
    """Whether it runs where its disk is; or it still runs here, of no use to Ceph.

    One that Ceph has up may well have its disk, and what the other host shows be a copy. So may one
    whose host has a disk that cannot be read.
    """
    if not one.daemon.running:
        return _runs_there(context, one)
    host = context.facts.hosts[one.old]
    osd = _known(context, one)
    unread = any(device.error for device in host.devices)
    return osd is not None and osd.uuid == one.daemon.osd_uuid and not osd.up and not unread


def _runs_there(context: Context, one: labels.Moved) -> bool:
    daemons = context.facts.hosts[one.new.host].daemons
    return any(each.running and each.osd_uuid == one.daemon.osd_uuid for each in daemons)


def _known(context: Context, one: labels.Moved) -> Osd | None:
    known = context.known_osds or {}
    return next((osd for osd in known.values() if str(osd.id) == one.daemon.id), None)


def _change(one: labels.Moved) -> Change:
    reason = f"its disk is {one.new.path} on {one.new.host} now"
    return Change(action=Action.REMOVE, subject=one.daemon.name, host=one.old, reason=reason)


def _removed(one: labels.Moved) -> RemovedDaemon:
    data = Remains.ASIDE
    return RemovedDaemon(type=one.daemon.type, id=one.daemon.id, host=one.old, data=data)
