"""The command line: reads the manifest, starts the work, and says in words how it ended.

One module for each command; `options` and `reading` are how they begin, `ending` is how they end.
"""

import sys
from typing import NoReturn

import click

from orchestrator import __version__
from orchestrator.cli import delete, devices, discover, ending, operator, plan, report, run, status


def main() -> NoReturn:
    """The entry point of the `orchestrator` command."""
    cli(prog_name="orchestrator")
    sys.exit(ending.CONVERGED)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="orchestrator")
def cli() -> None:
    """Build and keep a Ceph cluster from one CephCluster manifest."""


for command in (
    run.run,
    plan.plan,
    delete.delete,
    devices.devices,
    status.status,
    report.report,
    operator.operator,
    discover.discover,
):
    cli.add_command(command)
