"""The command line: reads the manifest, starts the work, and says in words how it ended."""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import IO, NoReturn, ParamSpec, TypeVar

import click
from rich.console import Console

from orchestrator import __version__, app
from orchestrator.ansible.inventory import InventoryError
from orchestrator.console import devices as device_lists
from orchestrator.console import differences, documents, placements, plans, progress, statuses
from orchestrator.model.manifest import Manifest, SpecError, parse_manifest
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import Plan
from orchestrator.options import (
    inventory_option,
    lock_option,
    manifest_option,
    name_option,
    output_option,
    patience_option,
)
from orchestrator.reconcile import Result, asked_nobody
from orchestrator.report import making
from orchestrator.stores import StoreError, files

CONVERGED, FAILED, USAGE, BLOCKED, PENDING = 0, 1, 2, 3, 10
INTERRUPTED = 128
WIDE = 240  # columns, where no terminal sets the width

P = ParamSpec("P")
R = TypeVar("R")

EXIT_CODES = """
\b
Exit codes: 0 converged (plan: nothing to do), 1 a run failed,
2 wrong usage, manifest or inventory, 3 blocked, 10 changes pending (plan).
"""


def main() -> NoReturn:
    """The entry point of the `orchestrator` command."""
    cli(prog_name="orchestrator")
    sys.exit(CONVERGED)


