"""The arrow (spec, facts) → plan. Pure: no client, clock, file or logger is imported here.

`plan` is small on purpose. Who the cluster is comes first, and nothing is planned before that is
known; then mons, options, mgrs and OSDs in the order in which Ceph needs them.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from orchestrator.model.facts import DaemonType, Facts
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import Plan, Reason, Step
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import (
    config,
    dashboard,
    data_dir,
    deletion,
    foresight,
    full_ratios,
    host_services,
    leftovers,
    locks,
    mgr_ports,
    mgrs,
    mon_places,
    mons,
    mutes,
    osd_moves,
    osd_removal,
    osd_updates,
    osds,
    placement,
    readiness,
    resources,
    strangers,
    surplus,
    together,
    unbuilt,
    upgrades,
)
from orchestrator.planning.context import Context
from orchestrator.planning.drains import is_whole
from orchestrator.planning.explanations import explain
from orchestrator.planning.identity import Unknown, identify
from orchestrator.planning.mon_places import electing
from orchestrator.planning.survey import Survey
from orchestrator.planning.unmatched import unmatched

__all__ = ["electing", "explain", "is_whole", "locks", "plan", "survey", "unmatched"]

NO_MON_HOST = Reason(
    code="NoMonHost",
    message="the cluster exists and none of its mons is on a host of the inventory that answers; "
    "add the hosts of its mons, or bring them back",
)

FIRST_QUORUM = Reason(
    code="NoQuorum",
    message="the mons have no quorum; what else there is to do is planned once they have",
)


def plan(spec: CephClusterSpec, facts: Facts, *, deleting: bool = False) -> Plan:
    """Every step from what is to what `spec` asks for, in order, with what stands in the way.

    Of a cluster that is `deleting`, to nothing of it on the hosts but, unless confirmed, its data.
    """
    stop = tuple(_refused(spec, facts, deleting=deleting))
    if stop:
        return Plan(blocked=stop)
    if deleting:
        return deletion.plan(spec, facts)
    usable, aside = strangers.set_aside(facts)
    known = frozenset(reason.host for reason in aside)
    found = _planned(spec, usable, known)
    others = (reason for reason in found.blocked if reason.host not in known)
    return replace(found, blocked=(*aside, *others))


def survey(spec: CephClusterSpec, facts: Facts) -> tuple[Survey, tuple[Reason, ...]]:
    """The verdicts on all devices, whatever else stands in the way, and the hosts left out."""
    usable, aside = strangers.set_aside(facts)
    known = frozenset(reason.host for reason in aside)
    candidates = placement.eligible(usable, DaemonType.MON)
    identity = identify(usable, [host for host in candidates if host.name not in known])
    stored = facts.identity.fsid if facts.identity else None
    fsid = stored if isinstance(identity, Unknown) else identity.fsid
    others = (reason for reason in silent(usable) if reason.host not in known)
    return Survey(spec=spec, facts=usable, fsid=fsid), (*aside, *others)


def _planned(spec: CephClusterSpec, facts: Facts, aside: Collection[HostName | None]) -> Plan:
    """The plan with hosts that were set aside out of reach, but not unknown."""
    candidates = placement.eligible(facts, DaemonType.MON)
    identity = identify(facts, [host for host in candidates if host.name not in aside])
    if isinstance(identity, Unknown):
        return Plan(blocked=identity.reasons)
    found = mon_places.locate(spec, facts, identity)
    if found.blocked and not found.asked:
        return Plan(blocked=(*found.blocked, *silent(facts)), fsid=identity.fsid)
    if not mons.reachable_hosts(facts, found.asked):
        return Plan(blocked=(NO_MON_HOST, *silent(facts)), fsid=identity.fsid)
    return _ordered(spec, facts, identity.fsid, found)


def _refused(spec: CephClusterSpec, facts: Facts, *, deleting: bool) -> Iterator[Reason]:
    if spec.cleanup_policy.confirmation and not deleting:
        text = "spec.cleanupPolicy.confirmation is set: the cluster is waiting to be deleted"
        yield Reason(code="CleanupConfirmed", message=text)
    if spec.external.enable:
        text = (
            "spec.external.enable asks for a connection to a cluster made elsewhere, which is made "
        )
        yield Reason(code="ExternalCluster", message=f"{text}in Kubernetes alone")
    if not facts.hosts:
        yield Reason(code="NoHosts", message="there is no host, or no node")
    if not deleting:
        yield from unbuilt.refused(spec, facts)
        yield from data_dir.refused(spec, facts)
        yield from upgrades.refused(spec, facts)


def _ordered(
    spec: CephClusterSpec, facts: Facts, fsid: Fsid | None, found: mon_places.Mons
) -> Plan:
    context = Context(
        spec=spec,
        facts=facts,
        fsid=fsid,
        mons=found.wanted,
        admin_host=mons.admin_host(facts, found.asked),
    )
    context = replace(context, mgrs=mgr_ports.sharing(spec, facts, mgrs.places(context)))
    beginning = mons.Beginning(
        settings=config.for_new_cluster(spec, found.wanted, context.mgrs),
        muting=mutes.planned(spec, None),
        full_ratios=full_ratios.wanted(spec),
    )
    mon_steps = tuple(mons.steps(facts, fsid, found, beginning))
    begun = Plan(
        steps=mon_steps,
        blocked=(
            *found.blocked,
            *mons.postponed(facts, fsid, found),
            *silent(facts),
            *unanswered(facts),
        ),
        notices=found.notices,
        fsid=fsid,
    )
    if not found.forming and facts.cluster is None:
        return _without_quorum(begun, facts)
    return _completed(begun, foresight.after(context, mon_steps), facts)


def _without_quorum(begun: Plan, facts: Facts) -> Plan:
    """Mons come first; nothing of Ceph's is known, so nothing else is planned."""
    if begun.steps:
        return replace(begun, notices=(*begun.notices, FIRST_QUORUM))
    return replace(begun, blocked=(*begun.blocked, _no_quorum(facts)))


