"""`orchestrator devices`: every disk with its verdict."""

import sys

import click
from rich.console import Console

from orchestrator.cli import ending, options, reading, stations
from orchestrator.console import devices as device_lists
from orchestrator.console import documents

WIDE = 240  # columns, where no terminal sets the width


@click.command()
@options.target_options
@options.form_option("table")
@ending.clear_errors
def devices(target: options.Target, output: str) -> None:
    """Show every disk of every host, what it is or will be, and why; nothing is touched."""
    station = stations.of(target, reading.silent(), preview=True)
    listing, seen = station.devices()
    ending.leave_if_unseen(station, seen)
    if output == "table":
        console = Console() if sys.stdout.isatty() else Console(width=WIDE)
        console.print(device_lists.devices_table(listing))
    else:
        click.echo(documents.dumps(device_lists.devices_document(listing), output))
