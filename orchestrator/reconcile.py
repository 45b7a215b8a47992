"""One pass, where all arrows of the design meet: facts → plan → one step → facts → status.

Level-based: nothing of an earlier pass is needed but the facts cache, and losing that costs one
look at the hosts. Whoever calls decides when the next pass comes; the Result says how this ended.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from orchestrator import planning, status
from orchestrator.ansible import facts as answers
from orchestrator.ansible import locking, variables
from orchestrator.ansible.facts import Member
from orchestrator.ansible.variables import Variables
from orchestrator.conditions import Condition
from orchestrator.model import outages, refusal
from orchestrator.model.decisions import Decision
from orchestrator.model.facts import Facts, Lock, Restarts
from orchestrator.model.names import ClusterKey, Fsid, HostName
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.owner import Owner
from orchestrator.model.plan import CreationStep, MonStep, OsdStep, Plan, Reason, Step
from orchestrator.model.spec import CephCluster
from orchestrator.stores import IdentityStore, SpecSource, StatusSink


class Ansible(Protocol):
    """What a pass needs of Ansible."""

    def members(self) -> tuple[Member, ...]: ...

    def observe(self, restarts: Restarts = ...) -> Outcome: ...

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome: ...

    def release(self, variables: Variables) -> Outcome: ...


@dataclass(slots=True, kw_only=True)
class World:
    """Everything outside: given by the composition root, faked in unit tests.

    Around a series of passes stands `at_work`: what Ansible needed for one, the next finds there.
    """

    specs: SpecSource
    statuses: StatusSink
    identities: IdentityStore
    ansible: Ansible
    now: Callable[[], datetime]
    owner: Owner
    on_step: Callable[[Plan, Step], None] = lambda _plan, _step: None
    on_wait: Callable[[Reason], None] = lambda _reason: None
    pause: Callable[[float], None] = lambda _seconds: None
    at_work: Callable[[], AbstractContextManager[None]] = nullcontext
    looked: datetime | None = None
    aside: dict[HostName, Failure] = field(default_factory=dict)
    facts: dict[ClusterKey, Facts] = field(default_factory=dict)
    restarts: dict[ClusterKey, Restarts] = field(default_factory=dict)
    refused: dict[ClusterKey, datetime | None] = field(default_factory=dict)
    held: dict[ClusterKey, Variables] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The end of a pass. `plan` is what is still to be done after the step that ran."""

    plan: Plan
    facts: Facts | None = None
    step: Step | None = None
    outcome: Outcome | None = None

    @property
    def failed(self) -> bool:
        return self.outcome is not None and not self.outcome.ok


GONE = Result(plan=Plan())

FRESH = timedelta(seconds=10)
ELECTION_LOOKS = 5
ELECTION_PAUSE_SECONDS = 1.0


def reconcile(key: ClusterKey, world: World) -> Result:
    """Look if nothing is known, plan, run the first step, and say in the status where it stands."""
    cluster = world.specs.get(key)
    if cluster is None:
        return GONE
    facts, seen = observed(key, world, cluster)
    if seen and (seen.canceled or asked_nobody(seen)):
        return _failed(cluster, world, seen)
    facts, plan = planned(cluster, world, facts)
    plan = planning.locks.respected(plan, facts)
    if plan.first is None:
        return _concluded(cluster, world, Result(plan=plan, facts=facts))
    return _stepped(cluster, world, plan, facts)


def look(key: ClusterKey, world: World) -> Outcome | None:
    """Bring facts and status up to date without doing anything; gives how the look went."""
    cluster = world.specs.get(key)
    facts, seen = observed(key, world, cluster)
    if cluster and not (seen and (seen.canceled or asked_nobody(seen))):
        facts, plan = planned(cluster, world, facts)
        plan = planning.locks.respected(plan, facts)
        condition = status.ended(plan, None, deleting=cluster.deleting)
        _report(cluster, world, facts, condition, plan.devices)
    return seen


def planned(
    cluster: CephCluster, world: World, facts: Facts, *, thorough: bool = False
) -> tuple[Facts, Plan]:
    """The plan, and the facts that it was made from in the end.

    Which OSDs may restart only Ceph can tell, so it is asked once when a plan comes to that;
    `thorough` asks also while other steps come first, to show them all.
    """
    plan = _plan(cluster, world, facts)
    if not plan.asks or (plan.first and not thorough):
        return facts, plan
    _members, outcome = _looked(world.ansible, _asked(cluster.key, world, cluster))
    if outcome.canceled or asked_nobody(outcome):
        return facts, plan
    facts = _remembered(cluster.key, world, answers.refreshed(facts, outcome))
    return facts, _plan(cluster, world, facts)