def clear_errors(command: Callable[P, R]) -> Callable[P, R]:
    """What a person can mend is said in one message; a traceback is kept for bugs."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (SpecError, InventoryError) as error:
            _complain(f"Error: {error}")
            sys.exit(USAGE)
        except StoreError as error:
            _complain(f"Error: {error}")
            sys.exit(BLOCKED)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED + signal.SIGINT)

    return wrapped


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="orchestrator")
def cli() -> None:
    """Build and keep a Ceph cluster from one CephCluster manifest."""


@cli.command(epilog=EXIT_CODES)
@manifest_option
@name_option
@inventory_option
@output_option
@patience_option
@lock_option
@click.option("--check", is_flag=True, help="Run in Ansible's check mode and touch nothing.")
@clear_errors
def run(  # noqa: PLR0913, PLR0917 - one for each option
    manifest: Path,
    name: str,
    inventories: tuple[Path, ...],
    output: str,
    patience: float,
    lock_seconds: float,
    *,
    check: bool,
) -> NoReturn:
    """Bring the hosts to what the manifest says."""
    watcher = _watcher(output)
    found = _read(manifest, name)
    if found.cluster.deleting:
        text = "metadata.deletionTimestamp is set; `orchestrator delete` takes the cluster away"
        raise click.UsageError(f"{manifest}: {text}")
    station = app.workstation(found.cluster, inventories, _home(), watcher)
    if check:
        _check(station, watcher, output)
    with watcher.watching():
        result = station.run(patience_seconds=patience, lock_seconds=lock_seconds)
    if output == "json":
        click.echo(documents.dumps_line("result", documents.result_document(result)))
    _finish(station, result)


def _check(station: app.Workstation, watcher: progress.Watcher, output: str) -> NoReturn:
    """Say what a run would do and write; its exit code is that of the plan."""
    with watcher.watching():
        wanted, seen = station.plan()
        _leave_if_unseen(station, seen)
        rehearsed = station.rehearse()
    if output == "json":
        document = {
            **documents.plan_document(wanted),
            "differences": differences.documents(rehearsed),
        }
        click.echo(documents.dumps_line("check", document))
    else:
        click.echo(plans.plan_text(station.cluster.key, wanted))
        click.echo(differences.rehearsal_text(rehearsed))
    sys.exit(_plan_code(wanted))


@cli.command(epilog=EXIT_CODES)
@manifest_option
@name_option
@inventory_option
@click.option("-o", "--output", type=click.Choice(["text", "yaml", "json"]), default="text")
@click.option("--explain", is_flag=True, help="Say of each host why it was chosen or not.")
@click.option("--diff", is_flag=True, help="Show what would be written, from Ansible's check mode.")
@clear_errors
def plan(  # noqa: PLR0913 - one for each option
    manifest: Path,
    name: str,
    inventories: tuple[Path, ...],
    output: str,
    *,
    explain: bool,
    diff: bool,
) -> NoReturn:
    """Show every change that `run` would make now; nothing is touched."""
    found = _read(manifest, name)
    station = app.workstation(found.cluster, inventories, _home(), progress.Plain(_ignore))
    wanted, seen = station.plan()
    _leave_if_unseen(station, seen)
    rehearsed = station.rehearse() if diff else ()
    if output == "text":
        click.echo(plans.plan_text(found.cluster.key, wanted))
        if rehearsed:
            click.echo(differences.rehearsal_text(rehearsed))
        if explain:
            click.echo(placements.placements_text(station.placements(wanted)))
    else:
        placed = placements.placements_document(station.placements(wanted))
        written = {"differences": differences.documents(rehearsed)} if diff else {}
        click.echo(
            documents.dumps({**documents.plan_document(wanted), **placed, **written}, output)
        )
    sys.exit(_plan_code(wanted))


@cli.command(epilog=EXIT_CODES)
@manifest_option
@name_option
@inventory_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask before anything is taken away.")
@output_option
@patience_option
@lock_option
@clear_errors
def delete(  # noqa: PLR0913, PLR0917 - one for each option
    manifest: Path,
    name: str,
    inventories: tuple[Path, ...],
    yes: bool,  # noqa: FBT001 - click gives it
    output: str,
    patience: float,
    lock_seconds: float,
) -> NoReturn:
    """Take the cluster off its hosts; the plan is shown before.

    Daemons and configuration go. Data, disks and keys stay, and `run` brings the same cluster back,
    unless spec.cleanupPolicy.confirmation is yes-really-destroy-data.
    """
    watcher = _watcher(output)
    found = _read(manifest, name)
    cluster = replace(found.cluster, deleting=True)
    station = app.workstation(cluster, inventories, _home(), watcher)
    wanted, seen = station.plan()
    _leave_if_unseen(station, seen)
    click.echo(plans.plan_text(cluster.key, wanted), err=output == "json")
    if wanted.steps:
        click.echo(plans.deletion_text(wanted), err=output == "json")
        _make_sure(wanted, yes=yes)
    with watcher.watching():
        result = station.run(patience_seconds=patience, lock_seconds=lock_seconds)
    if output == "json":
        click.echo(documents.dumps_line("result", documents.result_document(result)))
    _finish(station, result)


def _asks_somebody() -> bool:
    return sys.stdin.isatty()


def _make_sure(wanted: Plan, *, yes: bool) -> None:
    """As terraform destroy: only the word itself is a yes, and a script must have given --yes."""
    if yes:
        return
    if not _asks_somebody():
        raise click.UsageError("nobody can be asked here; --yes goes on without asking")
    answer = click.prompt(f"Type yes to delete the cluster {wanted.fsid}", default="", err=True)
    if answer.strip() != "yes":
        _complain("nothing was changed")
        sys.exit(FAILED)


@cli.command()
@manifest_option
@name_option
@inventory_option
@click.option("-o", "--output", type=click.Choice(["table", "yaml", "json"]), default="table")
@clear_errors
def devices(manifest: Path, name: str, inventories: tuple[Path, ...], output: str) -> None:
    """Show every disk of every host, what it is or will be, and why; nothing is touched."""
    found = _read(manifest, name)
    station = app.workstation(found.cluster, inventories, _home(), progress.Plain(_ignore))
    decisions, aside, seen = station.devices()
    _leave_if_unseen(station, seen)
    if output == "table":
        console = Console() if sys.stdout.isatty() else Console(width=WIDE)
        console.print(device_lists.devices_table(decisions, aside))
    else:
        click.echo(documents.dumps(device_lists.devices_document(decisions, aside), output))


def _leave_if_unseen(station: app.Workstation, seen: Outcome | None) -> None:
    """Nothing can be said of hosts that were not looked at."""
    if seen and seen.canceled:
        sys.exit(INTERRUPTED + station.interruption.number)
    if seen and asked_nobody(seen):
        _complain(_failure_text(seen))
        sys.exit(FAILED)


def _plan_code(wanted: Plan) -> int:
    if wanted.steps:
        return PENDING
    return BLOCKED if wanted.blocked else CONVERGED


@cli.command()
@click.option(
    "-f",
    "--filename",
    "manifest",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file with the CephCluster; not needed while one cluster is known here.",
)
@click.option("--name", default="", help="Which CephCluster, if the file has several.")
@click.option(
    "-i",
    "--inventory",
    "inventories",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Look at the hosts first (needs -f); without it the last known status is shown.",
)
@click.option("-o", "--output", type=click.Choice(["table", "yaml", "json"]), default="table")
@click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Seconds to wait for HEALTH_OK (needs -f and -i); exit code 1 if it does not come.",
)
@clear_errors
def status(
    manifest: Path | None,
    name: str,
    inventories: tuple[Path, ...],
    output: str,
    wait_seconds: float,
) -> NoReturn:
    """Show the cluster's status, in the fields of Rook's CephCluster."""
    if (inventories or wait_seconds) and not (manifest and inventories):
        raise click.UsageError("looking at the hosts needs both -f and -i")
    home = _home()
    key = _read(manifest, name).cluster.key if manifest else _only_cluster(home)
    healthy = _refreshed(manifest, name, inventories, wait_seconds) if manifest else True
    found = app.last_status(home, key)
    if not found:
        _complain(f"Error: nothing is known of {key} here; run `orchestrator run`, or give -i")
        sys.exit(FAILED)
    if output == "table":
        Console().print(statuses.status_table(key, found))
    else:
        click.echo(documents.dumps(_object(key, found), output))
    sys.exit(CONVERGED if healthy else FAILED)


@cli.command()
@click.option(
    "-f",
    "--filename",
    "manifest",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file with the CephCluster; not needed while one cluster is known here.",
)
@click.option("--name", default="", help="Which CephCluster, if the file has several.")
@click.option(
    "-o",
    "--output",
    type=click.File("w", encoding="utf-8", atomic=True),
    default="report.html",
    show_default=True,
    help="Where to write the page; - prints it.",
)
@clear_errors
def report(manifest: Path | None, name: str, output: IO[str]) -> None:
    """Write one HTML page of the last run: what changed and why, times, hosts, conditions."""
    home = _home()
    key = _read(manifest, name, warn=False).cluster.key if manifest else _only_cluster(home)
    page = making.last_run(home, key, app.last_status(home, key), datetime.now(UTC))
    if not page:
        _complain(f"Error: no run of {key} is known here; `orchestrator run` notes one")
        sys.exit(FAILED)
    output.write(page)
    if output.name not in {"-", "<stdout>"}:
        _complain(f"{key}: the report of the last run is in {output.name}")


def _refreshed(
    manifest: Path, name: str, inventories: tuple[Path, ...], wait_seconds: float
) -> bool:
    if not inventories:
        return True
    found = _read(manifest, name, warn=False)
    station = app.workstation(found.cluster, inventories, _home(), progress.Plain(_ignore))
    _leave_if_unseen(station, station.refresh(wait_seconds=wait_seconds))
    return not wait_seconds or station.health() == "HEALTH_OK"


def _object(key: ClusterKey, found: dict[str, object]) -> dict[str, object]:
    return {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {"name": key.name, "namespace": key.namespace},
        "status": found,
    }


def _only_cluster(home: files.Home) -> ClusterKey:
    known = home.clusters()
    if len(known) == 1:
        return known[0]
    names = ", ".join(str(key) for key in known) or "none"
    raise click.UsageError(f"clusters known here: {names}; name the manifest with -f")


def _home() -> files.Home:
    return files.Home(files.state_home(os.environ))


def _read(path: Path, name: str, *, warn: bool = True) -> Manifest:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path}: cannot be read: {error}") from error
    found = parse_manifest(text, source=str(path), name=name)
    if warn:
        for warning in found.warnings:
            _complain(f"Warning: {warning}")
    return found


def _watcher(output: str) -> progress.Watcher:
    if output == "json":
        return progress.Json(click.echo)
    console = Console(stderr=True)
    if output == "auto" and console.is_terminal:
        return progress.Terminal(console)
    return progress.Plain(click.echo)


def _finish(station: app.Workstation, result: Result) -> NoReturn:
    """Say how a run ended, and leave with its exit code."""
    key = station.cluster.key
    if result.outcome and result.outcome.canceled:
        _complain(f"{key}: interrupted; what is there stays, and the next run goes on from it")
        sys.exit(INTERRUPTED + station.interruption.number)
    if result.failed and result.outcome:
        _complain(_failure_text(result.outcome))
        _complain(f"Ansible's own output: {station.home.runs(key) / result.outcome.run / 'stdout'}")
        sys.exit(FAILED)
    for reason in result.plan.notices:
        _complain(f"note: {plans.reason_text(reason)}")
    if result.plan.blocked:
        for reason in result.plan.blocked:
            _complain(f"blocked: {plans.reason_text(reason)}")
        sys.exit(BLOCKED)
    if station.cluster.deleting:
        _complain(f"{key}: deleted")
    else:
        _complain(f"{key}: converged, {station.health() or 'health not known yet'}")
    sys.exit(CONVERGED)


def _failure_text(outcome: Outcome) -> str:
    return "\n".join(f"failed: {failure}" for failure in outcome.failures)


def _complain(text: str) -> None:
    click.echo(text, err=True)


def _ignore(_: str) -> None:
    """Take a progress line and show nothing: plan and status print their result alone."""
