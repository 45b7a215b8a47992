"""`orchestrator run --watch`: what the loop needs of the command line."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import click

from orchestrator import app
from orchestrator.cli import ending, reading
from orchestrator.cli.options import Target
from orchestrator.console import documents
from orchestrator.console.progress import Watcher
from orchestrator.model.manifest import SpecError
from orchestrator.model.spec import CephCluster
from orchestrator.reconcile import Result
from orchestrator.watching.loop import Conclusion, UnusableError, Watch, Ways
from orchestrator.watching.pace import Pace
from orchestrator.watching.systemd import Notifier


@dataclass(slots=True, kw_only=True)
class Manifest:
    """The manifest, read anew each time; what it warns of is said once."""

    target: Target
    _warned: tuple[str, ...] = field(default=())

    def read(self) -> CephCluster:
        """Raises UnusableError in the words of a run that refuses it."""
        if self.target.manifest is None:
            raise UnusableError("Error: there is no manifest to watch")
        try:
            found = reading.manifest(self.target.manifest, self.target.name, warn=False)
        except SpecError as error:
            raise UnusableError(f"Error: {error}") from error
        except click.UsageError as error:
            raise UnusableError(f"Error: {error.format_message()}") from error
        if found.cluster.deleting:
            raise UnusableError(f"Error: {self.target.manifest}: {reading.TO_BE_DELETED}")
        warnings = tuple(f"Warning: {warning}" for warning in found.warnings)
        if warnings != self._warned:
            for line in warnings:
                ending.complain(line)
        self._warned = warnings
        return found.cluster


def watch(
    target: Target,
    watcher: Watcher,
    run: Callable[[app.Workstation], Result],
    *,
    output: str,
    interval: float,
) -> NoReturn:
    """Run until a signal ends it; the exit code is that of a run which it interrupts."""
    if target.manifest is None or not target.inventories or target.kubeconfig:
        raise click.UsageError("--watch needs -f and -i; in Kubernetes the operator watches")
    loop = Watch(
        manifest=target.manifest,
        inventories=target.inventories,
        pace=Pace(interval=interval),
        notifier=Notifier.of(os.environ),
        ways=Ways(
            read=Manifest(target=target).read,
            station=lambda cluster: app.workstation(
                cluster, target.inventories, reading.home(), watcher
            ),
            run=run,
            conclude=_conclude,
            tell=_teller(output),
        ),
    )
    try:
        number = loop.until_ended()
    except UnusableError as error:
        ending.complain(str(error))
        sys.exit(ending.USAGE)
    sys.exit(ending.INTERRUPTED + number)


def _conclude(station: app.Workstation, result: Result) -> Conclusion:
    code, words = ending.last_words(station, result)
    return Conclusion(text="\n".join(words), converged=code == ending.CONVERGED)


def _teller(output: str) -> Callable[[str], None]:
    if output != "json":
        return ending.complain
    return lambda text: click.echo(documents.dumps_line("watch", {"message": text}))
