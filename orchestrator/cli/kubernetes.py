"""What the commands that speak to Kubernetes share, imported when it is asked for.

The kubernetes client takes a second to import, and hosts without Kubernetes need not have it.
"""

from types import ModuleType
from typing import Any

import click

from orchestrator.app import Workstation
from orchestrator.cli import reading
from orchestrator.cli.options import Target
from orchestrator.console.progress import Watcher
from orchestrator.model.manifest import Platform
from orchestrator.model.names import ClusterKey
from orchestrator.model.spec import CephCluster

MISSING = (
    "Kubernetes needs more packages than hosts do ({name} is missing): "
    "pip install 'ceph-orchestrator[kubernetes]'"
)
HIGHEST_PORT = 65535


def composition() -> ModuleType:
    """The composition root for Kubernetes, or what to install."""
    try:
        from orchestrator import operator  # noqa: PLC0415 - see above
    except ModuleNotFoundError as error:
        raise click.ClickException(MISSING.format(name=error.name)) from error
    return operator


def station(target: Target, watcher: Watcher, *, preview: bool) -> Workstation:
    """The station for a CephCluster that stands in Kubernetes."""
    composed = composition()
    from orchestrator import station as stations  # noqa: PLC0415 - see above

    settings = composed.Settings(
        home=reading.home(),
        operator_namespace=target.operator_namespace,
        kubeconfig=target.kubeconfig,
        namespace=target.namespace,
    )
    manifest = _manifest(target)
    wanted = stations.Wanted(
        manifest=manifest, key=_key(target), preview=preview and bool(manifest)
    )
    return stations.station(settings, wanted, watcher, composed.runner_for)


def status(target: Target) -> tuple[ClusterKey, dict[str, Any]]:
    """The CephCluster's key and what its status subresource says now."""
    composition()
    from orchestrator import station as stations  # noqa: PLC0415 - see above
    from orchestrator.stores.kubernetes import clusters, connection  # noqa: PLC0415 - see above

    manifest = _manifest(target, warn=False)
    wanted = stations.Wanted(key=manifest.key if manifest else _key(target))
    raw = wanted.object(connection.connect(target.kubeconfig), target.namespace)
    return clusters.key_of(raw), dict(raw.get("status") or {})


def _manifest(target: Target, *, warn: bool = True) -> CephCluster | None:
    if target.manifest is None:
        return None
    platform = Platform.KUBERNETES
    return reading.manifest(target.manifest, target.name, warn=warn, platform=platform).cluster


def _key(target: Target) -> ClusterKey | None:
    named = target.namespace and target.name
    return ClusterKey(target.namespace, target.name) if named else None


def address(text: str) -> tuple[str, int]:
    """`[ADDRESS]:PORT` as a pair; no address is every one."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > HIGHEST_PORT:
        raise click.BadParameter(f"{text!r} is no [ADDRESS]:PORT", param_hint="--listen")
    return host.strip("[]"), int(port)
