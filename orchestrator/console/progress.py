"""What is going on right now: live on a terminal, plain lines in a log, one JSON line an event.

Handlers return at once; drawing happens in rich's own thread, so a slow terminal never slows a run.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from orchestrator.ansible.events import Progress
from orchestrator.console.documents import event_line, playbook
from orchestrator.console.plans import reason_text
from orchestrator.model import wording
from orchestrator.model.plan import Plan, Reason, Step

MOST_NAMES = 4
"""More changes or hosts than these are only counted."""


class Watcher(Protocol):
    """Sees steps begin and tasks pass."""

    def on_step(self, plan: Plan, step: Step) -> None: ...

    def on_progress(self, progress: Progress) -> None: ...

    def on_wait(self, reason: Reason) -> None: ...

    def watching(self) -> AbstractContextManager[None]: ...


class Plain:
    """A line for each step and task, and for each host that changed or failed."""

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo = echo
        self._waiting = ""

    def on_step(self, plan: Plan, step: Step) -> None:
        self._echo(step_line(plan, step))

    def on_wait(self, reason: Reason) -> None:
        if reason.code != self._waiting:
            self._echo(f"waiting: {reason_text(reason)}")
        self._waiting = reason.code

    def on_progress(self, progress: Progress) -> None:
        run = progress.playbook.removesuffix(".yml")
        if progress.kind == "task":
            self._echo(f"{run}: {progress.task}")
        elif progress.message:
            self._echo(f"{run}: {progress.host}: {progress.kind}: {progress.message}")
        elif progress.changed:
            self._echo(f"{run}: {progress.host}: changed ({progress.seconds:.1f} s)")

    def watching(self) -> AbstractContextManager[None]:
        return nullcontext()


class Json:
    """One event a line, for programs."""

    def __init__(self, echo: Callable[[str], None]) -> None:
        self._echo = echo

    def on_step(self, plan: Plan, step: Step) -> None:
        del plan
        for change in step.changes:
            self._echo(event_line("change", change))

    def on_progress(self, progress: Progress) -> None:
        if progress.kind != "start":
            self._echo(event_line("progress", progress))

    def on_wait(self, reason: Reason) -> None:
        self._echo(event_line("wait", reason))

    def watching(self) -> AbstractContextManager[None]:
        return nullcontext()


class Terminal:
    """A spinner with run, task, the hosts that it waits for, and the time since the task began."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._run = ""
        self._task = ""
        self._awaited: dict[str, None] = {}
        self._since = time.monotonic()
        self._spinner = Spinner("dots")

    def on_step(self, plan: Plan, step: Step) -> None:
        self._console.print(step_line(plan, step), highlight=False, markup=False)

    def on_wait(self, reason: Reason) -> None:
        self._task = f"waiting: {reason_text(reason)}"

    def on_progress(self, progress: Progress) -> None:
        self._run = progress.playbook.removesuffix(".yml")
        if progress.kind == "task":
            self._task = progress.task
            self._awaited = {}
            self._since = time.monotonic()
        elif progress.kind == "start":
            self._awaited[progress.host] = None
        else:
            self._awaited.pop(progress.host, None)
            self._show(progress)

    def _show(self, progress: Progress) -> None:
        if progress.message:
            line = Text(f"{progress.host}: {progress.kind}: {progress.message}", style="red")
            self._console.print(line)
        elif progress.changed:
            took = f"({progress.seconds:.1f} s)"
            self._console.print(
                f"  {progress.host}: {progress.task} {took}", highlight=False, markup=False
            )

    def _line(self) -> RenderableType:
        if not self._task:
            self._spinner.update(text="starting Ansible")
            return self._spinner
        elapsed = int(time.monotonic() - self._since)
        names = wording.some(tuple(self._awaited), MOST_NAMES)
        awaited = f", waiting for {names}" if names else ""
        self._spinner.update(text=Text(f"{self._run}: {self._task}  {elapsed} s{awaited}"))
        return self._spinner

    @contextmanager
    def watching(self) -> Iterator[None]:
        with Live(console=self._console, get_renderable=self._line, transient=True):
            yield


def step_line(plan: Plan, step: Step) -> str:
    """`run mon: create mon.a on ceph-1, …; 2 more runs planned`."""
    changes = tuple(
        f"{change.action} {change.subject}{f' on {change.host}' if change.host else ''}"
        for change in step.changes
    )
    left = len(plan.steps) - 1
    after = f"; {wording.counted(left, 'more run')} planned" if left else ""
    return f"run {playbook(step)}: {wording.some(changes, MOST_NAMES)}{after}"
