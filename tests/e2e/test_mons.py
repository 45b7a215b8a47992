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
from tests.waiting import eventually

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


def test_without_encryption_the_old_messenger_comes_back_though_a_peer_keeps_a_mon_out(
    five: Site,
) -> None:
    """What such a peer does is done by routes, which its next start takes away."""
    address = cut_off_from_its_peers(five)
    until_quorum(five, ["a", "c"])
    five.ssh("ceph-1", f"ceph mon set-addrs b [v2:[{address}]:3300,v1:[{address}]:6789]")
    started = since(five, "ceph-3", "c")
    path = manifest(five, 3)

    done = five.orchestrator("run", "--output", "json", manifest=path)

    checked(done)
    events = [json.loads(line) for line in done.out.splitlines()]
    again = [one for one in events if one.get("action") == "restart"]
    # Each mon that then gets its old addresses back may be kept out in its turn.
    for_b = {one["subject"] for one in again if "mon.b is kept out" in one["reason"]}
    assert for_b == {"mon.c"}, f"the leader comes last, and was not needed: {again}"
    assert since(five, "ceph-3", "c") > started
    assert all(set(addrs) == BOTH for addrs in mons(five).values())
    assert [option(five, name) for name in OPTIONS] == [""] * 4
    assert five.orchestrator("plan", manifest=path).code == 0


def cut_off_from_its_peers(site: Site) -> str:
    """Let mon.b answer nobody until mon.c starts again; gives its address."""
    found = {name: addrs["v2"].rpartition(":")[0].strip("[]") for name, addrs in mons(site).items()}
    plain = yaml.safe_load(site.inventory.read_text())["all"]["hosts"]["ceph-2"]["ansible_host"]
    site.ssh("ceph-2", DEAF.format(**found))
    site.ssh("ceph-3", CALL.format(address=plain))
    return found["b"]


DEAF = """\
cat > /run/deaf.py <<'END'
import socket, subprocess
called = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
called.bind(("", 9999))
called.recv(1)
for peer in ("{a}", "{c}"):
    subprocess.run(["ip", "-6", "route", "del", "blackhole", peer + "/128"])
END
systemd-run --quiet python3 /run/deaf.py
for peer in {a} {c}; do ip -6 route add blackhole $peer/128; done
"""
CALL = """\
cat > /run/call.py <<'END'
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("{address}", 9999))
END
mkdir -p /run/systemd/system/ceph-mon@c.service.d
printf '[Service]\\nExecStartPre=+/usr/bin/python3 /run/call.py\\n' \
  > /run/systemd/system/ceph-mon@c.service.d/call.conf
systemctl daemon-reload
"""


def since(site: Site, host: str, name: str) -> int:
    """When a mon's process began, by the kernel's clock."""
    query = f"systemctl show -P ExecMainStartTimestampMonotonic ceph-mon@{name}"
    return int(site.ssh(host, query))


def until_quorum(site: Site, names: list[str]) -> dict[str, Any]:
    return eventually(
        lambda: site.ceph("status"),
        300,
        good=lambda status: status.get("quorum_names") == names,
        pause=1,
    )


def option(site: Site, name: str) -> str:
    """What the mon store itself says of an option of all daemons; nothing when it is not there."""
    found = {one["name"]: one["value"] for one in site.ceph("config", "dump")}
    return str(found.get(name, ""))


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
    while (age := until_quorum(site, ["a", "f"])["quorum_age"]) <= seconds:
        time.sleep(seconds - age + 1)


WORDS = {"confirmation": "yes-really-destroy-data"}
LEFT = "cd /var/lib/ceph; ls -d mon/*ceph-* crash/2* /etc/ceph/*.keyring 2>/dev/null; true"


def test_a_confirmed_deletion_clears_hosts_that_hold_only_what_was_put_aside(five: Site) -> None:
    """ceph-2 and ceph-3 hold the stores of mons that left, and no daemon."""
    assert "removed-ceph-b-" in five.ssh("ceph-2", LEFT)
    five.ssh("ceph-3", "mkdir /var/lib/ceph/crash/2030-01-02T03:04:05.000000Z_0")
    wanted = manifest(five, 3, cleanupPolicy=WORDS)
    planned = five.orchestrator("delete", manifest=wanted)
    assert planned.code == 2, planned.text
    for line in ("data of mon.b that was put aside", "data of mon.c that was put aside"):
        assert line in planned.out
    assert "1 dump(s) of crashes" in planned.out

    checked(five.orchestrator("delete", "--yes", manifest=wanted))

    assert {five.ssh(f"ceph-{number}", LEFT) for number in range(1, HOSTS + 1)} == {""}
