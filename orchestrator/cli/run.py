"""`orchestrator run`: brings the hosts to what the manifest says."""

import sys
from typing import NoReturn

import click

from orchestrator import app
from orchestrator.cli import ending, options, reading, stations, watch
from orchestrator.console import differences, documents, plans, progress
from orchestrator.reconcile import Result


@click.command(epilog=ending.EXIT_CODES)
@options.target_options
@options.output_option
@options.patience_option
@options.lock_option
@click.option("--check", is_flag=True, help="Run in Ansible's check mode and touch nothing.")
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Stay, and run again when the manifest or the inventory changes.",
)
@click.option(
    "--interval",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    help="Seconds after which --watch runs again although nothing changed.",
)
@ending.clear_errors
def run(  # noqa: PLR0913 - one for each option
    target: options.Target,
    output: str,
    patience: float,
    lock_seconds: float,
    *,
    check: bool,
    watching: bool,
    interval: float,
) -> NoReturn:
    """Bring the hosts to what the manifest says, or Kubernetes to what its CephCluster says."""
    if check and watching:
        raise click.UsageError("--check touches nothing, and --watch keeps at it; give one of them")
    watcher = reading.watcher(output)

    def bring(station: app.Workstation) -> Result:
        with watcher.watching():
            result = station.run(patience_seconds=patience, lock_seconds=lock_seconds)
        if output == "json":
            click.echo(documents.dumps_line("result", documents.result_document(result)))
        return result

    if watching:
        watch.watch(target, watcher, bring, output=output, interval=interval)
    station = stations.of(target, watcher)
    if station.cluster.deleting and not target.kubeconfig:
        raise click.UsageError(f"{target.manifest}: {reading.TO_BE_DELETED}")
    if check:
        _check(station, watcher, output)
    ending.finish(station, bring(station))


def _check(station: app.Workstation, watcher: progress.Watcher, output: str) -> NoReturn:
    """Say what a run would do and write; its exit code is that of the plan."""
    with watcher.watching():
        wanted, seen = station.plan()
        ending.leave_if_unseen(station, seen)
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
    sys.exit(ending.plan_code(wanted))
