"""What leads Prometheus to the mgrs of a cluster made elsewhere, by Rook's names (ROOK-COMPAT 3).

A Service without pods behind it, the Endpoints that the manifest names, of which the first follows
the active mgr, and a ServiceMonitor where the server knows the kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.model import ownership
from orchestrator.model.facts import Cluster
from orchestrator.model.spec import CephCluster
from orchestrator.stores.kubernetes.clusters import metadata, uid_of
from orchestrator.stores.kubernetes.connection import (
    SERVICE,
    SERVICE_MONITOR,
    Connection,
    Kind,
    Object,
)

ENDPOINTS = Kind("v1", "Endpoints")

NAME, MONITOR = "rook-ceph-mgr-external", "rook-ceph-mgr"
PORT_NAME = "http-external-metrics"
INTERVAL = "10s"
MANAGED_BY = "rook.io/managedBy"


@dataclass(frozen=True, slots=True)
class Metrics:
    """The objects of one external cluster in its namespace."""

    connection: Connection
    raw: Mapping[str, Any]

    def keep(self, cluster: CephCluster, seen: Cluster) -> bool:
        """Have them as the manifest says; whether there is nothing that the server lacks for it."""
        served = SERVICE_MONITOR in self.connection.served(SERVICE_MONITOR.api_version)
        asked = cluster.spec.monitoring
        wanted = asked.enabled and not asked.metrics_disabled
        named = wanted and bool(asked.external_mgr_endpoints)
        self._kept(SERVICE, service(cluster), present=wanted)
        self._kept(ENDPOINTS, endpoints(cluster, seen.mgr.address), present=named)
        if served:
            self._kept(SERVICE_MONITOR, monitor(cluster), present=wanted)
        return served or not wanted

    def _kept(self, kind: Kind, body: Object, *, present: bool) -> None:
        """Write what differs; only what is this cluster's own is ever taken away."""
        meta = metadata(self.raw)
        namespace, name = str(meta["namespace"]), body["metadata"]["name"]
        body["metadata"]["ownerReferences"] = [ownership.reference(meta)]
        live = self.connection.get(kind, namespace, name)
        if not present:
            if live and _is_ours(live, uid_of(self.raw)):
                self.connection.delete(kind, namespace, name)
        elif live is None:
            whole = {"apiVersion": kind.api_version, "kind": kind.name, **body}
            whole["metadata"]["namespace"] = namespace
            self.connection.create(kind, whole)
        elif not _holds(live, body):
            self.connection.patch(kind, namespace, name, body)


def _is_ours(live: Mapping[str, Any], uid: str) -> bool:
    owners = metadata(live).get("ownerReferences") or ()
    return any(one.get("uid") == uid for one in owners)


def _holds(live: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether the live object has all that is wanted; what else it has is others'."""
    if isinstance(wanted, Mapping):
        held = live if isinstance(live, Mapping) else {}
        return all(_holds(held.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        same = isinstance(live, list) and len(live) == len(wanted)
        return same and all(_holds(one, two) for one, two in zip(live, wanted, strict=True))
    return bool(live == wanted)


def _labels(cluster: CephCluster) -> dict[str, str]:
    return {"app": MONITOR, "rook_cluster": cluster.key.namespace}


def service(cluster: CephCluster) -> Object:
    """The Service; without a selector Kubernetes leaves its Endpoints to us."""
    port = cluster.spec.monitoring.external_mgr_prometheus_port
    listed = {"name": PORT_NAME, "port": port, "targetPort": port, "protocol": "TCP"}
    return {
        "metadata": {"name": NAME, "labels": _labels(cluster)},
        "spec": {"type": "ClusterIP", "ports": [listed]},
    }


def endpoints(cluster: CephCluster, active: str) -> Object:
    """The mgrs that the manifest names, the first of them where the active one is now."""
    asked = cluster.spec.monitoring
    named = list(asked.external_mgr_endpoints)
    ips = [one.ip for one in named]
    if named and active and active not in ips:
        named[0] = named[0].model_copy(update={"ip": active})
    elif active in ips:
        first = ips.index(active)
        named = [named[first], *named[:first], *named[first + 1 :]]
    addresses = [one.model_dump(by_alias=True, exclude_defaults=True) for one in named]
    port = {"name": PORT_NAME, "port": asked.external_mgr_prometheus_port, "protocol": "TCP"}
    return {
        "metadata": {"name": NAME, "labels": _labels(cluster)},
        "subsets": [{"addresses": addresses, "ports": [port]}],
    }


def monitor(cluster: CephCluster) -> Object:
    """The ServiceMonitor, which has the name of a cluster's own."""
    theirs = dict(cluster.spec.labels.get("monitoring") or {})
    managed = theirs.get(MANAGED_BY)
    found = {
        "port": PORT_NAME,
        "path": "/metrics",
        "interval": cluster.spec.monitoring.interval or INTERVAL,
        **(
            {"relabelings": [{"targetLabel": "managedBy", "replacement": managed}]}
            if managed
            else {}
        ),
    }
    labels = {"rook_cluster": cluster.key.namespace, "team": "rook", **theirs}
    return {
        "metadata": {"name": MONITOR, "labels": labels},
        "spec": {
            "namespaceSelector": {"matchNames": [cluster.key.namespace]},
            "selector": {"matchLabels": _labels(cluster)},
            "endpoints": [found],
        },
    }
