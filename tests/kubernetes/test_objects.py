"""The objects of a cluster on a real API server: made, left alone, repaired, taken away."""

import base64
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_absence,
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_daemons,
    kubernetes_desired,
    kubernetes_drift,
    kubernetes_identity,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import (
    ceph_kubernetes_daemon,
    ceph_kubernetes_identity,
    ceph_kubernetes_keyring,
    ceph_kubernetes_quorum,
    ceph_kubernetes_restart,
    ceph_kubernetes_service,
)

from lab.kubernetes.plane import ControlPlane

pytestmark = pytest.mark.kubernetes

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
KEYS = {"mon_key": "TU9O", "admin_key": "QURNSU4="}


@pytest.fixture
def raw(control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A CephCluster in a namespace of its own; it is no object, so it owns nothing."""
    monkeypatch.setenv("K8S_AUTH_KUBECONFIG", str(control_plane.kubeconfig))
    monkeypatch.delenv("CEPH_CONF", raising=False)
    namespace = f"objects-{uuid.uuid4().hex[:8]}"
    client = kubernetes_api.Api(namespace)
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    yield {
        "metadata": {"name": "demo", "namespace": namespace},
        "spec": {
            "cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"},
            "mon": {"count": 3},
            "mgr": {"count": 2},
            "dashboard": {"enabled": True, "ssl": True},
            "disruptionManagement": {"managePodBudgets": True},
            "resources": {"mon": {"limits": {"cpu": "0.5", "memory": "1024Mi"}}},
        },
    }
    client.delete("Namespace", namespace)


@pytest.fixture
def api(raw: dict[str, Any]) -> kubernetes_api.Api:
    return kubernetes_api.Api(raw["metadata"]["namespace"])


def identity(raw: dict[str, Any], **more: Any) -> dict[str, Any]:
    mons = [{"name": name, "host": f"node-{name}", "address": ""} for name in "abc"]
    parameters = {"cluster": raw, "fsid": FSID, **KEYS, "mons": mons, **more}
    return ceph_kubernetes_identity._written(parameters, check=False)


def daemons(raw: dict[str, Any], *wanted: dict[str, Any], node: str = "node-a") -> dict[str, Any]:
    parameters = {
        "cluster": raw,
        "node": node,
        "fsid": FSID,
        "conf": {"osd": {"crush_location": "root=default host=node-a"}},
        "daemons": list(wanted),
        "files": [{"path": "/x/activate", "content": "print()"}],
        "wait": 0.0,
    }
    return ceph_kubernetes_daemon._kept(parameters, check=False)


MON = {"type": "mon", "id": "a", "record": "r1", "settings": {"public_addr": "10.96.0.9"}}
MGR = {"type": "mgr", "id": "a", "record": "r2"}
OSD = {
    "type": "osd",
    "id": 3,
    "record": "r3",
    "before_start": [{"argv": ["/x/activate", "--id=3"], "creates": "/y"}],
    "about": {"uuid": "u-3", "path": "/dev/sdb", "device_class": "hdd"},
}


def test_an_identity_is_made_once_and_never_replaced(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    first = identity(raw)
    addresses = {name: mon["address"] for name, mon in first["mons"].items()}
    assert len(set(addresses.values())) == 3
    again = identity(raw)
    assert again["written"] == []
    assert {name: mon["address"] for name, mon in again["mons"].items()} == addresses
    with pytest.raises(Exception, match="another key of mon"):
        identity(raw, mon_key="T1RIRVI=")
    with pytest.raises(Exception, match="belongs to the cluster"):
        identity(raw, fsid=str(uuid.uuid4()))
    stored = api.get("Secret", "rook-ceph-mon")
    assert stored is not None
    assert stored["type"] == "kubernetes.io/rook"
    assert base64.b64decode(stored["data"]["fsid"]).decode() == FSID
    assert "annotations" not in stored["metadata"]


def test_a_lost_service_comes_back_with_its_address(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    address = identity(raw)["mons"]["b"]["address"]
    api.delete("Service", "rook-ceph-mon-b")
    assert identity(raw)["mons"]["b"]["address"] == address
    service = api.get("Service", "rook-ceph-mon-b")
    assert service is not None
    assert service["spec"]["clusterIP"] == address


def test_a_quorum_is_noted_and_stays_so(raw: dict[str, Any], api: kubernetes_api.Api) -> None:
    identity(raw)
    noted = ceph_kubernetes_quorum._noted({"cluster": raw, "mons": ["a", "c"]}, check=False)
    assert (noted["changed"], noted["highest"]) == (True, 2)
    less = ceph_kubernetes_quorum._noted({"cluster": raw, "mons": ["a"]}, check=False)
    assert (less["changed"], less["highest"]) == (False, 2)
    stored = api.get("ConfigMap", "rook-ceph-mon-endpoints") or {}
    assert kubernetes_identity.read_map(stored["data"]).formed
    assert stored["metadata"]["finalizers"] == ["ceph.rook.io/disaster-protection"]


def test_daemons_that_are_as_described_are_not_written(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    made = daemons(raw, MON, MGR, OSD)
    assert made["changed"]
    before = versions(api)
    assert {"rook-ceph-mon-a", "rook-ceph-mgr-a", "rook-ceph-osd-3"} <= set(before)
    assert daemons(raw, MON, MGR, OSD)["actions"] == []
    assert versions(api) == before
    assert [kubernetes_drift.edited(one) for one in api.list("Deployment")] == [[], [], []]
    assert {one["metadata"]["name"] for one in api.list("PodDisruptionBudget")} == {
        "rook-ceph-mgr-pdb",
        "rook-ceph-mon-pdb",
    }


def versions(api: kubernetes_api.Api) -> dict[str, str]:
    kinds = ("Deployment", "Service", "Secret", "PodDisruptionBudget")
    return {
        one["metadata"]["name"]: one["metadata"]["resourceVersion"]
        for kind in kinds
        for one in api.list(kind)
    }


def test_an_edit_by_hand_is_seen_and_undone(raw: dict[str, Any], api: kubernetes_api.Api) -> None:
    daemons(raw, MON)
    live = api.get("Deployment", "rook-ceph-mon-a")
    assert live is not None
    live["spec"]["replicas"] = 0
    api.replace(live)
    cluster = kubernetes_cluster.parse(raw)
    known = kubernetes_daemons.Known(
        cluster=cluster,
        identity=kubernetes_identity.Identity(fsid=FSID),
        mons=kubernetes_identity.MonMap(),
        deployments=api.list("Deployment"),
        budgets={one["metadata"]["name"]: one for one in api.list("PodDisruptionBudget")},
    )
    (seen,) = kubernetes_daemons.of_node(known, "node-a", first=False)
    assert seen["drifted"] == ["Deployment rook-ceph-mon-a was edited: spec.replicas"]
    assert daemons(raw, MON)["actions"] == ["change Deployment rook-ceph-mon-a"]
    repaired = api.get("Deployment", "rook-ceph-mon-a")
    assert repaired is not None
    assert repaired["spec"]["replicas"] == 1


def test_what_a_preparation_told_is_consumed(
    raw: dict[str, Any], api: kubernetes_api.Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    kept = kubernetes_api.Api.delete

    def delete(self: kubernetes_api.Api, kind: str, name: str, uid: str = "") -> bool:
        seen.append((self.get(kind, name) or {}).get("data"))
        return kept(self, kind, name, uid)

    monkeypatch.setattr(kubernetes_api.Api, "delete", delete)
    daemons(raw, OSD)
    (data,) = seen
    told = json.loads(data["status"])
    assert (told["status"], told["osds"][0]["id"], told["osds"][0]["uuid"]) == (
        "completed",
        3,
        "u-3",
    )
    assert told["osds"][0]["location"] == "root=default host=node-a"
    assert api.get("ConfigMap", "rook-ceph-osd-node-a-status") is None


def test_an_osd_that_may_not_be_stopped_keeps_its_pods(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    daemons(raw, OSD)
    newer = {**raw, "spec": {**raw["spec"], "cephVersion": {"image": "quay.io/ceph/ceph:v21"}}}
    held = daemons(newer, {**OSD, "restart": False})
    assert (held["actions"], held["waiting"]) == ([], ["osd.3"])
    allowed = daemons(newer, {**OSD, "restart": True})
    assert allowed["actions"] == ["change Deployment rook-ceph-osd-3"]
    assert allowed["daemons"][0]["restarted"]


def test_a_deployment_that_is_to_be_left_alone_is(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    daemons(raw, MON)
    live = api.get("Deployment", "rook-ceph-mon-a")
    assert live is not None
    live["metadata"]["labels"]["ceph.rook.io/do-not-reconcile"] = "true"
    live["spec"]["replicas"] = 0
    api.replace(live)
    assert daemons(raw, MON)["actions"] == []


def test_a_mon_that_goes_for_good_takes_its_service_and_place(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    identity(raw)
    daemons(raw, MON)
    cluster = kubernetes_cluster.parse(raw)
    kept = kubernetes_absence.take_away(api, cluster, [{"type": "mon", "id": "a"}], 0.0)
    assert kept == ["delete Deployment rook-ceph-mon-a"]
    assert api.get("Service", "rook-ceph-mon-a")
    gone = [{"type": "mon", "id": "a", "data": "aside"}]
    kubernetes_absence.take_away(api, cluster, gone, 0.0)
    assert api.get("Service", "rook-ceph-mon-a") is None
    stored = api.get("ConfigMap", "rook-ceph-mon-endpoints") or {}
    assert set(kubernetes_identity.read_map(stored["data"]).mons) == {"b", "c"}
    config = kubernetes_identity.values(api.get("Secret", "rook-ceph-config"))
    assert config["mon_initial_members"] == "b,c"


def test_the_dashboards_service_goes_with_the_dashboard(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    daemons(raw, MGR)
    assert api.get("Service", "rook-ceph-mgr-dashboard")
    password = kubernetes_identity.values(api.get("Secret", "rook-ceph-dashboard-password"))
    assert len(password["password"]) == 20
    off = {**raw, "spec": {**raw["spec"], "dashboard": {"enabled": False}}}
    daemons(off, MGR)
    assert api.get("Service", "rook-ceph-mgr-dashboard") is None


def services(raw: dict[str, Any], node: str, state: str = "present") -> list[str]:
    wanted = [{"name": name, "state": state, "record": "r"} for name in ("crash", "exporter")]
    parameters = {"cluster": raw, "node": node, "services": wanted}
    found: list[str] = ceph_kubernetes_service._kept(parameters, check=False)["actions"]
    return found


def test_what_nodes_run_beside_daemons_is_made_repaired_and_taken_away(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    assert services(raw, "node-a") == [
        "create Deployment rook-ceph-crashcollector-node-a",
        "create Deployment rook-ceph-exporter-node-a",
        "create Service rook-ceph-exporter",
    ]
    services(raw, "node-b")
    assert services(raw, "node-a") == services(raw, "node-b") == []
    limits = {"exporter": {"limits": {"cpu": "0.1", "memory": "128Mi"}}}
    changed = {**raw, "spec": {**raw["spec"], "resources": limits}}
    assert services(changed, "node-a") == ["change Deployment rook-ceph-exporter-node-a"]
    assert services(changed, "node-a") == []
    live = api.get("Deployment", "rook-ceph-crashcollector-node-a")
    assert live is not None
    live["metadata"]["labels"]["ceph.rook.io/do-not-reconcile"] = "true"
    live["spec"]["replicas"] = 0
    api.replace(live)
    assert services(changed, "node-a") == []
    services(changed, "node-a", "absent")
    assert api.get("Service", "rook-ceph-exporter")
    assert "delete Service rook-ceph-exporter" in services(changed, "node-b", "absent")
    assert api.list("Deployment") == []


def test_a_deleted_clusters_services_go_with_its_daemons(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    daemons(raw, MON)
    services(raw, "node-a")
    gone = {**raw, "metadata": {**raw["metadata"], "deletionTimestamp": "2030-01-02T03:04:05Z"}}
    done = daemons(gone, {**MON, "state": "absent"})["actions"]
    assert done == [
        "delete Deployment rook-ceph-mon-a",
        "delete Deployment rook-ceph-crashcollector-node-a",
        "delete Deployment rook-ceph-exporter-node-a",
    ]
    assert api.list("Deployment") == []


def keyrings(raw: dict[str, Any], *entries: dict[str, str]) -> dict[str, Any]:
    return ceph_kubernetes_keyring._kept({"cluster": raw, "keyrings": list(entries)}, check=False)


def test_drivers_find_their_users_and_the_mons(
    raw: dict[str, Any], api: kubernetes_api.Api
) -> None:
    addresses = [mon["address"] for mon in identity(raw)["mons"].values()]
    user = {"entity": "client.csi-rbd-node", "key": "S0VZ", "state": "present"}
    assert keyrings(raw, user)["written"] == ["rook-csi-rbd-node"]
    assert keyrings(raw, user)["written"] == []
    stored = api.get("Secret", "rook-csi-rbd-node")
    assert kubernetes_identity.values(stored) == {"userID": "csi-rbd-node", "userKey": "S0VZ"}
    csi = {"cluster": raw, "node": "node-a", "services": [{"name": "csi", "record": "r"}]}
    made = ceph_kubernetes_service._kept(csi, check=False)
    assert made["actions"] == [
        "create EndpointSlice rook-ceph-active-mons-ipv4",
        "create ConfigMap rook-ceph-csi-config",
    ]
    slices = api.get("EndpointSlice", "rook-ceph-active-mons-ipv4") or {}
    assert [one["addresses"] for one in slices["endpoints"]] == [[one] for one in addresses]
    assert ceph_kubernetes_service._kept(csi, check=False)["actions"] == []
    found = api.get("ConfigMap", "rook-ceph-csi-config") or {}
    (entry,) = json.loads(found["data"]["csi-cluster-config-json"])
    assert entry["monitors"] == [f"{address}:6789" for address in addresses]
    assert keyrings(raw, {**user, "state": "absent"})["removed"] == ["rook-csi-rbd-node"]


def budgets(raw: dict[str, Any], state: str = "present", **about: Any) -> list[str]:
    asked = {"name": "budgets", "state": state, "record": "r", "about": {"level": "host", **about}}
    parameters = {"cluster": raw, "node": "node-a", "services": [asked]}
    found: list[str] = ceph_kubernetes_service._kept(parameters, check=False)["actions"]
    return found


def of_osds(api: kubernetes_api.Api) -> dict[str, int]:
    found = api.list("PodDisruptionBudget")
    return {one["metadata"]["name"]: one["spec"]["maxUnavailable"] for one in found}


def test_budgets_of_osds_follow_a_drain(raw: dict[str, Any], api: kubernetes_api.Api) -> None:
    budgets(raw, draining="", most=1)
    assert of_osds(api) == {"rook-ceph-osd": 1}
    assert budgets(raw, draining="", most=1) == []
    drained = {"draining": "node-a", "most": 0, "domains": ["node-b", "node-c"], "noout": True}
    budgets(raw, **drained)
    assert of_osds(api) == {"rook-ceph-osd-host-node-b": 0, "rook-ceph-osd-host-node-c": 0}
    noted = (api.get("ConfigMap", "rook-ceph-pdbstatemap") or {})["data"]
    assert (noted["draining-failure-domain"], noted["set-no-out"]) == ("node-a", "true")
    assert budgets(raw, **drained) == []
    budgets(raw, draining="", most=2)
    assert of_osds(api) == {"rook-ceph-osd": 2}
    budgets(raw, "absent")
    assert of_osds(api) == {}
    assert api.get("ConfigMap", "rook-ceph-pdbstatemap") is None


def test_a_daemon_starts_again_by_a_new_pod(raw: dict[str, Any], api: kubernetes_api.Api) -> None:
    daemons(raw, MON)
    labels = kubernetes_cluster.selector(kubernetes_cluster.parse(raw), "mon", "a")
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "mons"}}
    api.create(account)
    pod = {
        "serviceAccountName": "mons",
        "automountServiceAccountToken": False,
        "containers": [{"name": "mon", "image": "x"}],
    }
    for name, own in (("mine", labels), ("other", {**labels, "mon": "b"})):
        metadata = {"name": name, "labels": own}
        api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})
    asked = {"cluster": raw, "daemons": [{"type": "mon", "id": "a"}], "wait": 0.0}
    told = ceph_kubernetes_restart._restarted(asked, check=True)
    assert told["actions"][0] == "delete Pod mine"
    assert api.get("Pod", "mine")
    ceph_kubernetes_restart._restarted(asked, check=False)
    assert api.get("Pod", "mine") is None
    assert api.get("Pod", "other")


def test_objects_that_all_daemons_share_are_few() -> None:
    raw = {"metadata": {"name": "c", "namespace": "n"}, "spec": {"mon": {"count": 3}}}
    found = kubernetes_desired.shared(kubernetes_cluster.parse(raw), {"mon", "mgr"}, "policy/v1")
    assert [one["metadata"]["name"] for one in found] == ["rook-ceph-mgr"]