def _plan(cluster: CephCluster, world: World, facts: Facts) -> Plan:
    usable = answers.without(facts, world.aside)
    plan = planning.plan(cluster.spec, usable, deleting=cluster.deleting)
    if plan.restarts is not None:
        world.restarts[cluster.key] = plan.restarts
        if not plan.asks:
            _note_refusal(cluster.key, world, plan.restarts)
    return plan


def _note_refusal(key: ClusterKey, world: World, restarts: Restarts) -> None:
    """Ceph's no to all of them lasts from its first time on; a yes, or nobody waiting, ends it."""
    world.refused[key] = (world.refused.get(key) or world.now()) if restarts.refused else None


def _refused(key: ClusterKey, world: World) -> Restarts:
    """The restarts that are under way, and for how long Ceph has refused all of them."""
    if key not in world.refused:
        world.refused[key] = refusal.noted(world.statuses.get(key))
    since = world.refused[key]
    seconds = (world.now() - since).total_seconds() if since else 0.0
    return replace(world.restarts.get(key, Restarts()), refused_seconds=seconds)


def rehearse(key: ClusterKey, world: World) -> Iterator[tuple[Plan, Step, Outcome]]:
    """Each step in Ansible's check mode: nothing is touched, and nothing remembered.

    What a step needs of those before it is not there, so a later one may not be told in full.
    """
    cluster = world.specs.get(key)
    if cluster is None:
        return
    facts, plan = planned(cluster, world, observed(key, world, cluster)[0], thorough=True)
    for step in plan.steps:
        world.on_step(plan, step)
        found = variables.for_step(step, facts, step.fsid or Fsid(""))
        outcome = world.ansible.apply(found, check=True)
        yield plan, step, outcome
        if outcome.canceled:
            return


def asked_nobody(outcome: Outcome) -> bool:
    """Ansible itself failed: an unreachable host would be an answer, this is none."""
    return not outcome.ok and not outcome.reports and not outcome.unreachable


def observed(
    key: ClusterKey, world: World, cluster: CephCluster | None
) -> tuple[Facts, Outcome | None]:
    """The cached facts, or those of a fresh look with its outcome.

    Mons that elect a leader show no cluster for a moment; a plan made from that would lack all that
    only Ceph can tell, so it is looked again a few times. What `cluster` does not ask for need not
    be looked at.
    """
    known = world.facts.get(key)
    if known is not None:
        return known, None
    for _ in range(ELECTION_LOOKS):
        members, outcome = _looked(world.ansible, _asked(key, world, cluster))
        facts = answers.gathered(members, outcome)
        if outcome.canceled or not planning.electing(facts):
            break
        world.pause(ELECTION_PAUSE_SECONDS)
    return _remembered(key, world, facts), outcome


def _asked(key: ClusterKey, world: World, cluster: CephCluster | None) -> Restarts:
    sizes = cluster is not None and cluster.spec.storage.allow_osd_crush_weight_update
    return replace(world.restarts.get(key, Restarts()), sizes=sizes)


