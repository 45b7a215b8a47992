"""Passes until nothing is left to do: what `orchestrator run` adds to the one pass of reconcile."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from orchestrator.model.names import ClusterKey, HostName
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import Step
from orchestrator.reconcile import Result, World, reconcile, release

PAUSE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait for what comes by itself, such as mons that are electing a leader.

    The looks in between count as well: on a slow machine they take longer than the pauses.
    """

    seconds: float
    sleep: Callable[[float], None]
    clock: Callable[[], float] = time.monotonic


def converge(key: ClusterKey, world: World, patience: Patience) -> Result:
    """Bring all hosts on that can be brought on; a failed one is set aside for the others' sake.

    The result has the failures of all hosts. However it ends, others may work then, unless a step
    was cut off: what it began may still go on on the hosts, and the lock keeps others from it.
    """
    with world.at_work():
        result = _converged(key, world, patience)
    if not (result.step and result.outcome and result.outcome.canceled):
        release(key, world)
    return result


def _converged(key: ClusterKey, world: World, patience: Patience) -> Result:
    world.aside.clear()
    failed: Outcome | None = None
    while True:
        result = _to_rest(key, world, patience)
        if result.failed and result.outcome:
            failed = _merged(failed, result.outcome)
            if _set_aside(result, world):
                continue
        return replace(result, outcome=failed) if failed else result


def _merged(before: Outcome | None, outcome: Outcome) -> Outcome:
    return replace(outcome, failures=(*(before.failures if before else ()), *outcome.failures))


def _set_aside(result: Result, world: World) -> bool:
    """Whether the failure was that of hosts, and others are left."""
    outcome = result.outcome
    if result.step is None or outcome is None or outcome.canceled:
        return False
    known = {change.host for change in result.step.changes}
    hosts = {failure.host: failure for failure in outcome.failures}
    told = all(failure.task for failure in outcome.failures)
    if not told or not hosts.keys() <= known or hosts.keys() <= world.aside.keys():
        return False
    world.aside.update(hosts)
    return True


def _to_rest(key: ClusterKey, world: World, patience: Patience) -> Result:
    """Repeat the pass until it fails, is blocked for good, or the plan is empty."""
    waited = 0.0
    looked_again = False
    while True:
        began = patience.clock()
        result = reconcile(key, world)
        if result.failed:
            return result
        if result.step is None and not _passing(result):
            return result
        if result.step is None:
            if waited >= patience.seconds:
                return result
            world.on_wait(next(reason for reason in result.plan.blocked if reason.transient))
            patience.sleep(PAUSE_SECONDS)
            waited += max(PAUSE_SECONDS, patience.clock() - began)
            world.facts.pop(key, None)
        elif _same_work(result.plan.first, result.step):
            if looked_again:
                return _stuck(result)
            looked_again = True
            world.facts.pop(key, None)
        elif result.plan.converged:
            return result
        else:
            looked_again = False


def _passing(result: Result) -> bool:
    return any(reason.transient for reason in result.plan.blocked)


def _same_work(next_step: Step | None, done: Step) -> bool:
    """The same changes again, whatever their reasons: a crashing daemon has a new one each time."""
    return next_step is not None and _work(next_step) == _work(done)


def _work(step: Step) -> list[tuple[type[Step], str, HostName | None]]:
    return [(type(step), change.subject, change.host) for change in step.changes]


def _stuck(result: Result) -> Result:
    """The same step twice with success and no effect: say so instead of going round for ever."""
    changes = result.plan.first.changes if result.plan.first else ()
    failures = tuple(
        Failure(
            host=change.host or HostName("cluster"),
            task="",
            message=f"the run succeeded, yet {change.action} {change.subject} is still needed: "
            f"{change.reason}",
        )
        for change in changes
    )
    outcome = replace(result.outcome, ok=False, failures=failures) if result.outcome else None
    return replace(result, outcome=outcome)
