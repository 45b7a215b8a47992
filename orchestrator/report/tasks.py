"""What Ansible's artifacts tell of a run: every host's result of every task, with its time.

Only names, times and states are taken; results stay where they are. So what a task returned, with
or without `no_log`, cannot reach the page. Failures come in the words that `run` has shown.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from orchestrator.ansible.events import Fold


class TaskState(StrEnum):
    """How a task ended on a host."""

    OK = "ok"
    CHANGED = "changed"
    FAILED = "failed"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """One task on one host; `start` in seconds since the epoch, `seconds` how long it took."""

    run: str
    role: str
    task: str
    host: str
    start: float
    seconds: float
    state: TaskState


def read(artifacts: Path, run: str, playbook: str) -> tuple[TaskResult, ...]:
    """The results of one run in their order; none when its artifacts were rotated away."""
    fold = Fold(run=run, playbook=playbook)
    found = (_result(fold, event) for event in _events(artifacts / run / "job_events"))
    return tuple(result for result in found if result)


def _events(directory: Path) -> Iterator[dict[str, Any]]:
    """Whole events by their number; one that was cut off while it was written is passed over."""
    for path in sorted(directory.glob("[0-9]*-*.json"), key=_number):
        try:
            event = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(event, dict):
            yield event


def _number(path: Path) -> int:
    digits = path.name.partition("-")[0]
    return int(digits) if digits.isdecimal() else 0


def _result(fold: Fold, event: dict[str, Any]) -> TaskResult | None:
    """The event as a result, where a watcher of the run has seen it as one."""
    progress = fold.feed(event)
    data = event.get("event_data") or {}
    start = _epoch(data.get("start"))
    if progress is None or progress.kind in {"task", "start"} or start is None:
        return None
    changed = progress.kind == "ok" and progress.changed
    return TaskResult(
        run=fold.run,
        role=str(data.get("role") or ""),
        task=progress.task,
        host=progress.host,
        start=start,
        seconds=max(progress.seconds, 0.0),
        state=TaskState.CHANGED if changed else TaskState(progress.kind),
    )


def _epoch(stamp: object) -> float | None:
    """ansible-runner writes ISO times in UTC, and older ones leave the zone out."""
    try:
        found = datetime.fromisoformat(str(stamp))
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
