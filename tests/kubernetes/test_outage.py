"""A node is lost: what is said of it, what goes on without it, and how it comes back.

The tests follow each other on one cluster; the node is back in the end.
"""

import pytest

from lab.kubernetes import cluster
from lab.kubernetes.cluster import Cluster
from tests.kubernetes.outage import CHECK_SECONDS, in_quorum, lose_a_node, mons
from tests.kubernetes.site import Site, until

pytestmark = pytest.mark.kubernetes

MISSED_SECONDS = CHECK_SECONDS + 40.0
OPTION, VALUE = "mon_max_pg_per_osd", "321"


@pytest.fixture(scope="module")
def placed(built: Site) -> dict[str, str]:
    """Where the mons were when all was well."""
    built.healthy()
    return mons(built)


@pytest.fixture(scope="module")
def lost(built: Site, placed: dict[str, str], lab: Cluster) -> str:
    return lose_a_node(built)


def details(site: Site) -> set[str]:
    return set(site.status()["ceph"].get("details") or {})


def message(site: Site) -> str:
    return str(site.status().get("message", ""))


def test_the_status_tells_within_its_intervals(built: Site, lost: str, placed: dict[str, str]):
    until(
        lambda: {"MON_DOWN", "OSD_DOWN"} <= details(built),
        MISSED_SECONDS,
        "the status tells of the mon and of the OSDs",
    )
    assert built.status()["ceph"]["health"] == "HEALTH_WARN"
    until(lambda: f"{lost}: " in message(built), CHECK_SECONDS, "the status names the node")
    assert in_quorum(built) == {mon for mon, node in placed.items() if node != lost}
    assert mons(built) == placed


def test_other_work_goes_on(built: Site, lost: str):
    set_option(built, VALUE)
    until(
        lambda: str(built.ceph("config", "get", "mon", OPTION)) == VALUE,
        2 * CHECK_SECONDS,
        "an option is set while a node is lost",
    )


def set_option(site: Site, value: str | None) -> None:
    """The manifest's options are texts; None takes one out."""
    site.patch({"cephConfig": {"global": {OPTION: value}}})


def test_the_cluster_is_healthy_when_the_node_is_back(
    built: Site, lost: str, placed: dict[str, str]
):
    assert built.cluster is not None
    set_option(built, None)
    cluster.start(built.cluster, lost)
    built.healthy()
    assert mons(built) == placed
    assert in_quorum(built) == set(placed)
    stat = built.ceph("osd", "stat")
    assert stat["num_up_osds"] == stat["num_in_osds"] == stat["num_osds"]
