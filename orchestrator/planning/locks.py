"""Who else works on the cluster: one writer at a time, so others wait until its lock ends."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from orchestrator.model.facts import Facts, Lock
from orchestrator.model.names import HostName
from orchestrator.model.plan import Plan, Reason


def respected(plan: Plan, facts: Facts) -> Plan:
    """`plan` while somebody else works: nothing but to wait, unless there is nothing to do.

    What the other is making is half there, so what seems to be wrong with it is not told either:
    a ceph.conf without its mon would pass for a cluster that was lost.
    """
    reasons = others(facts)
    return plan if plan.converged or not reasons else replace(plan, steps=(), blocked=reasons)


def others(facts: Facts) -> tuple[Reason, ...]:
    """One reason for each owner of a lock that is not ours."""
    longest: dict[str, Lock] = {}
    for lock in _locks(facts):
        if lock.id != facts.owner and lock.seconds_left > 0:
            longest[lock.id] = max(lock, longest.get(lock.id, lock), key=_seconds)
    return tuple(reason(lock) for lock in longest.values())


def kept(facts: Facts, hosts: Iterable[HostName], seconds: float) -> bool:
    """Whether our lock is on all these hosts and lasts for so long: then it need not be taken."""
    return all(
        (lock := facts.hosts[name].lock) is not None
        and lock.id == facts.owner
        and lock.seconds_left >= seconds
        for name in hosts
    )


def reason(lock: Lock) -> Reason:
    """A live owner renews its lock; that of a dead one ends by itself."""
    return Reason(
        code="Locked",
        message=f"{lock.owner} is working on this cluster; its lock ends in "
        f"{lock.seconds_left:.0f} s unless it is renewed",
        transient=True,
    )


def _seconds(lock: Lock) -> float:
    return lock.seconds_left


def _locks(facts: Facts) -> Iterator[Lock]:
    yield from facts.cluster.locks if facts.cluster else ()
    for host in facts.hosts.values():
        if host.lock:
            yield host.lock
