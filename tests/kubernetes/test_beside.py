"""What a cluster on nodes has beside its daemons: collectors, clients' Secrets, and drains."""

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kubernetes.site import Site, until

pytestmark = pytest.mark.kubernetes

NODES = ("node-1", "node-2", "node-3")
DRAINED = "node-2"


def available(site: Site, name: str) -> bool:
    status = site.get(f"deployment/{name}")["status"]
    return int(status.get("availableReplicas") or 0) == 1


def test_each_node_collects_crashes_and_none_runs_what_the_image_lacks(built: Site):
    names = [f"rook-ceph-crashcollector-{node}" for node in NODES]
    assert built.names("deployments", "app=rook-ceph-crashcollector") == names
    until(lambda: all(available(built, name) for name in names), 60, "all collectors run")
    assert built.names("deployments", "app=rook-ceph-exporter") == []
    stored = built.get("configmap/rook-ceph-detect-version")["data"]
    assert stored["programs"].split() == ["ceph-crash"]


def test_a_daemon_that_crashes_is_handed_in(built: Site):
    node = built.get("deployment/rook-ceph-osd-0")["spec"]["template"]["spec"]["nodeSelector"]
    before = came_up(built, 0)
    built.kubectl("exec", "deployment/rook-ceph-osd-0", "-c", "osd", "--", "sh", "-c", "kill -6 1")
    until(lambda: came_up(built, 0) > before, 60, "it has been down")
    selector = f"app=rook-ceph-crashcollector,node_name={node['kubernetes.io/hostname']}"
    built.kubectl("delete", "pod", "--selector", selector)
    until(lambda: "osd.0" in crashed(built), 120, "its crash is known")
    built.toolbox("ceph", "crash", "archive-all")
    built.healthy()


def came_up(site: Site, osd: int) -> int:
    """The epoch of the OSD map in which it came up last: it may be down for a moment only."""
    return int(
        next(one["up_from"] for one in site.ceph("osd", "dump")["osds"] if one["osd"] == osd)
    )


def down(site: Site) -> set[int]:
    return {int(one["osd"]) for one in site.ceph("osd", "dump")["osds"] if not one["up"]}


def crashed(site: Site) -> set[str]:
    return {str(one["entity_name"]) for one in site.ceph("crash", "ls-new")}


def test_a_driver_finds_its_user_and_the_mons(built: Site):
    data = built.get("secret/rook-csi-rbd-node")["data"]
    user, key = (b64decode(data[name]).decode() for name in ("userID", "userKey"))
    (entry,) = json.loads(
        built.get("configmap/rook-ceph-csi-config")["data"]["csi-cluster-config-json"]
    )
    assert entry["clusterID"] == "rook-ceph"
    ask = f"cat >/tmp/k; ceph -n client.{user} -k /tmp/k -m {entry['monitors'][0]} osd lspools"
    keyring = f"[client.{user}]\nkey = {key}\n"
    words = ("exec", "--stdin", "deployment/rook-ceph-tools", "--", "sh", "-c", ask)
    assert ".mgr" in built.kubectl(*words, stdin=keyring)


def test_the_mons_are_behind_one_name(built: Site):
    (found,) = built.get(
        "endpointslices", "--selector", "kubernetes.io/service-name=rook-ceph-active-mons"
    )["items"]
    addresses = sorted(one["addresses"][0] for one in found["endpoints"])
    services = built.get("services", "--selector", "app=rook-ceph-mon")["items"]
    assert addresses == sorted(one["spec"]["clusterIP"] for one in services)


@pytest.fixture
def budgeted(built: Site) -> Iterator[Site]:
    """The cluster with budgets, and OSDs looked after often."""
    change(built, {"managePodBudgets": True}, {"daemonHealth": {"osd": {"interval": "5s"}}})
    yield built
    built.kubectl("uncordon", DRAINED)
    change(built, {"managePodBudgets": None}, {"daemonHealth": {"osd": {"interval": None}}})


def change(site: Site, budgets: dict[str, Any], checks: dict[str, Any]) -> None:
    site.patch({"disruptionManagement": budgets, "healthCheck": checks})


def test_a_node_is_drained_of_all_its_osds_and_the_others_keep_theirs(budgeted: Site):
    until(lambda: allowed(budgeted) == {"rook-ceph-osd": 1}, 120, "one OSD may go")
    drain = ("drain", DRAINED, "--pod-selector", "app=rook-ceph-osd", "--timeout=540s")
    budgeted.kubectl(*drain, "--ignore-daemonsets", "--force", timeout=600)
    others = {f"rook-ceph-osd-host-{node}": 0 for node in NODES if node != DRAINED}
    until(lambda: allowed(budgeted) == others, 60, "no other OSD may go")
    assert down(budgeted) == on(budgeted, DRAINED)
    assert budgeted.ceph("osd", "dump")["crush_node_flags"] == {DRAINED: ["noout"]}
    budgeted.kubectl("uncordon", DRAINED)
    until(lambda: allowed(budgeted) == {"rook-ceph-osd": 1}, 180, "one OSD may go again")
    assert budgeted.ceph("osd", "dump")["crush_node_flags"] == {}
    budgeted.healthy()


def on(site: Site, node: str) -> set[int]:
    found = site.get("deployments", "--selector", f"topology-location-host={node}")["items"]
    return {int(one["metadata"]["labels"]["ceph-osd-id"]) for one in found}


def allowed(site: Site) -> dict[str, int]:
    found = site.get("poddisruptionbudgets")["items"]
    osds = [one for one in found if one["metadata"]["name"].startswith("rook-ceph-osd")]
    return {one["metadata"]["name"]: one["spec"]["maxUnavailable"] for one in osds}
