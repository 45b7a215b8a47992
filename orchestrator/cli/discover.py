"""`orchestrator discover`: tells a node's disks to the operator, in a pod on each node."""

import os

import click

from orchestrator.cli import ending
from orchestrator.model import durations

WHOLE = "60m"


@click.command()
@click.option(
    "--interval",
    default=WHOLE,
    envvar="ROOK_DISCOVER_DEVICES_INTERVAL",
    show_default=True,
    show_envvar=True,
    help="After this everything is looked at, whatever no event told.",
)
@click.option("--node", required=True, envvar="NODE_NAME", show_envvar=True, help="This node.")
@click.option(
    "--namespace",
    required=True,
    envvar="POD_NAMESPACE",
    show_envvar=True,
    help="Where the ConfigMap is.",
)
@ending.clear_errors
def discover(interval: str, node: str, namespace: str) -> None:
    """Keep the ConfigMap local-device-<node> as the node's disks are, until SIGTERM.

    A disk that comes or goes is told within seconds, which wakes the operator. No device is opened
    and no right on the node is needed but to read /sys and /run/udev.
    """
    from orchestrator.ansible.kubernetes import discovering  # noqa: PLC0415 - takes a second

    seconds = float(durations.seconds(interval) or durations.seconds(WHOLE))
    words, environment = discovering.program(seconds)
    told = {**environment, "NODE_NAME": node, "POD_NAMESPACE": namespace}
    os.execve(words[0], words, told)  # noqa: S606 - this process is of no more use
