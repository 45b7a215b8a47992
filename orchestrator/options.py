"""Options that several commands share."""

from pathlib import Path

import click

from orchestrator.model.owner import LOCK_SECONDS

manifest_option = click.option(
    "-f",
    "--filename",
    "manifest",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file with the CephCluster.",
)
name_option = click.option("--name", default="", help="Which CephCluster, if the file has several.")
inventory_option = click.option(
    "-i",
    "--inventory",
    "inventories",
    multiple=True,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="An Ansible inventory; may be given more than once.",
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(["auto", "plain", "json"]),
    default="auto",
    help="auto: live on a terminal, else plain lines; json: one event a line.",
)
patience_option = click.option(
    "--timeout",
    "patience",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    help="Seconds to wait for what comes by itself, such as mons that are electing.",
)
lock_option = click.option(
    "--lock-timeout",
    "lock_seconds",
    type=click.FloatRange(min=5),
    default=LOCK_SECONDS,
    show_default=True,
    help="Seconds for which others respect the lock of this run after it died.",
)
