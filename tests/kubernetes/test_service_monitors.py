"""What tells the Prometheus operator of a cluster, by real Ansible against a real API server.

The kind is served by a definition with the fields that the Prometheus operator documents, as far as
they are used here: a server drops what a definition does not have.
"""

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_monitors,
)

from lab.kubernetes.plane import ControlPlane
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome
from tests.conftest import NewControlPlane
from tests.integration.apiserver.monitoring import serve
from tests.kubernetes import plays

pytestmark = pytest.mark.kubernetes

NODE = HostName("node-a")


def played(raw: dict[str, Any], folder: Path, plane: ControlPlane, **own: Any) -> Outcome:
    hosts = {NODE: {"host_services": ["monitors"], **own}}
    return plays.services(raw, folder, plane, hosts)


def looked(raw: dict[str, Any]) -> dict[str, Any]:
    """What a look tells of them."""
    cluster = kubernetes_cluster.parse(raw)
    api = kubernetes_api.Api(cluster.namespace)
    selector = f"rook_cluster={cluster.namespace}"
    found = api.custom(kubernetes_monitors.VERSION, kubernetes_monitors.PLURAL, selector)
    return kubernetes_monitors.told(cluster, found)


def test_they_are_made_repaired_and_taken_away_where_the_kind_is_served(
    new_control_plane: NewControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plane = new_control_plane()
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", str(plane.kubeconfig))
    raw: dict[str, Any] = {
        "metadata": {"name": "demo", "namespace": "default", "uid": ""},
        "spec": {
            "monitoring": {"enabled": True, "interval": "25s"},
            "labels": {"monitoring": {"rook.io/managedBy": "ours"}},
        },
    }
    assert looked(raw)["installed"] is False

    serve(plane.kubeconfig)
    assert looked(raw)["installed"] is True
    done = played(raw, tmp_path, plane, monitors_record="r1")
    assert done.failures == ()
    found = looked(raw)
    assert (found["record"], found["drifted"]) == ("r1", [])
    api = kubernetes_api.Api("default")
    live = api.get("ServiceMonitor", "rook-ceph-mgr") or {}
    assert live["spec"]["endpoints"] == [
        {
            "port": "http-metrics",
            "path": "/metrics",
            "interval": "25s",
            "relabelings": [{"targetLabel": "managedBy", "replacement": "ours"}],
        }
    ]

    api.delete("ServiceMonitor", "rook-ceph-exporter")
    assert looked(raw)["drifted"] == ["ServiceMonitor rook-ceph-exporter: missing"]
    assert played(raw, tmp_path, plane, monitors_record="r1").failures == ()
    assert looked(raw)["drifted"] == []

    assert played(raw, tmp_path, plane, monitors_state="absent").failures == ()
    assert looked(raw)["enabled"] is False
