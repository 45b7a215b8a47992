"""Restarts of running OSDs: a batch at a time, across hosts, of those that Ceph allows to stop.

Level-based: whoever still runs with an old description waits, and each pass asks anew.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.facts import NO_RESTARTS, Restarts
from orchestrator.model.names import OsdId
from orchestrator.model.plan import Reason
from orchestrator.planning import safety
from orchestrator.planning.context import Context

SHOWN = 8
"""OSDs that one message lists."""

REGARDLESS = (
    "wait, or let spec.continueUpgradeAfterChecksEvenIfNotHealthy restart them one at a time all "
    "the same, which stops the clients of such placement groups meanwhile"
)
"""What helps where Ceph can never say yes: as with three OSDs, all on one host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What becomes of those that wait: the `batch` that restarts now, and those to ask about next.

    `blocked` or `notices` say why the others do not restart now.
    """

    batch: safety.Batch = safety.NOBODY
    restarts: Restarts = NO_RESTARTS
    next: Restarts = NO_RESTARTS
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()


def planned(context: Context, waiting: Sequence[OsdId], osds: int | None) -> Round:
    """Who of `waiting` restarts next; the cluster has so many `osds`, if that is known."""
    if not waiting:
        return Round()
    cluster = context.facts.cluster
    answers = cluster.ok_to_stop if cluster else None
    how = safety.consent(context.spec, osds)
    order = safety.asking_order(waiting, answers)
    restarts = _restarts(context, order, how.most)
    held = _held(context, waiting)
    if held:
        return Round(restarts=restarts, blocked=(held,))
    batch = safety.next_batch(order, answers, how, restarts.refused_seconds)
    restarts = replace(restarts, refused=bool(batch.refused) and not batch.consented)
    rest = [osd for osd in order if osd not in batch.osds]
    reason = _reason(restarts, batch, rest, how)
    return Round(
        batch=batch,
        restarts=restarts,
        next=replace(restarts, waiting=tuple(rest)) if how.asked else NO_RESTARTS,
        blocked=() if batch.osds else (reason,),
        notices=(reason,) if batch.osds and rest else (),
    )


def _restarts(context: Context, order: Sequence[OsdId], most: int) -> Restarts:
    begun = sorted({*context.facts.restarts.begun, *order})
    seconds = context.facts.restarts.refused_seconds
    return Restarts(waiting=tuple(order), begun=tuple(begun), at_once=most, refused_seconds=seconds)


def _held(context: Context, waiting: Sequence[OsdId]) -> Reason | None:
    """All wait for healthy placement groups where the manifest wants that (CASES C39)."""
    why = safety.restarts_wait(context.spec, safety.pgmap(context.facts.cluster))
    if not why:
        return None
    text = f"{names(waiting)} wait for their restart: {why}"
    return Reason(code="PgsNotClean", message=text, transient=True)


def _reason(
    restarts: Restarts, batch: safety.Batch, rest: Sequence[OsdId], how: safety.Consent
) -> Reason:
    """How far the restarts are and what Ceph has against the others (CASES C37)."""
    said = list(_said(batch, rest))
    more = f" and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    text = f"OSDs restarted so far: {restarts.progress}; {'; '.join(said[:SHOWN])}{more}"
    if batch.osds:
        return Reason(code="RestartsFollow", message=text)
    remedy = f"; {_remedy(restarts, how)}" if batch.refused else ""
    return Reason(code="NotOkToStop", message=f"{text}{remedy}", transient=True)


def _remedy(restarts: Restarts, how: safety.Consent) -> str:
    if how.patience is None:
        return REGARDLESS
    minutes = math.ceil((how.patience - restarts.refused_seconds) / 60)
    return (
        f"one of them restarts all the same in {minutes} min, unless Ceph allows it before "
        "(spec.waitTimeoutForHealthyOSDInMinutes)"
    )


def _said(batch: safety.Batch, rest: Sequence[OsdId]) -> Iterator[str]:
    yield from (f"osd.{osd}: {batch.refused[osd]}" for osd in rest if osd in batch.refused)
    others = [osd for osd in rest if osd not in batch.refused]
    if others and batch.osds:
        yield f"{names(others)} after these, as Ceph allows it"
    elif others:
        yield f"Ceph did not say yet whether {names(others)} may be stopped"


def names(osds: Sequence[OsdId]) -> str:
    more = f" and {len(osds) - SHOWN} more" if len(osds) > SHOWN else ""
    return ", ".join(f"osd.{osd}" for osd in osds[:SHOWN]) + more
