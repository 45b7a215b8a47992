"""OSDs that Ceph does without for good: their Deployments go where the manifest wants that.

Rook's rule (ROOK-COMPAT section 6): an OSD that is down, out and safe to destroy has no data that
is not elsewhere. Its Deployment goes once it is older than an hour, so that one that was just made
has the time to come up. Nothing is purged: its id, its key, its place in the CRUSH map and its disk
stay, and as long as Ceph says the same of it no pass makes the Deployment anew.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestrator.model.facts import Daemon, DaemonType, Host, Osd
from orchestrator.model.names import OsdId
from orchestrator.model.plan import AbsentStep, Action, Change, Reason, RemovedDaemon
from orchestrator.planning import absence
from orchestrator.planning.context import Context

GRACE_SECONDS = 3600.0
"""Rook's own, from the creation of the Deployment."""

FIELD = "spec.removeOSDsIfOutAndSafeToRemove"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spare:
    """A Deployment of a spare OSD; one that is `stranded` belongs to a node that tells nothing."""

    host: Host
    daemon: Daemon
    stranded: bool


def spare(context: Context) -> Mapping[OsdId, Osd]:
    """OSDs that are to run no more, by id; none unless the manifest wants that, in Kubernetes."""
    cluster = context.facts.cluster
    if cluster is None or not _asked(context):
        return {}
    safe = set(cluster.safe_to_destroy or ())
    return {one.id: one for one in cluster.osds if _idle(one) and one.id in safe}


def _asked(context: Context) -> bool:
    wanted = context.spec.remove_osds_if_out_and_safe_to_remove
    return wanted and any(host.pods for host in context.facts.hosts.values())


def _idle(osd: Osd) -> bool:
    return not osd.up and not osd.in_


def staying(context: Context, host: Host, present: Mapping[OsdId, str]) -> dict[OsdId, str]:
    """Those of `present` on a host that are to run: no spare without a Deployment, or losing it.

    While Ceph cannot tell whether one is spare, what has no Deployment gets none either.
    """
    found = spare(context)
    idle = _doubtful(context, present) | set(found)
    kept = {daemon.id for daemon in host.daemons_of(DaemonType.OSD) if not _goes(daemon, found)}
    return {osd: uuid for osd, uuid in present.items() if osd not in idle or str(osd) in kept}


def _doubtful(context: Context, present: Mapping[OsdId, str]) -> set[OsdId]:
    cluster = context.facts.cluster
    if cluster is None or not _asked(context):
        return set()
    if "osds" in cluster.unanswered:
        return set(present)
    told = cluster.safe_to_destroy is not None
    return set() if told else {one.id for one in cluster.osds if _idle(one)}


def steps(context: Context) -> Iterator[AbsentStep]:
    """One step for all whose time is over."""
    yield from absence.steps(context, [(_change(one), _removed(one)) for one in _gone(context)])


def notices(context: Context) -> Iterator[Reason]:
    """What is left to a person: spares that run no more and that the cluster still knows."""
    hosts = context.facts.hosts.values()
    made = {one.id for host in hosts for one in (*host.daemons, *host.stranded)}
    for osd in sorted(spare(context)):
        if str(osd) not in made:
            text = (
                f"osd.{osd} is down, out and safe to destroy, so it is not started ({FIELD}); "
                f"`ceph osd purge {osd}` ends it for good, `ceph osd in {osd}` brings it back"
            )
            yield Reason(code="SpareOsd", message=text)


def _gone(context: Context) -> Iterator[_Spare]:
    found = spare(context)
    for host in context.facts.hosts.values():
        for daemon in host.daemons_of(DaemonType.OSD):
            if _goes(daemon, found):
                yield _Spare(host=host, daemon=daemon, stranded=False)
        for daemon in host.stranded:
            if _goes(daemon, found):
                yield _Spare(host=host, daemon=daemon, stranded=True)


def _goes(daemon: Daemon, found: Mapping[OsdId, Osd]) -> bool:
    """Its number alone says nothing: Ceph gives it again once the OSD was purged."""
    known = next((osd for osd in found.values() if str(osd.id) == daemon.id), None)
    same = known is not None and known.uuid == daemon.osd_uuid
    return same and daemon.made_seconds >= GRACE_SECONDS and not daemon.left_alone


def _change(one: _Spare) -> Change:
    where = ", and its node does not answer" if one.stranded else ""
    return Change(
        action=Action.REMOVE,
        subject=one.daemon.name,
        host=None if one.stranded else one.host.name,
        reason=f"it is down, out and safe to destroy{where}; Ceph keeps its number and its key",
    )


def _removed(one: _Spare) -> RemovedDaemon:
    return RemovedDaemon(type=one.daemon.type, id=one.daemon.id, host=one.host.name)
