"""`orchestrator status`: the last known status, or that of a fresh look."""

import sys
import time
from typing import Any, NoReturn

import click
from rich.console import Console

from orchestrator import app
from orchestrator.cli import ending, kubernetes, options, reading, stations
from orchestrator.console import documents, statuses
from orchestrator.model.names import ClusterKey

HEALTHY = "HEALTH_OK"
Seen = tuple[ClusterKey, dict[str, Any], bool]
"""The cluster's key, its status, and whether it is as healthy as was asked for."""


@click.command()
@options.target_options
@options.form_option("table")
@click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Seconds to wait for HEALTH_OK (needs -f and -i, or --kubeconfig); exit code 1 if it does "
    "not come.",
)
@ending.clear_errors
def status(target: options.Target, output: str, wait_seconds: float) -> NoReturn:
    """Show the cluster's status, in the fields of Rook's CephCluster.

    With -f and -i the hosts are looked at first; without -i the last known status is shown, and
    with --kubeconfig the one in Kubernetes.
    """
    seen = _of_kubernetes if target.kubeconfig else _of_hosts
    key, found, healthy = seen(target, wait_seconds)
    if not found:
        where = "in Kubernetes yet" if target.kubeconfig else "here"
        text = f"Error: nothing is known of {key} {where}; run `orchestrator run`, or give -i"
        ending.complain(text)
        sys.exit(ending.FAILED)
    if output == "table":
        Console().print(statuses.status_table(key, found))
    else:
        click.echo(documents.dumps(_object(key, found), output))
    sys.exit(ending.CONVERGED if healthy else ending.FAILED)


def _of_kubernetes(target: options.Target, wait_seconds: float) -> Seen:
    """The operator keeps it up to date: waiting is reading it again."""
    end = time.monotonic() + wait_seconds
    while True:
        key, found = kubernetes.status(target)
        healthy = (found.get("ceph") or {}).get("health") == HEALTHY
        if healthy or time.monotonic() >= end:
            return key, found, healthy or not wait_seconds
        time.sleep(1.0)


def _of_hosts(target: options.Target, wait_seconds: float) -> Seen:
    if (target.inventories or wait_seconds) and not (target.manifest and target.inventories):
        raise click.UsageError("looking at the hosts needs both -f and -i")
    home = reading.home()
    key = reading.key(home, target.manifest, target.name)
    healthy = _refreshed(target, wait_seconds) if target.manifest else True
    return key, app.last_status(home, key), healthy


def _refreshed(target: options.Target, wait_seconds: float) -> bool:
    if not target.inventories:
        return True
    station = stations.of(target, reading.silent(), warn=False)
    ending.leave_if_unseen(station, station.refresh(wait_seconds=wait_seconds))
    return not wait_seconds or station.health() == HEALTHY


def _object(key: ClusterKey, found: dict[str, object]) -> dict[str, object]:
    return {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {"name": key.name, "namespace": key.namespace},
        "status": found,
    }
