"""`orchestrator report`: one page about the last run."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from orchestrator import app
from orchestrator.cli import ending, options, reading
from orchestrator.report import making


@click.command()
@options.known_manifest_option
@options.name_option
@click.option(
    "-o",
    "--output",
    type=click.File("w", encoding="utf-8", atomic=True),
    default="report.html",
    show_default=True,
    help="Where to write the page; - prints it.",
)
@ending.clear_errors
def report(manifest: Path | None, name: str, output: IO[str]) -> None:
    """Write one HTML page of the last run: what changed and why, times, hosts, conditions."""
    home = reading.home()
    key = reading.key(home, manifest, name, warn=False)
    page = making.last_run(home, key, app.last_status(home, key), datetime.now(UTC))
    if not page:
        ending.complain(f"Error: no run of {key} is known here; `orchestrator run` notes one")
        sys.exit(ending.FAILED)
    output.write(page)
    if output.name not in {"-", "<stdout>"}:
        ending.complain(f"{key}: the report of the last run is in {output.name}")
