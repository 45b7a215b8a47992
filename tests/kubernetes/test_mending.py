"""Objects that were deleted or edited by hand come back as they were; two clusters; hands off."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from lab.kubernetes import demo
from tests.kubernetes.site import Site, until

pytestmark = pytest.mark.kubernetes

DAEMONS = "app in (rook-ceph-mon,rook-ceph-mgr,rook-ceph-osd)"
BUDGETS = ["rook-ceph-mgr-pdb", "rook-ceph-mon-pdb", "rook-ceph-osd"]
CONFIG, OVERRIDE = "secret/rook-ceph-config", "configmap/rook-config-override"
ENDPOINTS = "configmap/rook-ceph-mon-endpoints"
SKIP = "ceph.rook.io/do-not-reconcile"
SECONDS = 240.0
CLUSTER = "cephcluster/rook-ceph"


def pods(site: Site, selector: str = DAEMONS) -> dict[str, str]:
    """The uid of each pod that is to stay."""
    found = (one["metadata"] for one in site.get("pods", "--selector", selector)["items"])
    return {one["name"]: one["uid"] for one in found if "deletionTimestamp" not in one}


def patch(site: Site, name: str, **body: Any) -> None:
    words = ("patch", *name.split("/"), "--type", "merge", "--patch", json.dumps(body))
    site.kubectl(*words)


def there(site: Site, name: str) -> bool:
    kind, _slash, own = name.partition("/")
    return own in site.names(kind)


def quiet(site: Site) -> None:
    """No pass is at work or due: what comes next is an answer to what is done next."""
    seen = [-1.0, 0.0]

    def still() -> bool:
        seen.append(site.passes())
        return len(set(seen[-4:])) == 1

    until(still, SECONDS, "the operator is quiet")


@pytest.fixture(scope="module", autouse=True)
def budgeted(built: Site) -> Iterator[None]:
    """The cluster has disruption budgets."""
    patch(built, CLUSTER, spec={"disruptionManagement": {"managePodBudgets": True}})
    until(lambda: set(BUDGETS) <= set(built.names("poddisruptionbudgets")), SECONDS, "budgets")
    built.healthy()
    quiet(built)
    yield
    patch(built, CLUSTER, spec={"disruptionManagement": {"managePodBudgets": None}})
    built.healthy()


def test_what_was_deleted_comes_back_and_no_daemon_starts_again(built: Site) -> None:
    before = pods(built)
    mon = built.names("services", "app=rook-ceph-mon")[-1]
    names = [
        f"services/{mon}",
        "services/rook-ceph-mgr",
        "poddisruptionbudgets/rook-ceph-osd",
        "poddisruptionbudgets/rook-ceph-mon-pdb",
        "configmaps/rook-config-override",
        "secrets/rook-ceph-config",
        "endpointslices/rook-ceph-active-mons-ipv4",
    ]
    address = built.get(f"service/{mon}")["spec"]["clusterIP"]
    config = built.get(CONFIG)["data"]
    for name in names:
        built.kubectl("delete", name)
    for name in names:
        until(lambda name=name: there(built, name), SECONDS, f"{name} is back")  # type: ignore[misc]
    assert built.get(f"service/{mon}")["spec"]["clusterIP"] == address
    assert built.get(CONFIG)["data"] == config
    assert built.get(OVERRIDE)["data"] == {"config": ""}
    assert pods(built) == before
    built.healthy()


def test_what_was_edited_is_as_it_was(built: Site) -> None:
    before = pods(built)
    mon = built.names("services", "app=rook-ceph-mon")[0]
    was = {
        name: built.get(name)["spec"]
        for name in (f"service/{mon}", "service/rook-ceph-mgr", "pdb/rook-ceph-osd")
    }
    wrong = {"app": "nobody"}
    patch(built, f"service/{mon}", spec={"selector": wrong})
    patch(built, "service/rook-ceph-mgr", spec={"selector": wrong})
    patch(built, "pdb/rook-ceph-osd", spec={"maxUnavailable": 3})
    patch(built, CONFIG, stringData={"mon_host": "[v2:192.0.2.1:3300]"})
    hosts = built.get(CONFIG)["data"]["mon_host"]
    for name, spec in was.items():
        until(lambda n=name, s=spec: built.get(n)["spec"] == s, SECONDS, name)  # type: ignore[misc]
    until(lambda: built.get(CONFIG)["data"]["mon_host"] != hosts, SECONDS, CONFIG)
    assert pods(built) == before
    built.healthy()


def test_the_map_of_mons_is_made_again_from_what_is_there(built: Site) -> None:
    before, data = pods(built), built.get(ENDPOINTS)["data"]
    patch(built, ENDPOINTS, metadata={"finalizers": None})
    built.kubectl("delete", *ENDPOINTS.split("/"))
    until(lambda: there(built, "configmaps/rook-ceph-mon-endpoints"), SECONDS, "the map is back")
    until(lambda: built.get(ENDPOINTS)["data"] == data, SECONDS, "the map is as it was")
    assert pods(built) == before
    built.healthy()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("mgr", marks=pytest.mark.long),
        "osd",
    ],
)
def test_a_deployment_that_was_deleted_or_edited_runs_again(built: Site, kind: str) -> None:
    name = built.names("deployments", f"app=rook-ceph-{kind}")[-1]
    was = built.get(f"deployment/{name}")
    others = {pod: uid for pod, uid in pods(built).items() if not pod.startswith(name)}
    built.kubectl("delete", "deployment", name)
    until(lambda: there(built, f"deployments/{name}"), SECONDS, f"{name} is back")
    built.kubectl("rollout", "status", f"deployment/{name}", "--timeout=360s", timeout=400)
    assert built.get(f"deployment/{name}")["spec"] == was["spec"]
    built.healthy()
    patch(built, f"deployment/{name}", spec={"replicas": 0})
    until(lambda: built.get(f"deployment/{name}")["spec"]["replicas"] == 1, SECONDS, name)
    built.kubectl("rollout", "status", f"deployment/{name}", "--timeout=360s", timeout=400)
    built.healthy()
    assert {pod: uid for pod, uid in pods(built).items() if not pod.startswith(name)} == others


def test_a_deployment_with_the_label_is_left_as_it_is(built: Site) -> None:
    name = built.names("deployments", "app=rook-ceph-mgr")[-1]
    patch(built, f"deployment/{name}", metadata={"labels": {SKIP: ""}})
    patch(built, f"deployment/{name}", spec={"replicas": 0})
    quiet(built)
    assert built.get(f"deployment/{name}")["spec"]["replicas"] == 0
    patch(built, f"deployment/{name}", metadata={"labels": {SKIP: None}})
    until(lambda: built.get(f"deployment/{name}")["spec"]["replicas"] == 1, SECONDS, name)
    built.healthy()


def test_a_cluster_with_the_label_is_left_as_it_is(built: Site) -> None:
    patch(built, CLUSTER, metadata={"labels": {SKIP: ""}})
    until(lambda: told(built, "ReconcileSkipped"), SECONDS, "the event says so")
    built.kubectl("delete", "service", "rook-ceph-mgr")
    quiet(built)
    assert not there(built, "services/rook-ceph-mgr")
    patch(built, CLUSTER, metadata={"labels": {SKIP: None}})
    until(lambda: there(built, "services/rook-ceph-mgr"), SECONDS, "the Service is back")
    built.healthy()


def told(site: Site, reason: str) -> bool:
    return any(one["reason"] == reason for one in site.get("events")["items"])


def test_two_clusters_in_a_namespace_harm_neither(built: Site) -> None:
    before = pods(built)
    spec = built.get(CLUSTER)["spec"]
    identity = built.get("secret/rook-ceph-mon")["data"]
    second = {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {"name": "another", "namespace": demo.NAMESPACE},
        "spec": {**spec, "cleanupPolicy": {"confirmation": "yes-really-destroy-data"}},
    }
    built.kubectl("apply", "--filename", "-", stdin=json.dumps(second))
    for name, other in (("rook-ceph", "another"), ("another", "rook-ceph")):
        until(lambda n=name, o=other: complains(built, n, o), SECONDS, name)  # type: ignore[misc]
    built.kubectl("delete", "cephcluster", "another", "--timeout=180s", timeout=200)
    until(lambda: not complains(built, "rook-ceph", "another"), SECONDS, "the first one goes on")
    built.healthy()
    assert pods(built) == before
    assert built.get("secret/rook-ceph-mon")["data"] == identity
    assert built.get("jobs")["items"] == []


def complains(site: Site, name: str, other: str) -> bool:
    message = (site.get(f"cephcluster/{name}").get("status") or {}).get("message", "")
    return f"the namespace has other CephClusters too: {other}" in message
