"""A whole cluster on real nodes: built, used, left alone, repaired and grown."""

from typing import Any

import pytest

from lab.kubernetes import cluster
from lab.kubernetes.cluster import Cluster
from tests.kubernetes.site import Site, until

pytestmark = pytest.mark.kubernetes

MONS, MGRS, OSDS = 3, 2, 6


def running(site: Site) -> dict[str, tuple[str, int]]:
    """The uid of every Deployment, and how often its spec was changed."""
    return {
        one["metadata"]["name"]: (one["metadata"]["uid"], one["metadata"]["generation"])
        for one in site.get("deployments")["items"]
    }


def pods(site: Site) -> dict[str, str]:
    """The uid of every pod of Ceph that is to stay."""
    found = site.get("pods", "--selector", "rook_cluster=rook-ceph,!job-name")["items"]
    return {one["metadata"]["name"]: one["metadata"]["uid"] for one in found}


def in_quorum(site: Site) -> list[str]:
    return sorted(site.ceph("quorum_status")["quorum_names"])


def test_the_manifest_becomes_a_healthy_cluster(built: Site):
    status = built.get("cephcluster/rook-ceph")["status"]
    assert (status["state"], status["phase"]) == ("Created", "Ready")
    assert status["ceph"]["health"] == "HEALTH_OK"
    assert status["version"]["version"] == "20.2.4-0"
    assert built.ceph("status")["fsid"] == status["ceph"]["fsid"]


def test_daemons_are_deployments_with_rooks_names(built: Site):
    assert built.names("deployments", "app=rook-ceph-mon") == [
        "rook-ceph-mon-a",
        "rook-ceph-mon-b",
        "rook-ceph-mon-c",
    ]
    assert built.names("deployments", "app=rook-ceph-mgr") == ["rook-ceph-mgr-a", "rook-ceph-mgr-b"]
    assert built.names("deployments", "app=rook-ceph-osd") == [
        f"rook-ceph-osd-{number}" for number in range(OSDS)
    ]
    mons = built.get("pods", "--selector", "app=rook-ceph-mon")["items"]
    assert len({one["spec"]["nodeName"] for one in mons}) == MONS


def test_ceph_agrees(built: Site):
    assert in_quorum(built) == ["a", "b", "c"]
    osds = built.ceph("osd", "stat")
    assert (osds["num_osds"], osds["num_up_osds"], osds["num_in_osds"]) == (OSDS, OSDS, OSDS)
    assert built.ceph("mgr", "stat")["available"] is True


def test_the_service_of_the_mgrs_leads_to_the_active_one(built: Site):
    active = built.ceph("mgr", "stat")["active_name"]
    (pod,) = built.get("pods", "--selector", "app=rook-ceph-mgr,mgr_role=active")["items"]
    assert pod["metadata"]["labels"]["mgr"] == active


def test_nothing_privileged_stays_behind_after_the_disks_are_prepared(built: Site):
    assert built.get("jobs", "--selector", "app=rook-ceph-osd-prepare")["items"] == []
    until(lambda: prepare_pods(built) == [], 90, "the pods of the Jobs are gone with them")


def prepare_pods(site: Site) -> list[Any]:
    pods: list[Any] = site.get("pods", "--selector", "app=rook-ceph-osd-prepare")["items"]
    return pods


def test_a_client_that_knows_rooks_secrets_alone_writes_and_reads(built: Site):
    built.toolbox("ceph", "osd", "pool", "create", "bench", "8")
    built.toolbox("ceph", "osd", "pool", "application", "enable", "bench", "rados")
    said = built.toolbox("rados", "bench", "--pool", "bench", "5", "write", "--no-cleanup")
    assert figure(said, "Total writes made") > 0
    assert figure(built.toolbox("rados", "bench", "--pool", "bench", "5", "seq"), "Total reads") > 0
    destroy = ("ceph", "osd", "pool", "rm", "bench", "bench", "--yes-i-really-really-mean-it")
    built.toolbox(*destroy)


def figure(said: str, name: str) -> float:
    line = next(line for line in said.splitlines() if line.startswith(name))
    return float(line.rpartition(":")[2])


def test_an_operator_that_starts_anew_finds_the_cluster_and_changes_nothing(built: Site):
    before, daemons = running(built), pods(built)
    secret = built.get("secret/rook-ceph-mon")["data"]
    (old,) = built.names("pods", "app=rook-ceph-operator")
    built.kubectl("delete", "pod", old)
    built.kubectl(
        "rollout", "status", "deployment/rook-ceph-operator", "--timeout=360s", timeout=400
    )
    until(lambda: built.passes() > 0, 120, "the operator ended a pass")
    assert running(built) == before
    assert pods(built) == daemons
    assert built.get("jobs")["items"] == []
    assert built.get("secret/rook-ceph-mon")["data"] == secret
    built.healthy()


def test_a_mon_deployment_that_was_deleted_comes_back(built: Site):
    uid = built.get("deployment/rook-ceph-mon-b")["metadata"]["uid"]
    address = built.get("service/rook-ceph-mon-b")["spec"]["clusterIP"]
    built.kubectl("delete", "deployment", "rook-ceph-mon-b")
    until(lambda: back(built, uid), 180, "the Deployment is there again")
    until(lambda: in_quorum(built) == ["a", "b", "c"], 180, "all mons are in quorum")
    assert built.get("service/rook-ceph-mon-b")["spec"]["clusterIP"] == address
    built.healthy()


def back(site: Site, gone: str) -> bool:
    found: list[dict[str, Any]] = site.get("deployments", "--selector", "mon=b")["items"]
    return any(one["metadata"]["uid"] != gone for one in found)


def test_a_disk_that_is_added_becomes_an_osd(built: Site, lab: Cluster):
    link = cluster.add_disk(lab, "node-1", None)
    spec = built.get("cephcluster/rook-ceph")["spec"]
    names = [*spec["storage"]["devices"], {"name": link}]
    patch = f'{{"spec": {{"storage": {{"devices": {devices(names)}}}}}}}'
    before = pods(built)
    built.kubectl("patch", "cephcluster", "rook-ceph", "--type", "merge", "--patch", patch)
    until(lambda: built.ceph("osd", "stat")["num_up_osds"] == OSDS + 1, 600, "the OSD is up")
    assert built.names("deployments", "app=rook-ceph-osd")[-1] == f"rook-ceph-osd-{OSDS}"
    assert {name: uid for name, uid in pods(built).items() if name in before} == before
    built.healthy()


def devices(names: list[dict[str, Any]]) -> str:
    return "[" + ", ".join(f'{{"name": "{one["name"]}"}}' for one in names) + "]"
