"""`orchestrator plan`: shows what `run` would change, and changes nothing."""

import sys
from typing import NoReturn

import click

from orchestrator.cli import ending, options, reading, stations
from orchestrator.console import differences, documents, placements, plans


@click.command(epilog=ending.EXIT_CODES)
@options.target_options
@options.form_option("text")
@click.option("--explain", is_flag=True, help="Say of each host why it was chosen or not.")
@click.option("--diff", is_flag=True, help="Show what would be written, from Ansible's check mode.")
@ending.clear_errors
def plan(target: options.Target, output: str, *, explain: bool, diff: bool) -> NoReturn:
    """Show every change that `run` would make now; nothing is touched.

    With --kubeconfig and -f the manifest is taken as if it were applied already.
    """
    station = stations.of(target, reading.silent(), preview=True)
    wanted, seen = station.plan()
    ending.leave_if_unseen(station, seen)
    rehearsed = station.rehearse() if diff else ()
    if output == "text":
        click.echo(plans.plan_text(station.cluster.key, wanted))
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
    sys.exit(ending.plan_code(wanted))
