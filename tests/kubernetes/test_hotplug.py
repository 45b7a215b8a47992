"""A disk that is plugged in wakes the operator: nobody edits anything."""

import json
from typing import Any

import pytest

from lab import disks, hosts
from lab.kubernetes import cluster, demo
from lab.kubernetes.cluster import Cluster
from tests.e2e.contents import filesystem
from tests.kubernetes import footprint
from tests.kubernetes.site import Site, until

pytestmark = pytest.mark.kubernetes

NODE = "node-2"
BY_ID = "/dev/disk/by-id/lab-disk-{}"
TOLD = "configmap/local-device-{}"
NOTED = "configmap/ceph-orchestrator-devices-{}"


@pytest.fixture(scope="module")
def awaited(built: Site, lab: Cluster) -> int:
    """The manifest names two disks that are not there yet; gives its generation."""
    spec = built.get(demo.NAME)["spec"]
    more = [{"name": BY_ID.format(letter)} for letter in next_letters(lab)]
    generation = built.patch({"storage": {"devices": [*spec["storage"]["devices"], *more]}})
    built.healthy()
    return generation


def next_letters(made: Cluster) -> str:
    taken = disks.letters(made.lab, NODE)
    return "".join(letter for letter in "abcdefgh" if letter not in taken)[:2]


def told(site: Site, node: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(site.get(TOLD.format(node))["data"]["devices"])
    return found


def up(site: Site) -> int:
    return int(site.ceph("osd", "stat")["num_up_osds"])


def test_every_nodes_disks_are_told_by_a_pod_without_privileges(built: Site, lab: Cluster):
    for node in lab.nodes:
        listed = told(built, node)
        links = {link for one in listed for link in one["devLinks"].split()}
        assert {BY_ID.format(letter) for letter in disks.letters(lab.lab, node)} <= links
        assert {one["type"] for one in listed} == {"loop"}
    pods = built.get("pods", "--selector", "app=rook-discover")["items"]
    assert len(pods) == len(lab.nodes)
    contexts = [one["spec"]["containers"][0]["securityContext"] for one in pods]
    assert {one.get("privileged", False) for one in contexts} == {False}


def test_a_disk_that_is_plugged_in_becomes_an_osd(built: Site, lab: Cluster, awaited: int):
    before, notes = up(built), noted(built, lab)
    pods = daemons(built)
    link = cluster.add_disk(lab, NODE, None)
    until(lambda: up(built) == before + 1, 240, f"the OSD on {link} is up")
    built.healthy()
    now = built.get(demo.NAME)
    assert (now["metadata"]["generation"], now["status"]["observedGeneration"]) == (
        awaited,
        awaited,
    )
    assert pods.items() <= daemons(built).items()
    until(lambda: built.works() == [], 60, "the Jobs and their pods are gone")
    changed = {node for node, note in noted(built, lab).items() if notes[node] != note}
    assert changed == {NODE}


def noted(site: Site, made: Cluster) -> dict[str, str]:
    """The versions of what was seen of each node's disks: another one is another look."""
    return {
        node: site.get(NOTED.format(node))["metadata"]["resourceVersion"] for node in made.nodes
    }


def daemons(site: Site) -> dict[str, str]:
    found = site.get("pods", "--selector", "app in (rook-ceph-mon,rook-ceph-osd)")["items"]
    return {one["metadata"]["name"]: one["metadata"]["uid"] for one in found}


def test_that_it_is_in_use_now_makes_no_other_look(built: Site, lab: Cluster, awaited: int):
    del awaited
    letter = disks.letters(lab.lab, NODE)[-1]
    until(lambda: not empty(built, letter), 60, "the discovery tells that the disk is in use")
    before, passes = noted(built, lab), built.passes()
    built.kubectl("label", "node", NODE, "orchestrator-test=look", "--overwrite")
    until(lambda: built.passes() > passes, 60, "another pass was made")
    assert noted(built, lab) == before
    built.kubectl("label", "node", NODE, "orchestrator-test-")


def empty(site: Site, letter: str) -> bool:
    (one,) = (one for one in told(site, NODE) if BY_ID.format(letter) in one["devLinks"].split())
    return bool(one["empty"])


def test_a_disk_that_holds_something_is_looked_at_and_left_as_it_is(
    built: Site, lab: Cluster, awaited: int
):
    del awaited
    before, notes = up(built), noted(built, lab)
    letter = disks.add(lab.lab, NODE, "6G")
    image = disks.image(lab.lab, NODE, letter)
    filesystem(image)
    held = footprint.all_disks(lab)[f"{NODE}-{letter}"]
    hosts.rescan_disks(lab.lab, NODE)
    until(lambda: noted(built, lab)[NODE] != notes[NODE], 120, "the node was looked at")
    until(lambda: built.works() == [], 60, "the Jobs and their pods are gone")
    assert up(built) == before
    assert footprint.all_disks(lab)[f"{NODE}-{letter}"] == held
    built.healthy()