def _looked(ansible: Ansible, restarts: Restarts) -> tuple[tuple[Member, ...], Outcome]:
    """Both start a program of Ansible's, and the start is most of their time: side by side."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        listing = pool.submit(ansible.members)
        outcome = ansible.observe(restarts)
        return listing.result(), outcome


def _remembered(key: ClusterKey, world: World, facts: Facts) -> Facts:
    """`facts` with the stored identity, both brought up to date."""
    if facts.cluster and facts.cluster.quorum_names:
        stored = world.identities.remembered(key)
        if stored is None or stored.fsid == facts.cluster.fsid:
            world.identities.establish(key, facts.cluster.fsid)
    facts = replace(
        facts,
        identity=world.identities.remembered(key),
        owner=world.owner.id,
        namespace=key.namespace,
        restarts=_refused(key, world),
        outages=outages.measured(
            facts.cluster, world.statuses.get(key).get("mon") or {}, world.now()
        ),
    )
    world.facts[key] = facts
    world.looked = world.now()
    return facts


def _stepped(cluster: CephCluster, world: World, plan: Plan, facts: Facts) -> Result:
    step = plan.steps[0]
    world.on_step(plan, step)
    condition = status.working(step, deleting=cluster.deleting)
    _report(cluster, world, facts, condition, plan.devices)
    found = _variables(cluster.key, world, plan, facts)
    outcome = world.ansible.apply(found)
    _note_lock(cluster.key, world, found, outcome)
    if outcome.holder:
        if facts.identity is None and not outcome.canceled:
            world.identities.forget(cluster.key)  # the fsid of a cluster that was not begun
        return _made_way(cluster, world, plan, found, outcome.holder)
    if not outcome.ok:
        return _failed(cluster, world, outcome, step)
    if isinstance(step, OsdStep) and any(host.restarts for host in step.hosts):
        world.refused[cluster.key] = None  # each one is waited for anew
    facts = _remembered(cluster.key, world, answers.refreshed(facts, outcome))
    after = planning.locks.respected(_plan(cluster, world, facts), facts)
    result = Result(plan=after, facts=facts, step=step, outcome=outcome)
    return _concluded(cluster, world, result)


def _variables(key: ClusterKey, world: World, plan: Plan, facts: Facts) -> Variables:
    step = plan.steps[0]
    begins = isinstance(step, CreationStep) or (isinstance(step, MonStep) and step.new_cluster)
    fsid = world.identities.begin(key, step.fsid) if begins else step.fsid
    found = variables.for_step(step, facts, fsid or Fsid(""))
    return locking.locked(
        found,
        facts,
        world.owner,
        last=len(plan.steps) == 1,
        kept=_kept(world, locking.places(found, facts), facts),
    )


def _kept(world: World, hosts: Sequence[HostName], facts: Facts) -> bool:
    """Whether the lock that the run before has left is seen just now, and will last a while."""
    fresh = world.looked is not None and world.now() - world.looked < FRESH
    return fresh and planning.locks.kept(facts, hosts, world.owner.seconds / 2)


def _note_lock(key: ClusterKey, world: World, found: Variables, outcome: Outcome) -> None:
    """A run that was planned to be the last one lets go of the lock itself; any other keeps it."""
    before = world.held.pop(key, None)
    done = outcome.ok and found.extra["lock_release_hosts"]
    if not done and not outcome.holder:
        world.held[key] = locking.held(found, before)


def release(key: ClusterKey, world: World) -> None:
    """Let others work at once: what was planned after the last run that ended did not come.

    Where the lock cannot be let go, it ends by itself.
    """
    found = world.held.pop(key, None)
    if found is not None:
        world.ansible.release(locking.unlocked(found))


def _made_way(
    cluster: CephCluster, world: World, plan: Plan, found: Variables, holder: Lock
) -> Result:
    """Somebody else was quicker, or took over: look again when its lock may have ended.

    On several hosts each may have got some: who holds on to its part keeps both from working.
    """
    if len(found.extra["lock_renewal_hosts"]) > 1:
        world.ansible.release(locking.unlocked(found))
    world.facts.pop(cluster.key, None)
    blocked = (planning.locks.reason(holder), *plan.blocked)
    return _concluded(cluster, world, Result(plan=replace(plan, steps=(), blocked=blocked)))


def _failed(
    cluster: CephCluster, world: World, outcome: Outcome, step: Step | None = None
) -> Result:
    """What a failed run left behind is not known: the next pass looks again."""
    world.facts.pop(cluster.key, None)
    plan = Plan(steps=(step,) if step else ())
    _report(cluster, world, None, status.ended(plan, outcome, deleting=cluster.deleting))
    return Result(plan=plan, step=step, outcome=outcome)


def _concluded(cluster: CephCluster, world: World, result: Result) -> Result:
    if cluster.deleting and result.plan.converged:
        return _gone(cluster, world, result)
    condition = status.ended(result.plan, result.outcome, deleting=cluster.deleting)
    _report(cluster, world, result.facts, condition, result.plan.devices)
    return result


def _gone(cluster: CephCluster, world: World, result: Result) -> Result:
    """Nothing of a deleted cluster is left on any host: only now is it forgotten here."""
    world.identities.forget(cluster.key)
    world.statuses.forget(cluster.key)
    world.facts.pop(cluster.key, None)
    return result


def _report(
    cluster: CephCluster,
    world: World,
    facts: Facts | None,
    condition: Condition,
    devices: Sequence[Decision] = (),
) -> None:
    previous = world.statuses.get(cluster.key)
    now = world.now()
    summary = status.summarise(cluster, facts, condition, previous, now)
    since = world.refused.get(cluster.key)
    noted = refusal.with_note(status.with_devices(summary, devices), since)
    world.statuses.put(cluster.key, noted)
