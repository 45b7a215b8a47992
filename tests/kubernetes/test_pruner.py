"""The CronJob that removes old reports of crashes, by real Ansible against a real API server."""

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_pruner,
)

from lab.kubernetes.plane import ControlPlane
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome
from tests.conftest import NewControlPlane
from tests.kubernetes import plays

pytestmark = pytest.mark.kubernetes

NODE = HostName("node-a")


def manifest(days: int) -> dict[str, Any]:
    return {
        "metadata": {"name": "demo", "namespace": "default", "uid": ""},
        "spec": {
            "cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"},
            "crashCollector": {"daysToRetain": days},
        },
    }


def played(days: int, folder: Path, plane: ControlPlane, **own: Any) -> Outcome:
    hosts = {NODE: {"host_services": ["pruner"], **own}}
    return plays.services(manifest(days), folder, plane, hosts)


def looked(days: int) -> dict[str, Any]:
    """What a look tells of it."""
    cluster = kubernetes_cluster.parse(manifest(days))
    live = kubernetes_api.Api("default").get("CronJob", kubernetes_pruner.OBJECT)
    return kubernetes_pruner.told(cluster, live)


def test_it_follows_the_manifest_and_goes_with_it(
    new_control_plane: NewControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plane = new_control_plane()
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", str(plane.kubeconfig))
    assert looked(30)["enabled"] is False

    assert played(30, tmp_path, plane, pruner_record="r1").failures == ()
    found = looked(30)
    assert (found["record"], found["drifted"]) == ("r1", [])
    again = played(30, tmp_path, plane, pruner_record="r1")
    assert (again.failures, again.changed) == ((), 0)

    assert looked(7)["drifted"] != []
    assert played(7, tmp_path, plane, pruner_record="r1").failures == ()
    assert looked(7)["drifted"] == []
    live = kubernetes_api.Api("default").get("CronJob", kubernetes_pruner.OBJECT) or {}
    pod = live["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["args"] == ["7"]

    assert played(0, tmp_path, plane, pruner_state="absent").failures == ()
    assert looked(0)["enabled"] is False
