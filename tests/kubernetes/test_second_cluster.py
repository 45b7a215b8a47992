"""A cluster is built where another one was, on the hosts' network; then a node is added.

The tests follow each other on one cluster.
"""

from typing import Any

import pytest

from lab import disks
from lab.kubernetes import cluster, demo, operator_image
from lab.kubernetes import pods as images
from lab.kubernetes.cluster import Cluster
from lab.settings import Options
from tests.kubernetes.deletion import ALL, CONFIRMED, apply, delete, manifest, pods, until_gone
from tests.kubernetes.site import Site, until

pytestmark = [pytest.mark.kubernetes, pytest.mark.long]


@pytest.fixture(scope="module")
def old(built: Site, lab: Cluster) -> dict[str, Any]:
    """The cluster that was here; it went with its data, as confirmed."""
    built.healthy()
    found = {
        "spec": built.get(demo.NAME)["spec"],
        "fsid": built.ceph("status")["fsid"],
        "osds": built.ceph("osd", "stat")["num_osds"],
    }
    built.patch(CONFIRMED)
    delete(built)
    until_gone(built)
    return found


def test_a_new_cluster_is_built_on_the_hosts_network(
    built: Site, lab: Cluster, old: dict[str, Any]
) -> None:
    spec = {**old["spec"], "network": {"provider": "host"}}
    apply(built, manifest(spec))
    built.healthy()
    built.renew_toolbox()
    assert built.ceph("status")["fsid"] != old["fsid"]
    addresses = {
        one["address"]
        for node in built.get("nodes")["items"]
        for one in node["status"]["addresses"]
        if one["type"] == "InternalIP"
    }
    mons = built.ceph("mon", "dump")["mons"]
    assert {one["addr"].partition(":")[0] for one in mons} <= addresses
    assert built.names("services", "app=rook-ceph-mon") == []
    daemons = built.get("pods", "--selector", ALL)["items"]
    assert {one["spec"].get("hostNetwork") for one in daemons} == {True}
    assert {one["status"]["podIP"] for one in daemons} <= addresses
    osds = built.ceph("osd", "stat")
    assert osds["num_up_osds"] == osds["num_osds"] == old["osds"]
    before = pods(built)
    passes = built.passes()
    built.kubectl("annotate", "cephcluster", "rook-ceph", "a-look=please")
    until(lambda: built.passes() > passes, 90, "another pass was made")
    assert pods(built) == before
    assert built.get("jobs")["items"] == []


def test_a_new_node_wakes_the_operator(built: Site, lab: Cluster, old: dict[str, Any]) -> None:
    """Its disks bear names that the manifest has, so nobody edits anything."""
    before = built.ceph("osd", "stat")["num_up_osds"]
    generation = built.get(demo.NAME)["metadata"]["generation"]
    cluster.up(lab, len(lab.nodes) + 1, lab.lab.options() or Options())
    images.load(lab.lab, lab.nodes, *operator_image.ensure())
    letters = disks.letters(lab.lab, lab.nodes[-1])
    wanted = before + len(letters)
    until(lambda: built.ceph("osd", "stat")["num_up_osds"] == wanted, 600, "its OSDs are up")
    built.healthy()
    assert built.get(demo.NAME)["metadata"]["generation"] == generation
    until(lambda: built.works() == [], 60, "the Jobs and their pods are gone")
