"""What the steps of a plan would write, as unified differences."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from orchestrator.console.documents import playbook
from orchestrator.model.outcome import Difference, Outcome
from orchestrator.model.plan import Step


def rehearsal_text(rehearsed: Iterable[tuple[Step, Outcome]]) -> str:
    """Step by step; the same text for the same differences."""
    return "\n".join(
        line for number, one in enumerate(rehearsed, 1) for line in _step(number, *one)
    )


def _step(number: int, step: Step, outcome: Outcome) -> Iterator[str]:
    yield ""
    yield f"run {number}: {playbook(step)}"
    for difference in outcome.differences:
        yield from _unified(difference)
    for failure in outcome.failures:
        yield f"not told in full, as earlier runs are not done: {failure}"
    if not outcome.differences and not outcome.failures:
        yield "no file and no option differs"


def _unified(one: Difference) -> Iterator[str]:
    name = f"{one.host}: {one.subject}"
    lines = difflib.unified_diff(
        one.before.splitlines(), one.after.splitlines(), name, name, lineterm="", n=1
    )
    yield from lines


def documents(rehearsed: Iterable[tuple[Step, Outcome]]) -> list[dict[str, object]]:
    """The same for programs: a list for each step, with what could not be told."""
    return [
        {
            "playbook": playbook(step),
            "differences": [asdict(one) for one in outcome.differences],
            "failures": [asdict(one) for one in outcome.failures],
        }
        for step, outcome in rehearsed
    ]