def _completed(begun: Plan, context: Context, facts: Facts) -> Plan:
    """What follows the mons; `context` foresees them, `facts` are as they are before."""
    settings = tuple(config.steps(context))
    restarted = {name for step in settings for name in step.restarts}
    mgr_steps: tuple[foresight.Foreseen, ...] = (
        *mgrs.steps(context),
        *surplus.mgr_steps(context),
    )
    later = foresight.after(context, mgr_steps)
    disks = osds.planned(later)
    steps: tuple[Step, ...] = (
        *begun.steps,
        *settings,
        *mgr_steps,
        *disks.steps,
        *osd_moves.steps(later),
        *osd_removal.steps(later),
        *leftovers.steps(later, disks.steps),
    )
    joined = together.joined(host_services.added(context, steps), facts)
    return Plan(
        steps=(*joined, *mgrs.finishing(context, restarted)),
        blocked=(
            *begun.blocked,
            *config.blocked(context),
            *readiness.starting(later),
            *dashboard.starting(context),
            *disks.blocked,
        ),
        notices=(*begun.notices, *_notices(context, later, facts), *disks.notices),
        fsid=begun.fsid,
        devices=later.survey.devices,
        restarts=disks.restarts,
        asks=disks.asks,
        again=host_services.again(context),
    )


def _notices(context: Context, later: Context, facts: Facts) -> Iterator[Reason]:
    yield from mgrs.notices(context)
    yield from resources.notices(context.spec)
    yield from osd_updates.Updates(context=later).notices
    yield from host_services.notices(context.spec, tuple(facts.hosts.values()))


def silent(facts: Facts) -> Iterator[Reason]:
    """Hosts that did not answer: what they hold is unknown, so their part cannot be finished."""
    for host in facts.hosts.values():
        if not host.reachable:
            text = f"nothing is done on this host: {host.error or 'no answer'}"
            yield Reason(code=host.refusal, host=host.name, message=text)


def unanswered(facts: Facts) -> Iterator[Reason]:
    """A section that Ceph did not give is unknown, so nothing is planned from its absence."""
    if facts.cluster and facts.cluster.unanswered:
        sections = ", ".join(facts.cluster.unanswered)
        why = "; ".join(facts.cluster.errors) or "no reason was given"
        text = f"Ceph was asked and did not tell: {sections} ({why})"
        yield Reason(code="CephUnanswered", message=text, transient=True)


def _no_quorum(facts: Facts) -> Reason:
    states = ", ".join(
        f"mon.{mon.id} on {host.name} is {mon.mon_state or mon.active or 'unknown'}"
        for host, mon in facts.daemons(DaemonType.MON)
    )
    return Reason(
        code="NoQuorum",
        message=f"the mons have no quorum ({states}); nothing else is done before they have",
        transient=True,
    )
