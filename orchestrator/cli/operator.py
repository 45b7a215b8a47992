"""`orchestrator operator`: manages the CephClusters of a Kubernetes cluster until it is ended."""

import os
from pathlib import Path

import click

from orchestrator.cli import ending, kubernetes, options, reading

EPILOG = """
\b
SIGHUP cancels all runs and rebuilds the whole manager; SIGTERM ends in order
and hands the Lease over. The environment: POD_NAME and POD_NAMESPACE, and
Rook's ROOK_CURRENT_NAMESPACE_ONLY, ROOK_LOG_LEVEL,
ROOK_CEPH_STATUS_CHECK_INTERVAL, ROOK_MON_HEALTHCHECK_INTERVAL,
ROOK_CEPH_COMMANDS_TIMEOUT_SECONDS, ROOK_CEPH_ALLOW_LOOP_DEVICES,
ROOK_ENFORCE_HOST_NETWORK, ROOK_REVISION_HISTORY_LIMIT and
ROOK_CUSTOM_HOSTNAME_LABEL.
"""


@click.command(epilog=EPILOG)
@options.kubeconfig_option
@options.operator_namespace_option
@click.option(
    "--namespace",
    default="",
    help="Manage the CephClusters of this namespace only; without it those of all namespaces.",
)
@click.option(
    "--listen",
    default=":8080",
    show_default=True,
    metavar="[ADDRESS]:PORT",
    help="Where /metrics, /healthz and /readyz are served.",
)
@click.option(
    "--log-level",
    type=click.Choice(["DEBUG", "INFO", "WARNING", "ERROR"], case_sensitive=False),
    default="INFO",
    envvar="ROOK_LOG_LEVEL",
    show_default=True,
    show_envvar=True,
    help="The least that is logged.",
)
@click.option(
    "--resync",
    type=click.IntRange(min=10),
    default=600,
    show_default=True,
    help="Seconds after which everything is listed, and every cluster looked at, once more.",
)
@ending.clear_errors
def operator(  # noqa: PLR0913, PLR0917 - one for each option
    kubeconfig: Path | None,
    operator_namespace: str,
    namespace: str,
    listen: str,
    log_level: str,
    resync: int,
) -> None:
    """Manage the CephClusters of a Kubernetes cluster, in a pod or beside it."""
    composed = kubernetes.composition()
    own = os.environ.get("ROOK_CURRENT_NAMESPACE_ONLY", "").lower() == "true"
    settings = composed.Settings(
        home=reading.home(),
        operator_namespace=operator_namespace,
        kubeconfig=kubeconfig,
        namespace=namespace or (operator_namespace if own else ""),
        listen=kubernetes.address(listen),
        level=log_level,
        resync_seconds=resync,
    )
    composed.serve(settings, composed.runner_for(settings))
