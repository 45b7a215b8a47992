"""Which ConfigMaps of users are told as those of single nodes, by a real API server."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_view,
)

from lab.kubernetes.plane import ControlPlane
from orchestrator.stores.kubernetes.connection import Kind
from tests.integration.apiserver.site import Site, made

CONFIG_MAP = Kind("v1", "ConfigMap")


def put(site: Site, name: str, **labels: str) -> None:
    metadata = {"name": name, "namespace": site.namespace, "labels": labels}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    made(site.connection, CONFIG_MAP, body)


def test_those_of_nodes_are_found_among_all_others(
    site: Site, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", str(control_plane.kubeconfig))
    for name in ("rook-config-override", "rook-config-override-node-1", "mine"):
        put(site, name)
    put(site, "rook-config-override-node-2", team="storage")
    put(site, "ceph-orchestrator-devices-node-1", app="ceph-orchestrator-devices")
    put(site, "local-device-node-1", app="rook-discover")
    metadata = {"name": "c1", "namespace": site.namespace}
    cluster = kubernetes_cluster.parse({"metadata": metadata, "spec": {}})
    objects = kubernetes_view.Objects(cluster, kubernetes_api.Api(site.namespace))
    assert objects.overrides == frozenset()

    made(site.connection, Kind("apps/v1", "Deployment"), osd(site.namespace))
    objects = kubernetes_view.Objects(cluster, kubernetes_api.Api(site.namespace))
    assert objects.overrides == {"rook-config-override-node-1", "rook-config-override-node-2"}


def osd(namespace: str) -> dict[str, object]:
    labels = {"app": "rook-ceph-osd", "rook_cluster": namespace}
    pod = {"containers": [{"name": "osd", "image": "ceph:20"}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "rook-ceph-osd-0", "namespace": namespace, "labels": labels},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }
