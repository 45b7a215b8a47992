"""A mon whose node is lost is replaced; then there are fewer mons, and more.

The tests follow each other on one cluster; the node is back before the last two.
"""

from typing import Any

import pytest

from lab.kubernetes import cluster
from lab.kubernetes.cluster import Cluster
from tests.kubernetes.outage import in_quorum, lose_a_node, mons
from tests.kubernetes.quorum import watched
from tests.kubernetes.site import Site, until

pytestmark = [pytest.mark.kubernetes, pytest.mark.long]

MONS = 3
TIMEOUT = {"daemonHealth": {"mon": {"timeout": "45s"}}}


@pytest.fixture(scope="module")
def lost(built: Site, lab: Cluster) -> str:
    built.healthy()
    # A place for the mon of a lost node; this starts all mons again, one at a time.
    built.patch({"mon": {"allowMultiplePerNode": True}})
    built.healthy()
    built.renew_toolbox()
    return lose_a_node(built)


@pytest.fixture(scope="module")
def before(built: Site, lost: str) -> dict[str, Any]:
    """What there was when the node was lost."""
    placed = mons(built)
    (mon,) = (name for name, node in placed.items() if node == lost)
    return {"mon": mon, "mons": placed}


def test_after_the_timeout_the_mon_fails_over_to_another_place(
    built: Site, lost: str, before: dict[str, Any]
):
    with watched(built) as seen:
        built.patch({"healthCheck": TIMEOUT})
        until(
            lambda: before["mon"] not in mons(built) and len(in_quorum(built)) == MONS,
            240,
            "another mon stands in for the lost one",
        )
    placed = mons(built)
    (new,) = placed.keys() - before["mons"].keys()
    assert placed[new] != lost
    assert in_quorum(built) == set(placed)
    assert {name for name in placed if name != new} == before["mons"].keys() - {before["mon"]}
    assert all(2 * present > members for members, present in seen)
    assert max(members for members, _ in seen) == MONS + 1


def test_the_cluster_is_healthy_when_the_node_is_back(
    built: Site, lost: str, before: dict[str, Any]
):
    assert built.cluster is not None
    placed = mons(built)
    cluster.start(built.cluster, lost)
    built.healthy()
    assert mons(built) == placed
    stat = built.ceph("osd", "stat")
    assert stat["num_up_osds"] == stat["num_in_osds"] == stat["num_osds"]


def test_three_mons_become_two_and_never_one(built: Site, lost: str, before: dict[str, Any]):
    with watched(built) as seen:
        built.patch({"mon": {"count": 1}})
        until(lambda: len(mons(built)) == MONS - 1, 120, "a mon is gone")
        built.healthy()
    assert len(set(mons(built).values())) == len(mons(built)) == MONS - 1
    assert in_quorum(built) == set(mons(built))
    assert min(members for members, _ in seen) == MONS - 1
    assert all(2 * present > members for members, present in seen)


def test_two_mons_become_three_again_each_on_a_node_of_its_own(
    built: Site, lost: str, before: dict[str, Any]
):
    built.patch({"mon": {"count": MONS}, "healthCheck": {"daemonHealth": None}})
    built.healthy()
    with watched(built) as seen:  # all three start again, and not while one of them is away
        built.patch({"mon": {"allowMultiplePerNode": None}})
        built.healthy()
    assert min(present for _, present in seen) >= MONS - 1
    assert len(set(mons(built).values())) == len(mons(built)) == MONS
    assert lost in mons(built).values()
    assert in_quorum(built) == set(mons(built))
