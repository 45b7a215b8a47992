"""Mons of a living cluster, on IPv6: they grow, shrink, move, fail over and change messengers, and
there is a quorum after every step.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.site import Site, checked, thrown_away

HOSTS = 5
BOTH = {"v1", "v2"}
SECURE = {"requireMsgr2": True, "encryption": {"enabled": True}}
OPTIONS = ("ms_client_mode", "ms_cluster_mode", "ms_service_mode", "rbd_default_map_options")


@pytest.fixture(scope="module")
def five() -> Iterator[Site]:
    """A cluster of one mon, one mgr and one OSD on five hosts that have both families."""
    with thrown_away("mons", "--hosts", str(HOSTS), "--disks", "1", "--ipv6") as found:
        checked(found.orchestrator("run", manifest=manifest(found, 1)))
        yield found


def manifest(site: Site, count: int, **values: Any) -> Path:
    disk = {"name": "/dev/disk/by-id/lab-disk-a"}
    storage = {"useAllNodes": False, "nodes": [{"name": "ceph-1", "devices": [disk]}]}
    network = {"ipFamily": "IPv6", "connections": values.pop("connections", {})}
    spec = {"mgr": {"count": 1}, "mon": {"count": count}, "network": network, "storage": storage}
    bare = {"crashCollector": {"disable": True}, "logCollector": {"enabled": False}}
    return site.changed_manifest("mons", **{**bare, **spec, **values})


def mons(site: Site) -> dict[str, dict[str, str]]:
    """Each member of the monmap with its addresses by messenger; all of them are in quorum."""
    dump = site.ceph("mon", "dump")
    assert len(dump["quorum"]) == len(dump["mons"]), dump
    return {
        mon["name"]: {one["type"]: one["addr"] for one in mon["public_addrs"]["addrvec"]}
        for mon in dump["mons"]
    }


def hosts_of(site: Site) -> dict[str, str]:
    return {one["name"]: one["hostname"] for one in site.ceph("mon", "metadata")}


def converged(site: Site, path: Path) -> None:
    """A run that ends well and leaves nothing to do."""
    checked(site.orchestrator("run", manifest=path))
    planned = site.orchestrator("plan", manifest=path)
    assert planned.code == 0, planned.text


def test_a_cluster_on_ipv6_binds_to_nothing_else(five: Site) -> None:
    assert all(addr.startswith("[fd") for addr in mons(five)["a"].values())
    (osd,) = five.ceph("osd", "dump")["osds"]
    vectors = (osd["public_addrs"], osd["cluster_addrs"])
    addrs = [one["addr"] for vector in vectors for one in vector["addrvec"]]
    assert addrs
    assert all(addr.startswith("[fd") for addr in addrs)
    assert "mon_host = [v2:[fd" in five.ssh("ceph-1", "cat", "/etc/ceph/ceph.conf")


def test_a_mon_can_write_its_log(five: Site) -> None:
    assert five.ssh("ceph-1", "stat --format %U /var/log/ceph/ceph-mon.a.log").strip() == "ceph"


def test_mons_grow_one_at_a_time_with_a_quorum_after_each(five: Site) -> None:
    path, before = manifest(five, HOSTS), five.runs()
    done = five.orchestrator("run", "--output", "json", manifest=path)
    checked(done)
    events = [json.loads(line) for line in done.out.splitlines()]
    created = [one["subject"] for one in events if one.get("action") == "create"]
    assert [name for name in created if "mon." in name] == ["mon.b", "mon.c", "mon.d", "mon.e"]
    assert sum(name.endswith("-mon") for name in set(five.runs()) - set(before)) >= HOSTS - 1
    assert hosts_of(five) == dict(zip("abcde", [f"ceph-{n}" for n in range(1, 6)], strict=True))
    assert five.orchestrator("plan", manifest=path).code == 0


def test_c27_surplus_mons_leave_the_map_and_their_stores_are_put_aside(five: Site) -> None:
    path = manifest(five, 3)
    converged(five, path)
    assert sorted(mons(five)) == ["a", "b", "c"]
    for host, name in (("ceph-4", "d"), ("ceph-5", "e")):
        left = five.ssh(host, "ls /var/lib/ceph/mon; systemctl is-active ceph-mon@* || true")
        assert f"removed-ceph-{name}-" in left
        assert "\nactive" not in left


def test_encryption_takes_the_old_messenger_away(five: Site) -> None:
    converged(five, manifest(five, 3, connections=SECURE))
    assert {kind for addrs in mons(five).values() for kind in addrs} == {"v2"}
    assert five.ssh("ceph-1", "ss -Hltn sport = :6789").strip() == ""
    assert [option(five, name) for name in OPTIONS] == ["secure"] * 3 + ["ms_mode=secure"]


@pytest.mark.unproven
def test_without_encryption_the_old_messenger_comes_back(five: Site) -> None:
    converged(five, manifest(five, 3))
    assert all(set(addrs) == BOTH for addrs in mons(five).values())
    assert [option(five, name) for name in OPTIONS] == [""] * 4


def option(site: Site, name: str) -> str:
    """What the mon store itself says of an option of all daemons; nothing when it is not there."""
    found = {one["name"]: one["value"] for one in site.ceph("config", "dump")}
    return str(found.get(name, ""))


@pytest.mark.unproven
def test_a_mon_moves_off_a_host_that_leaves_the_group_and_gets_a_new_id(five: Site) -> None:
    inventory = yaml.safe_load(five.inventory.read_text())
    del inventory["all"]["children"]["mons"]["hosts"]["ceph-2"]
    five.inventory.write_text(yaml.safe_dump(inventory))
    path = manifest(five, 3)
    planned = five.orchestrator("plan", "-o", "json", manifest=path)
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    moves = [(one["action"], one["subject"]) for one in changes if "mon." in one["subject"]]
    assert moves[:2] == [("create", "mon.f"), ("remove", "mon.b")]
    converged(five, path)
    assert hosts_of(five) == {"a": "ceph-1", "c": "ceph-3", "f": "ceph-4"}


@pytest.mark.unproven
def test_c29_a_dead_mon_is_replaced_after_the_timeout_and_its_store_never_comes_back(
    five: Site,
) -> None:
    health = {"daemonHealth": {"mon": {"timeout": "20s"}}}
    five.lab("kill", "ceph-3")
    early = five.orchestrator("plan", "-o", "json", manifest=manifest(five, 3))
    changes = [one for step in json.loads(early.out)["steps"] for one in step["changes"]]
    assert not [one for one in changes if "mon." in one["subject"]]
    until_older(five, 25)
    five.orchestrator("run", manifest=manifest(five, 3, healthCheck=health))
    assert hosts_of(five) == {"a": "ceph-1", "f": "ceph-4", "g": "ceph-5"}
    assert sorted(mons(five)) == ["a", "f", "g"]

    five.lab("start", "ceph-3")
    converged(five, manifest(five, 3))
    assert sorted(mons(five)) == ["a", "f", "g"]
    assert "removed-ceph-c-" in five.ssh("ceph-3", "ls /var/lib/ceph/mon")


def until_older(site: Site, seconds: int) -> None:
    """Wait until the quorum without the dead mon is so old."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        status = site.ceph("status")
        if len(status["quorum_names"]) == 2 and status["quorum_age"] > seconds:
            return
        time.sleep(2)
    raise AssertionError(json.dumps(status))
