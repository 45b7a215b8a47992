"""What becomes of a key after its pass: the one switch of all requeueing (pure)."""

from dataclasses import dataclass, replace
from enum import StrEnum

from orchestrator.reconcile import Result

RESYNC_SECONDS = 600.0
"""A converged cluster is looked at again after this, whatever the watch has told."""

TRANSIENT_SECONDS = 5.0
BLOCKED_SECONDS = 60.0
DEPENDENTS_SECONDS = 10.0
"""Rook looks again at what blocks a deletion after 10 s."""


class Ending(StrEnum):
    """How a pass ended; the values are those of the metric's label."""

    CONVERGED = "converged"
    BLOCKED = "blocked"
    FAILED = "failed"
    CANCELED = "canceled"
    SKIPPED = "skipped"
    INVALID = "invalid"
    GONE = "gone"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`again` is in how many seconds the next pass comes by itself; None: not before it is woken.

    With `backoff` the pause grows with each failure in a row instead. `result` is there when the
    pass came to a reconcile.
    """

    ending: Ending
    again: float | None = None
    backoff: bool = False
    text: str = ""
    result: Result | None = None


def of(result: Result) -> Verdict:
    """The verdict on a reconcile that ran to its end."""
    return replace(_judged(result), result=result)


def _judged(result: Result) -> Verdict:
    if result.outcome and result.outcome.canceled:
        return Verdict(ending=Ending.CANCELED)
    if result.failed and result.outcome:
        text = "; ".join(str(failure) for failure in result.outcome.failures)
        return Verdict(ending=Ending.FAILED, backoff=True, text=text)
    if result.plan.steps:
        return Verdict(ending=Ending.BLOCKED, again=TRANSIENT_SECONDS)
    if result.plan.blocked:
        text = "; ".join(reason.message for reason in result.plan.blocked)
        passing = all(reason.transient for reason in result.plan.blocked)
        pause = TRANSIENT_SECONDS if passing else BLOCKED_SECONDS
        return Verdict(ending=Ending.BLOCKED, again=pause, text="" if passing else text)
    again = max(TRANSIENT_SECONDS, result.plan.again or RESYNC_SECONDS)
    return Verdict(ending=Ending.CONVERGED, again=min(RESYNC_SECONDS, again))
