"""A cluster comes to be while its operator is killed and its manifest is edited.

The tests follow each other on one cluster, which is the example's in the end.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.kubernetes import demo
from lab.proc import LabError
from tests.kubernetes import footprint
from tests.kubernetes.quorum import watched
from tests.kubernetes.site import MANIFESTS, TOOLBOX, Site, until

pytestmark = pytest.mark.kubernetes

EXAMPLE: dict[str, Any] = yaml.safe_load(demo.EXAMPLE.read_text())
DISKS = EXAMPLE["spec"]["storage"]["devices"]
SMALL = {"mon": {"count": 1}, "mgr": {"count": 1}, "storage": {"devices": DISKS[:1]}}
NODES = 3
AT_ONCE_SECONDS = 15.0
HEAD = 4096  # bytes of BlueStore's label: a line that says what it is, then the OSD's uuid


@pytest.fixture(scope="module")
def begun(site: Site) -> Iterator[Site]:
    """The smallest cluster, its first mon just made, and a toolbox that waits for it."""
    vacate(site)
    spec = {
        **EXAMPLE["spec"],
        **SMALL,
        "storage": {**EXAMPLE["spec"]["storage"], **SMALL["storage"]},
    }
    site.kubectl("apply", "--filename", "-", stdin=json.dumps({**EXAMPLE, "spec": spec}))
    until(lambda: exists(site, "deployment/rook-ceph-mon-a"), 240, "the first mon is made")
    site.kubectl("apply", "--filename", str(MANIFESTS / "toolbox.yaml"))
    yield site
    site.renew_toolbox()


def vacate(site: Site) -> None:
    """Take away what an earlier run left in a lab that is kept."""
    if site.names("cephclusters"):
        site.patch({"cleanupPolicy": {"confirmation": "yes-really-destroy-data"}})
        site.kubectl("delete", demo.NAME, "--timeout=300s", timeout=330)
    site.kubectl("delete", "--ignore-not-found", TOOLBOX)


def exists(site: Site, name: str) -> bool:
    return bool(site.kubectl("get", name, "--ignore-not-found"))


def osds(site: Site) -> int:
    """How many numbers Ceph has given out; 0 while nobody answers."""
    try:
        return int(site.ceph("osd", "stat")["num_osds"])
    except LabError:
        return 0


def fsid(site: Site) -> str:
    return str(site.get("secret/rook-ceph-mon")["data"]["fsid"])


def test_an_operator_that_is_killed_twice_in_a_creation_leaves_nothing_half_made(begun: Site):
    identity = fsid(begun)
    (pod,) = begun.operators()
    begun.kill_process(pod)
    until(lambda: osds(begun) > 0, 400, "Ceph has given a number to an OSD", 0.2)
    assert begun.names("deployments", "app=rook-ceph-osd") == []
    (pod,) = begun.operators()
    begun.kill(pod)
    begun.healthy()
    assert fsid(begun) == identity
    assert begun.operators() != [pod]
    assert whole(begun) == {f"osd.{number}": "up in" for number in range(NODES)}
    assert labelled(begun) == uuids(begun)


def whole(site: Site) -> dict[str, str]:
    """What Ceph says of each number that it has given out."""
    return {
        f"osd.{one['osd']}": f"{'up' if one['up'] else 'down'} {'in' if one['in'] else 'out'}"
        for one in site.ceph("osd", "dump")["osds"]
    }


def labelled(site: Site) -> list[str]:
    """The uuid of the OSD on each of the lab's disks that anything was written to."""
    if site.cluster is None:
        return sorted(uuids(site))
    os.sync()
    heads = [head(path) for _, path in footprint.images(site.cluster)]
    return sorted(one.split(b"\n")[1].decode() for one in heads if one != bytes(HEAD))


def head(disk: Path) -> bytes:
    with disk.open("rb") as file:
        return file.read(HEAD)


def uuids(site: Site) -> list[str]:
    return sorted(one["uuid"] for one in site.ceph("osd", "dump")["osds"])


def test_an_edit_cancels_the_run_at_once_and_the_next_one_goes_on_from_there(begun: Site):
    begun.healthy()
    identity, before = fsid(begun), uuids(begun)
    canceled = begun.passes(result="canceled")
    with watched(begun) as seen:
        first = begun.patch({"mon": {"count": 3}})
        until(lambda: exists(begun, "deployment/rook-ceph-mon-b"), 120, "the second mon is made")
        last = begun.patch({"mgr": {"count": 2}, "storage": {"devices": DISKS}})
        until(
            lambda: begun.passes(result="canceled") > canceled,
            AT_ONCE_SECONDS,
            "the run for the older generation was cancelled",
        )
        status = begun.healthy()["status"]
    ended = [line for line in begun.log() if line["event"] == "pass ended"]
    results = {
        (line.get("generation", 0), line["result"])
        for line in ended
        if line.get("generation", 0) >= first
    }
    assert results >= {(first, "canceled"), (last, "converged")}
    assert (first, "converged") not in results
    assert status["observedGeneration"] == last
    assert fsid(begun) == identity
    assert [one for one in seen if one[0] == one[1]] == [(1, 1), (2, 2), (3, 3)]
    assert all(2 * present > members for members, present in seen)
    assert begun.names("deployments", "app=rook-ceph-mgr") == ["rook-ceph-mgr-a", "rook-ceph-mgr-b"]
    assert whole(begun) == {f"osd.{number}": "up in" for number in range(2 * NODES)}
    assert labelled(begun) == uuids(begun)
    assert set(before) < set(uuids(begun))


def test_what_was_interrupted_lacks_nothing_of_the_example(begun: Site):
    before = made(begun)
    begun.kubectl("apply", "--filename", str(demo.EXAMPLE))
    begun.healthy()
    assert made(begun) == before
    assert {name.removeprefix("rook-ceph-") for name in before} >= {
        *("mon-a", "mon-b", "mon-c", "mgr-a", "mgr-b"),
        *(f"osd-{number}" for number in range(2 * NODES)),
    }


def made(site: Site) -> dict[str, tuple[str, int]]:
    """Every Deployment: its uid, and how often its spec was changed."""
    return {
        one["metadata"]["name"]: (one["metadata"]["uid"], one["metadata"]["generation"])
        for one in site.get("deployments")["items"]
    }
