"""A mgr as Rook runs it in Kubernetes, and the Services that lead to the active one: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_pod,
    kubernetes_scheduling,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

METRICS, DAEMON = 9283, 6800
SECURE_DASHBOARD, PLAIN_DASHBOARD = 8443, 7000
_PRIVILEGED = 1024
_SEVERAL = 2


def keyring(mgr: str) -> str:
    return f"rook-ceph-mgr-{mgr}-keyring"


def deployment(
    cluster: Cluster, daemon: Mapping[str, Any], fsid: str, node: str, watch: str = ""
) -> Object:
    """Give the Deployment of a mgr; `watch` is the program that labels the active one's pod.

    `node` is where it was planned to run: Kubernetes may move it, for it keeps nothing there.
    """
    mgr = str(daemon["id"])
    data = f"/var/lib/ceph/mgr/ceph-{mgr}"
    mounted = [*kubernetes_pod.mounts(keyring(mgr)), {"name": _DATA, "mountPath": data}]
    several = cluster.count("mgr", 1) >= _SEVERAL
    own = cluster.section("mgr").get("hostNetwork")
    pod = {
        **kubernetes_scheduling.leaving(kubernetes_scheduling.placement(cluster, "mgr")),
        **kubernetes_pod.network(cluster, own),
        **kubernetes_scheduling.priority(cluster, "mgr"),
        "serviceAccountName": "rook-ceph-mgr",
        "initContainers": [kubernetes_pod.chown(cluster, mounted, [data])],
        "containers": [
            _container(cluster, mgr, fsid, mounted),
            *([_watcher(cluster, mgr, fsid, mounted, watch)] if several and watch else []),
            *kubernetes_pod.log_collector(cluster, "mgr", mgr, mounted),
        ],
        "volumes": [
            *kubernetes_pod.volumes(cluster, keyring(mgr)),
            {"name": _DATA, "emptyDir": {}},
        ],
    }
    alone = not cluster.section("mgr").get("allowMultiplePerNode")
    built = kubernetes_pod.deployment(
        cluster,
        "mgr",
        mgr,
        pod=kubernetes_scheduling.apart(cluster, pod, "mgr", required=alone),
        record=str(daemon.get("record") or ""),
        annotations={kubernetes_cluster.HOST: node},
        pod_annotations=_scraping(cluster),
    )
    # Kubernetes makes pods by the template alone: the watcher, or we, then say which is active.
    role = {"mgr_role": "standby" if several else "active"}
    built["spec"]["template"]["metadata"]["labels"].update(role)
    return built


_DATA = "ceph-daemon-data"


def _scraping(cluster: Cluster) -> dict[str, str]:
    """Tell Prometheus where to ask, unless the manifest has annotations of its own."""
    if kubernetes_cluster.given(cluster, "annotations", "mgr"):
        return {}
    return {"prometheus.io/scrape": "true", "prometheus.io/port": str(METRICS)}


def _container(cluster: Cluster, mgr: str, fsid: str, mounted: list[Object]) -> Object:
    ports = [("mgr", DAEMON), ("http-metrics", METRICS), ("dashboard", dashboard_port(cluster))]
    return {
        **kubernetes_pod.container(cluster, "mgr", mounted),
        "command": ["ceph-mgr"],
        "args": [
            f"--fsid={fsid}",
            f"--keyring={kubernetes_pod.KEYRING}",
            *kubernetes_pod.arguments(cluster),
            f"--id={mgr}",
            "--setuser=ceph",
            "--setgroup=ceph",
            "--client-mount-uid=0",
            "--client-mount-gid=0",
            "--foreground",
        ],
        "ports": [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in ports],
        "resources": kubernetes_pod.resources(cluster, "mgr"),
        **kubernetes_pod.probes(cluster, "mgr", mgr),
    }


def _watcher(cluster: Cluster, mgr: str, fsid: str, mounted: list[Object], program: str) -> Object:
    return {
        **kubernetes_pod.container(cluster, "watch-active", mounted),
        "command": ["python3", "-c", program],
        "args": [f"--id={mgr}", f"--fsid={fsid}", f"--keyring={kubernetes_pod.KEYRING}"],
        "resources": kubernetes_pod.resources(cluster, "mgr-sidecar"),
    }


def dashboard_port(cluster: Cluster) -> int:
    """Give the port inside the pod: one below 1024 is only the Service's."""
    asked = cluster.section("dashboard")
    default = SECURE_DASHBOARD if asked.get("ssl") else PLAIN_DASHBOARD
    port = int(asked.get("port") or 0)
    return port if port >= _PRIVILEGED else default


def services(cluster: Cluster) -> list[Object]:
    """Give the Services that there are to be."""
    asked = cluster.section("dashboard")
    found = [_service(cluster, "rook-ceph-mgr", "http-metrics", METRICS, METRICS)]
    if asked.get("enabled"):
        inside = dashboard_port(cluster)
        name = "https-dashboard" if asked.get("ssl") else "http-dashboard"
        outside = int(asked.get("port") or inside)
        found.append(_service(cluster, "rook-ceph-mgr-dashboard", name, outside, inside))
    return found


def unwanted_services(cluster: Cluster) -> list[str]:
    enabled = cluster.section("dashboard").get("enabled")
    return [] if enabled else ["rook-ceph-mgr-dashboard"]


def _service(cluster: Cluster, name: str, port_name: str, port: int, target: int) -> Object:
    labels = {"app": kubernetes_cluster.app("mgr"), "rook_cluster": cluster.namespace}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": cluster.metadata(name, labels),
        "spec": {
            "type": "ClusterIP",
            "selector": {**labels, "mgr_role": "active"},
            "ports": [{"name": port_name, "port": port, "targetPort": target, "protocol": "TCP"}],
        },
    }
