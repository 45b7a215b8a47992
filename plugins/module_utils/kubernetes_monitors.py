"""What tells the Prometheus operator where a cluster's metrics are, as Rook makes it: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_report,
    kubernetes_services,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

NAME = "monitors"
KIND, VERSION, PLURAL = "ServiceMonitor", "monitoring.coreos.com/v1", "servicemonitors"
MGR, EXPORTER = kubernetes_cluster.app("mgr"), kubernetes_services.APPS["exporter"]
PORTS = {MGR: "http-metrics", EXPORTER: kubernetes_services.PORT_NAME}
"""The Service of each, by its name and label `app`, and the port that has the metrics."""

_INTERVAL = "10s"
_MANAGED_BY = "rook.io/managedBy"


def monitors(cluster: Cluster, record: str = "") -> list[Object]:
    """Give one for the mgrs and one for the exporters."""
    return [_monitor(cluster, name, port, record) for name, port in PORTS.items()]


def _monitor(cluster: Cluster, name: str, port: str, record: str) -> Object:
    theirs = cluster.section("labels").get("monitoring") or {}
    managed = theirs.get(_MANAGED_BY)
    relabelings = [{"targetLabel": "managedBy", "replacement": managed}] if managed else []
    endpoint = {
        "port": port,
        "path": "/metrics",
        "interval": str(cluster.section("monitoring").get("interval") or _INTERVAL),
        **({"relabelings": relabelings} if relabelings else {}),
    }
    labels = {"app": name, "rook_cluster": cluster.namespace}
    return {
        "apiVersion": VERSION,
        "kind": KIND,
        "metadata": cluster.metadata(
            name, {"team": "rook", **theirs}, {kubernetes_cluster.RECORD: record}
        ),
        "spec": {
            "namespaceSelector": {"matchNames": [cluster.namespace]},
            "selector": {"matchLabels": labels},
            "endpoints": [endpoint],
        },
    }


def told(cluster: Cluster, live: Sequence[Mapping[str, Any]] | None) -> Object:
    """Tell how they are; `live` are those that there are, None where the server has no such."""
    held = {one["metadata"]["name"]: one for one in live or ()}
    made = held.get(MGR)
    record = kubernetes_cluster.record(made)
    drifted = _drifted(cluster, held, record) if record else []
    return kubernetes_report.service(NAME, made, drifted, installed=live is not None)


def _drifted(cluster: Cluster, held: Mapping[str, Mapping[str, Any]], record: str) -> list[str]:
    """Compare with what there would be now: all of it follows from the manifest."""
    found = []
    for wanted in monitors(cluster, record):
        name = wanted["metadata"]["name"]
        live = held.get(name)
        if live is None:
            found.append(f"{KIND} {name}: missing")
        elif kubernetes_cluster.is_left_alone(live):
            continue
        elif differing := kubernetes_drift.unlike(live, wanted):
            found.append(f"{KIND} {name} differs: {kubernetes_drift.told(differing)}")
    return found
