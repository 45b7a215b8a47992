"""An OSD is its uuid and fsid: whatever a disk is called and wherever it lies, it starts there."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import Site, checked, thrown_away


@pytest.fixture(scope="module")
def pair() -> Iterator[Site]:
    """Two hosts with two OSDs each and one mon."""
    with thrown_away("moves", "--hosts", "2") as found:
        checked(found.orchestrator("run", manifest=manifest(found)))
        yield found


def manifest(site: Site) -> Path:
    devices = [{"name": f"/dev/disk/by-id/lab-disk-{letter}"} for letter in "ab"]
    storage = {"useAllNodes": True, "devices": devices}
    return site.changed_manifest("moves", mon={"count": 1}, mgr={"count": 1}, storage=storage)


def hosts_of_osds(site: Site) -> dict[str, str]:
    """OSD → the host on which it runs, as Ceph has it; only those that are up."""
    metadata = {one["id"]: one["hostname"] for one in site.ceph("osd", "metadata")}
    osds = site.ceph("osd", "dump")["osds"]
    return {one["uuid"]: metadata[one["osd"]] for one in osds if one["up"]}


def until_up(site: Site, count: int, seconds: float = 90.0) -> dict[str, str]:
    deadline = time.monotonic() + seconds
    while len(found := hosts_of_osds(site)) < count and time.monotonic() < deadline:
        time.sleep(1)
    return found


def test_disks_that_change_their_names_start_the_right_osds(pair: Site) -> None:
    before = until_up(pair, 4)
    assert len(before) == 4
    disks = pair.folder / "disks"
    first, second, aside = (disks / name for name in ("ceph-2-a.img", "ceph-2-b.img", "aside"))
    pair.lab("kill", "ceph-2")
    first.rename(aside)
    second.rename(first)
    aside.rename(second)
    pair.lab("start", "ceph-2")
    assert until_up(pair, 4) == before
    planned = pair.orchestrator("plan", manifest=manifest(pair))
    assert planned.code == 0, planned.text


def test_a_disk_that_moves_to_another_host_starts_there(pair: Site) -> None:
    before = until_up(pair, 4)
    disks = pair.folder / "disks"
    for host in ("ceph-1", "ceph-2"):
        pair.lab("kill", host)
    (disks / "ceph-2-b.img").rename(disks / "ceph-1-c.img")
    for host in ("ceph-1", "ceph-2"):
        pair.lab("start", host)
    done = pair.orchestrator("run", manifest=manifest(pair))
    assert done.code == 0, done.text
    after = until_up(pair, 4)
    moved = [uuid for uuid in before if before[uuid] != after.get(uuid)]
    assert after.keys() == before.keys()
    assert len(moved) == 1
    assert (before[moved[0]], after[moved[0]]) == ("ceph-2", "ceph-1")
    assert "OsdMoved" in done.err


def test_a_new_host_gets_what_is_missing_and_the_others_nothing(pair: Site) -> None:
    before = until_up(pair, 4)
    pair.lab("up", "--hosts", "3")
    planned = pair.orchestrator("plan", "-o", "json", manifest=manifest(pair))
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    assert {(one["action"], one["host"]) for one in changes} == {("prepare", "ceph-3")}
    assert len(changes) == 2
    checked(pair.orchestrator("run", manifest=manifest(pair)))
    after = until_up(pair, 6)
    assert before.items() <= after.items()
    assert sorted(host for uuid, host in after.items() if uuid not in before) == ["ceph-3"] * 2
