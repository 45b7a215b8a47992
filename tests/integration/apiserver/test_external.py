"""A cluster made elsewhere: connected with its health, nothing deployed, nothing of it deleted."""

from typing import Any

from orchestrator.stores.kubernetes.connection import CONFIG_MAP, SECRET, SERVICE, Kind
from orchestrator.stores.kubernetes.external_metrics import ENDPOINTS
from tests.fakes.operators import Scripted
from tests.integration.apiserver.site import Site
from tests.waiting import eventually

FSID = "4775d533-ceb4-44b1-bd6d-0ebf5e7f5f33"
ANSWER = {
    "fsid": FSID,
    "quorum_names": ["a"],
    "mons": [{"name": "a", "rank": 0, "addrs": ["[v2:10.9.0.1:3300]"]}],
    "status": {"health": {"status": "HEALTH_WARN", "checks": {}}},
    "versions": {"mon": {"ceph version 19.2.1 (abc) squid (stable)": 1}},
}


def imported(site: Site) -> None:
    """What Rook's import script makes."""
    secret: dict[str, Any] = {"stringData": {"fsid": FSID, "ceph-username": "client.healthchecker"}}
    bodies: tuple[tuple[Kind, str, dict[str, Any]], ...] = (
        (SECRET, "rook-ceph-mon", secret),
        (CONFIG_MAP, "rook-ceph-mon-endpoints", {"data": {"data": "a=10.9.0.1:3300"}}),
        (SECRET, "mine", {}),
    )
    for kind, name, more in bodies:
        meta = {"name": name, "namespace": site.namespace}
        body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": meta, **more}
        site.connection.create(kind, body)


def answering(runner: Scripted) -> None:
    runner.answer = ANSWER


def test_it_is_connected_and_looked_at_and_nothing_is_deployed(site: Site) -> None:
    site.runners.prepare = answering
    imported(site)
    with site.managed():
        site.apply(external={"enable": True})
        eventually(lambda: site.status().get("phase") == "Connected")

        found = site.status()
        assert found["state"] == "Connected"
        assert found["message"] == "Cluster connected successfully"
        assert found["ceph"]["health"] == "HEALTH_WARN"
        assert found["ceph"]["fsid"] == FSID
        assert found["version"]["version"] == "19.2.1-0"
        assert found["observedGeneration"] == 1
        assert site.condition("Connected")["reason"] == "ClusterConnected"
        assert site.condition("Connecting") == {}
        assert site.runner().machines.runs == []


MONITORED = {"enabled": True, "externalMgrEndpoints": [{"ip": "10.9.0.1"}], "interval": "20s"}


def metrics(site: Site) -> tuple[Any, Any]:
    """The Service and the Endpoints, as far as they lead somewhere."""
    service = site.connection.get(SERVICE, site.namespace, "rook-ceph-mgr-external")
    found = site.connection.get(ENDPOINTS, site.namespace, "rook-ceph-mgr-external")
    ports = [(one["name"], one["port"]) for one in service["spec"]["ports"]] if service else None
    subsets = (found or {}).get("subsets") or ()
    return ports, [one["ip"] for part in subsets for one in part["addresses"]]


def passed(site: Site) -> None:
    before = site.passes("converged")
    site.label("c1", again=str(before))
    eventually(lambda: site.passes("converged") > before)


def test_prometheus_is_led_to_its_mgrs_and_follows_the_active_one(site: Site) -> None:
    site.runners.prepare = answering
    imported(site)
    with site.managed():
        site.apply(external={"enable": True}, monitoring=MONITORED)
        eventually(lambda: site.passes("converged"))
        port = ("http-external-metrics", 9283)
        assert metrics(site) == ([port], ["10.9.0.1"])
        service = site.connection.get(SERVICE, site.namespace, "rook-ceph-mgr-external") or {}
        assert service["metadata"]["labels"]["app"] == "rook-ceph-mgr"
        assert service["metadata"]["ownerReferences"][0]["uid"] == site.get()["metadata"]["uid"]
        assert "selector" not in service["spec"]
        assert site.condition("Connected")["status"] == "True"
        (warning,) = (one for one in site.events() if one[0] == "Warning")
        assert warning[1] == "ServiceMonitorsNotServed"

        mgr = {"available": True, "active": "b", "address": "10.9.0.2"}
        site.runner().answer = {**ANSWER, "mgr": mgr}
        passed(site)
        assert metrics(site) == ([port], ["10.9.0.2"])
        version = service["metadata"]["resourceVersion"]
        again = site.connection.get(SERVICE, site.namespace, "rook-ceph-mgr-external") or {}
        assert again["metadata"]["resourceVersion"] == version

        site.apply(monitoring={"enabled": False})
        eventually(lambda: metrics(site) == (None, []))


def test_the_service_of_somebody_else_is_not_taken_away(site: Site) -> None:
    site.runners.prepare = answering
    imported(site)
    meta = {"name": "rook-ceph-mgr-external", "namespace": site.namespace}
    body = {"apiVersion": "v1", "kind": "Service", "metadata": meta}
    site.connection.create(SERVICE, {**body, "spec": {"ports": [{"name": "x", "port": 1}]}})
    with site.managed():
        site.apply(external={"enable": True})
        eventually(lambda: site.passes("converged"))
        assert metrics(site) == ([("x", 1)], [])


def test_one_that_does_not_answer_is_told_and_tried_again(site: Site) -> None:
    with site.managed():
        site.apply(external={"enable": True})
        eventually(lambda: site.passes("failed"))

        assert "Secret rook-ceph-mon must hold fsid" in site.status()["message"]
        assert site.runner().machines.runs == []
        site.runner().answer = ANSWER
        eventually(lambda: site.status()["phase"] == "Connected")


def test_its_deletion_removes_the_way_to_it_alone(site: Site) -> None:
    site.runners.prepare = answering
    imported(site)
    with site.managed():
        site.apply(external={"enable": True})
        eventually(lambda: site.status().get("phase") == "Connected")
        runner = site.runner()
        site.delete()
        eventually(lambda: not site.get())

        assert site.connection.get(SECRET, site.namespace, "rook-ceph-mon") is None
        assert site.connection.get(CONFIG_MAP, site.namespace, "rook-ceph-mon-endpoints") is None
        assert site.connection.get(SECRET, site.namespace, "mine")
        assert runner.machines.runs == []
