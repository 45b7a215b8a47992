"""How a command ends: its last words, and the exit code that a script can act on."""

import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec, TypeVar

import click

from orchestrator import app
from orchestrator.ansible.inventory import InventoryError
from orchestrator.console import links, plans
from orchestrator.model.manifest import SpecError
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import Plan
from orchestrator.reconcile import Result, asked_nobody
from orchestrator.stores import AccessError, SilentError, StoreError

CONVERGED, FAILED, USAGE, BLOCKED, PENDING = 0, 1, 2, 3, 10
INTERRUPTED = 128

P = ParamSpec("P")
R = TypeVar("R")

EXIT_CODES = """
\b
Exit codes: 0 converged (plan: nothing to do), 1 a run failed,
2 wrong usage, manifest or inventory, 3 blocked, 10 changes pending (plan).
"""


def clear_errors(command: Callable[P, R]) -> Callable[P, R]:
    """What a person can mend is said in one message; a traceback is kept for bugs."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (SpecError, InventoryError, AccessError) as error:
            complain(f"Error: {error}")
            sys.exit(USAGE)
        except click.FileError as error:  # click itself ends with 1, as a failed run does
            complain(f"Error: {error.format_message()}")
            sys.exit(USAGE)
        except StoreError as error:
            complain(f"Error: {error}")
            sys.exit(FAILED if isinstance(error, SilentError) else BLOCKED)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED + signal.SIGINT)

    return wrapped


def leave_if_unseen(station: app.Workstation, seen: Outcome | None) -> None:
    """Nothing can be said of hosts that were not looked at."""
    if seen and seen.canceled:
        sys.exit(INTERRUPTED + station.interruption.number)
    if seen and asked_nobody(seen):
        complain(failure_text(seen))
        sys.exit(FAILED)


def plan_code(wanted: Plan) -> int:
    """The exit code of `plan` and of `run --check`."""
    if wanted.steps:
        return PENDING
    return BLOCKED if wanted.blocked else CONVERGED


def finish(station: app.Workstation, result: Result) -> NoReturn:
    """Say how a run ended, and leave with its exit code."""
    code, words = last_words(station, result)
    for line in words:
        complain(line)
    sys.exit(code)


def last_words(station: app.Workstation, result: Result) -> tuple[int, tuple[str, ...]]:
    """The exit code of a run that ended so, and what there is to say."""
    key = station.cluster.key
    if result.outcome and result.outcome.canceled:
        text = f"{key}: interrupted; what is there stays, and the next run goes on from it"
        return INTERRUPTED + station.interruption.number, (text,)
    if result.failed and result.outcome:
        place = station.home.runs(key) / result.outcome.run / "stdout"
        return FAILED, (failure_text(result.outcome), f"Ansible's own output: {place}")
    words = (
        *(f"note: {plans.reason_text(reason)}" for reason in result.plan.notices),
        *(f"blocked: {plans.reason_text(reason)}" for reason in result.plan.blocked),
        *links.help_lines((*result.plan.notices, *result.plan.blocked)),
    )
    if result.plan.blocked:
        return BLOCKED, words
    if station.cluster.deleting:
        return CONVERGED, (*words, f"{key}: deleted")
    return CONVERGED, (*words, f"{key}: converged, {station.health() or 'health not known yet'}")


def failure_text(outcome: Outcome) -> str:
    """A line for each failure."""
    return "\n".join(f"failed: {failure}" for failure in outcome.failures)


def complain(text: str) -> None:
    """Say it on standard error, where it stands in nobody's JSON."""
    click.echo(text, err=True)
