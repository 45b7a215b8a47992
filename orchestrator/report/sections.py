"""The numbers and rows of the page, from the record, the tasks and the status (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orchestrator.model import wording
from orchestrator.model.plan import Change
from orchestrator.report.record import PlaybookRun, Record, SeenHost
from orchestrator.report.tasks import TaskResult, TaskState
from orchestrator.report.timeline import BAD, Span

SLOWEST = 12
NAMES = 6
"""More hosts than these are only counted."""

Tasks = Mapping[str, Sequence[TaskResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """A task of a run, over all its hosts; `seconds` is how long the slowest one took."""

    run: str
    role: str
    task: str
    seconds: float
    slowest: str
    hosts: int
    changed: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One playbook run; `known` is false when its artifacts were rotated away."""

    number: int
    name: str
    run: str
    seconds: float
    known: bool
    hosts: int
    changed_on: str
    changes: tuple[Change, ...]
    tasks: tuple[TaskRow, ...]
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCard:
    """A host with the verdicts on its disks, as the status has them."""

    seen: SeenHost
    disks: tuple[Mapping[str, Any], ...]


def run_rows(record: Record, tasks: Tasks, spans: Sequence[Span]) -> tuple[RunRow, ...]:
    """The runs in their order."""
    return tuple(
        _run_row(number, run, _by_host(record, tasks.get(run.run, ())), span)
        for number, (run, span) in enumerate(zip(record.runs, spans, strict=True), start=1)
    )


def _run_row(number: int, run: PlaybookRun, results: Sequence[TaskResult], span: Span) -> RunRow:
    changed = (one.host for one in results if one.state is TaskState.CHANGED)
    return RunRow(
        number=number,
        name=span.name,
        run=run.run,
        seconds=span.end - span.start,
        known=bool(results),
        hosts=len({one.host for one in results}),
        changed_on=wording.some(tuple(dict.fromkeys(changed)), NAMES),
        changes=run.changes,
        tasks=task_rows(results, span.name),
        failed=any(one.state in BAD for one in results),
    )


def task_rows(results: Sequence[TaskResult], run: str) -> tuple[TaskRow, ...]:
    """A row for each task, in the order in which they began."""
    grouped: dict[tuple[str, str], list[TaskResult]] = {}
    for one in sorted(results, key=lambda one: one.start):
        grouped.setdefault((one.role, one.task), []).append(one)
    return tuple(_task_row(run, role, task, found) for (role, task), found in grouped.items())


def _task_row(run: str, role: str, task: str, results: Sequence[TaskResult]) -> TaskRow:
    slowest = max(results, key=lambda one: one.seconds)
    return TaskRow(
        run=run,
        role=role,
        task=task,
        seconds=slowest.seconds,
        slowest=slowest.host,
        hosts=len({one.host for one in results}),
        changed=sum(one.state is TaskState.CHANGED for one in results),
        failed=sum(one.state in BAD for one in results),
    )


def slowest(rows: Sequence[RunRow]) -> tuple[TaskRow, ...]:
    """The tasks that took longest on one host."""
    every = [task for row in rows for task in row.tasks]
    return tuple(sorted(every, key=lambda task: task.seconds, reverse=True)[:SLOWEST])


def spans(record: Record, tasks: Tasks) -> tuple[Span, ...]:
    """Each run from its start, which its name tells, to the end of its last task."""
    return tuple(_span(run, tasks.get(run.run, ())) for run in record.runs)


def _span(run: PlaybookRun, results: Sequence[TaskResult]) -> Span:
    first = min((one.start for one in results), default=0.0)
    start = _started(run.run) or first
    end = max((one.start + one.seconds for one in results), default=start)
    name = run.playbook.removesuffix(".yml")
    return Span(name=name, start=min(start, first or start), end=max(start, end))


def _started(run: str) -> float:
    try:
        found = datetime.strptime(f"{run.partition('-')[0]}+0000", "%Y%m%dT%H%M%S.%f%z")
    except ValueError:
        return 0.0
    return found.timestamp()


def host_cards(record: Record, status: Mapping[str, Any]) -> tuple[HostCard, ...]:
    """The hosts of the last look; of those that only the status knows, their disks."""
    disks: dict[str, list[Mapping[str, Any]]] = {}
    for one in (status.get("storage") or {}).get("devices") or ():
        disks.setdefault(str(one.get("host", "")), []).append(one)
    seen = {host.name: host for host in record.hosts}
    names = (*seen, *(name for name in disks if name not in seen))
    return tuple(
        HostCard(seen=seen.get(name) or SeenHost(name=name), disks=tuple(disks.get(name, ())))
        for name in names
    )


def by_host_order(record: Record, tasks: Tasks) -> list[TaskResult]:
    """All results, those of the inventory's first host first."""
    return _by_host(record, [one for found in tasks.values() for one in found])


def _by_host(record: Record, results: Sequence[TaskResult]) -> list[TaskResult]:
    order = {host.name: number for number, host in enumerate(record.hosts)}
    return sorted(results, key=lambda one: order.get(one.host, len(order)))


def took(record: Record, found: Sequence[Span]) -> float:
    """Seconds of the whole run; of one without an end, up to its last known task."""
    begun = datetime.fromisoformat(record.started).timestamp()
    if record.ended:
        return datetime.fromisoformat(record.ended).timestamp() - begun
    return max((span.end - begun for span in found), default=0.0)
