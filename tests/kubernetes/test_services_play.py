"""The play of what runs beside daemons, by real Ansible against a real API server.

Nothing here asks Ceph: what needs a user of it is only taken away.
"""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import kubernetes_api

from lab.kubernetes.plane import ControlPlane
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome
from tests.kubernetes import plays

pytestmark = pytest.mark.kubernetes

NODES = (HostName("node-a"), HostName("node-b"))


@pytest.fixture
def raw(control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", str(control_plane.kubeconfig))
    namespace = f"play-{uuid.uuid4().hex[:8]}"
    client = kubernetes_api.Api(namespace)
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    yield {
        "metadata": {"name": "demo", "namespace": namespace, "uid": ""},
        "spec": {"cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"}},
    }
    client.delete("Namespace", namespace)


def played(raw: dict[str, Any], folder: Path, plane: ControlPlane, **own: Any) -> Outcome:
    """Run the play for the nodes, as the operator does."""
    given = {"host_services": sorted({name.partition("_")[0] for name in own}), **own}
    return plays.services(raw, folder, plane, dict.fromkeys(NODES, given))


def test_the_plays_of_the_namespace_are_made_and_taken_away(
    raw: dict[str, Any], control_plane: ControlPlane, tmp_path: Path
) -> None:
    api = kubernetes_api.Api(raw["metadata"]["namespace"])
    about = {"budgets_draining": "", "budgets_most": 1, "budgets_record": "r"}
    drivers = {"csi_users": False, "csi_record": "r"}
    gone = {"crash_state": "absent", "exporter_state": "absent"}
    outcome = played(raw, tmp_path, control_plane, **about, **drivers, **gone)
    assert outcome.failures == ()
    assert outcome.ok
    (budget,) = api.list("PodDisruptionBudget")
    assert (budget["metadata"]["name"], budget["spec"]["maxUnavailable"]) == ("rook-ceph-osd", 1)
    stored = api.get("ConfigMap", "rook-ceph-csi-config") or {}
    (entry,) = json.loads(stored["data"]["csi-cluster-config-json"])
    assert entry["clusterID"] == raw["metadata"]["namespace"]
    again = played(raw, tmp_path, control_plane, budgets_state="absent", **gone)
    assert again.failures == ()
    assert api.list("PodDisruptionBudget") == []


def test_a_play_that_needs_a_user_of_ceph_says_that_there_is_none(
    raw: dict[str, Any], control_plane: ControlPlane, tmp_path: Path
) -> None:
    outcome = played(raw, tmp_path, control_plane, crash_state="present")
    assert not outcome.ok
    assert {one.task for one in outcome.failures} == {"Say why there is no key"}
    api = kubernetes_api.Api(raw["metadata"]["namespace"])
    assert api.list("Deployment") == []
