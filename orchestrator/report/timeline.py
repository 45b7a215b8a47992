"""Who did what when: a lane for each host, drawn as bars on one axis of time (pure).

Bars are in thousandths of the axis, so the page stretches them to any width. Large clusters stay
readable: hosts that failed or worked longest are drawn, and the rest is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.model import wording
from orchestrator.report.tasks import TaskResult, TaskState

AXIS = 1000.0
MOST_LANES = 60
MOST_BARS = 300
"""More lanes, or more bars of a lane, than these are only counted."""

THINNEST = 1.5
MOST_TICKS = 5
LAST_TICK = 92.0
"""Hundredths of the axis; the text of a later mark would not fit beside it."""

STEPS = (1, 2, 5)
BAD = frozenset({TaskState.FAILED, TaskState.UNREACHABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time in seconds since the epoch, with its name."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stretch on the axis; `kind` is a word of TaskState, or `run`."""

    x: float
    width: float
    kind: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One host's work; `label` says in words what the bars show."""

    name: str
    label: str
    bars: tuple[Bar, ...]
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A mark of the axis, `at` in hundredths."""

    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """All lanes on one axis of so many seconds."""

    seconds: float
    runs: tuple[Bar, ...]
    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    omitted: int


def timeline(spans: Sequence[Span], results: Sequence[TaskResult]) -> Timeline:
    """The lanes of all hosts, on an axis from the first run's start to the last one's end."""
    begin = min((span.start for span in spans), default=0.0)
    seconds = max(max((span.end for span in spans), default=0.0) - begin, 0.001)
    hosts = _by_host(results)
    chosen = set(sorted(hosts, key=lambda name: _weight(hosts[name]), reverse=True)[:MOST_LANES])
    return Timeline(
        seconds=seconds,
        runs=tuple(_run_bar(span, begin, seconds) for span in spans),
        lanes=tuple(
            _lane(name, found, begin, seconds) for name, found in hosts.items() if name in chosen
        ),
        ticks=ticks(seconds),
        omitted=len(hosts) - len(chosen),
    )


def _by_host(results: Sequence[TaskResult]) -> dict[str, list[TaskResult]]:
    found: dict[str, list[TaskResult]] = {}
    for result in results:
        found.setdefault(result.host, []).append(result)
    return found


def _weight(results: Sequence[TaskResult]) -> tuple[bool, float]:
    return any(one.state in BAD for one in results), sum(one.seconds for one in results)


def _run_bar(span: Span, begin: float, seconds: float) -> Bar:
    x, width = _place(span.start - begin, span.end - span.start, seconds)
    title = f"{span.name}: {duration(span.end - span.start)}"
    return Bar(x=x, width=width, kind="run", title=title)


def _lane(name: str, results: Sequence[TaskResult], begin: float, seconds: float) -> Lane:
    kept = sorted(results, key=_rank, reverse=True)[:MOST_BARS]
    return Lane(
        name=name,
        label=_label(name, results),
        bars=tuple(_bar(one, begin, seconds) for one in sorted(kept, key=lambda one: one.start)),
        omitted=len(results) - len(kept),
    )


def _rank(result: TaskResult) -> tuple[bool, bool, float]:
    return result.state in BAD, result.state is TaskState.CHANGED, result.seconds


def _bar(result: TaskResult, begin: float, seconds: float) -> Bar:
    x, width = _place(result.start - begin, result.seconds, seconds)
    title = f"{result.task}: {result.state}, {duration(result.seconds)}"
    return Bar(x=x, width=width, kind=str(result.state), title=title)


def _place(after: float, lasted: float, seconds: float) -> tuple[float, float]:
    """Start and width on the axis, never outside of it and never too thin to be seen."""
    width = min(max(lasted / seconds * AXIS, THINNEST), AXIS)
    x = min(max(after / seconds * AXIS, 0.0), AXIS - width)
    return round(x, 1), round(width, 1)


def _label(name: str, results: Sequence[TaskResult]) -> str:
    changed = sum(one.state is TaskState.CHANGED for one in results)
    bad = sum(one.state in BAD for one in results)
    busy = duration(sum(one.seconds for one in results))
    failed = f", {bad} failed" if bad else ""
    tasks = wording.counted(len(results), "task")
    return f"{name}: {tasks}, {changed} changed{failed}, {busy} of work"


def ticks(seconds: float) -> tuple[Tick, ...]:
    """Round times, few enough to be read."""
    step = _step(seconds)
    count = int(seconds / step)
    return tuple(
        Tick(
            at=round(number * step / seconds * 100, 2),
            text=duration(number * step) if number else "0",
        )
        for number in range(count + 1)
        if number * step / seconds * 100 <= LAST_TICK
    )


def _step(seconds: float) -> float:
    scale = 0.001
    while True:
        for factor in STEPS:
            if seconds / (factor * scale) <= MOST_TICKS:
                return factor * scale
        scale *= 10


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`."""
    if seconds < 9.95:  # noqa: PLR2004 - below it tenths tell something
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02} s"
