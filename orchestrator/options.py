"""Options that several commands share."""

from pathlib import Path

import click

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
