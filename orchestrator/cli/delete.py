"""`orchestrator delete`: takes the cluster off its hosts, after somebody said yes."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import click

from orchestrator import app
from orchestrator.cli import ending, options, reading
from orchestrator.console import documents, plans
from orchestrator.model.plan import Plan


@click.command(epilog=ending.EXIT_CODES)
@options.manifest_option
@options.name_option
@options.inventory_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask before anything is taken away.")
@options.output_option
@options.patience_option
@options.lock_option
@ending.clear_errors
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
    watcher = reading.watcher(output)
    found = reading.manifest(manifest, name)
    cluster = replace(found.cluster, deleting=True)
    station = app.workstation(cluster, inventories, reading.home(), watcher)
    wanted, seen = station.plan()
    ending.leave_if_unseen(station, seen)
    if wanted.steps:  # what stands in the way of all is told once, at the end
        click.echo(plans.plan_text(cluster.key, wanted), err=output == "json")
        click.echo(plans.deletion_text(wanted), err=output == "json")
        _make_sure(wanted, yes=yes)
    with watcher.watching():
        result = station.run(patience_seconds=patience, lock_seconds=lock_seconds)
    if output == "json":
        click.echo(documents.dumps_line("result", documents.result_document(result)))
    ending.finish(station, result)


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
        ending.complain("nothing was changed")
        sys.exit(ending.FAILED)
