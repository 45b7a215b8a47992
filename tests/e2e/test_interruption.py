"""OSDs whose making is cut at twenty points, two in a row: the next runs make what is wanted."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.site import BIN, Site, call, checked, thrown_away

DISKS = ("/dev/disk/by-id/lab-disk-a", "/dev/disk/by-id/lab-disk-b")

CLEAN = """\
systemctl stop 'ceph-osd@*' 2>/dev/null
for id in $(ceph osd ls); do ceph osd purge $id --force --yes-i-really-mean-it; done 2>/dev/null
systemctl disable $(ls /etc/systemd/system | sed -n 's/^\\(ceph-osd@.*\\)[.]d$/\\1/p') 2>/dev/null
umount /var/lib/ceph/osd/* 2>/dev/null
rm -rf /var/lib/ceph/osd/* /etc/systemd/system/ceph-osd@*.d /var/lib/ceph-orchestrator/osd.*
systemctl daemon-reload; systemctl reset-failed 'ceph-osd@*' 2>/dev/null
for disk in /dev/disk/by-id/lab-disk-?; do blkdiscard --force $disk; done
udevadm trigger --settle --subsystem-match=block
"""


@pytest.fixture(scope="module")
def small() -> Iterator[Site]:
    """A mon and a mgr on one host whose disks the manifest does not ask for yet."""
    with thrown_away("cut", "--hosts", "1") as found:
        checked(found.orchestrator("run", manifest=manifest(found, "without", ())))
        yield found


def manifest(site: Site, name: str, disks: tuple[str, ...]) -> Path:
    storage = {"useAllNodes": True, "devices": [{"name": disk} for disk in disks]}
    return site.changed_manifest(name, mon={"count": 1}, mgr={"count": 1}, storage=storage)


def kill_the_run(_site: Site, run: subprocess.Popen[bytes]) -> None:
    os.kill(run.pid, signal.SIGKILL)


def interrupt_the_run(_site: Site, run: subprocess.Popen[bytes]) -> None:
    os.kill(run.pid, signal.SIGTERM)


def kill_the_connection(site: Site, _run: subprocess.Popen[bytes]) -> None:
    subprocess.run(["pkill", "-KILL", "-f", f"ssh.*{site.folder}/ssh"], check=False)


def kill_the_work_on_the_host(site: Site, _run: subprocess.Popen[bytes]) -> None:
    # The brackets keep the shell that runs this out of what it looks for.
    names = "[c]eph-volume|[c]eph-osd .*--mkfs|^/usr/bin/python3$"
    site.ssh("ceph-1", f"pkill -KILL -f '{names}' || true")


def cut_the_power(site: Site, _run: subprocess.Popen[bytes]) -> None:
    site.lab("kill", "ceph-1")
    site.lab("start", "ceph-1")


Cut = Callable[[Site, "subprocess.Popen[bytes]"], None]

POINTS: list[tuple[Cut, float]] = [
    *((kill_the_run, moment) for moment in (3.0, 4.0, 5.0, 6.5, 8.0, 10.0)),
    *((interrupt_the_run, moment) for moment in (3.5, 5.5, 7.5)),
    *((kill_the_connection, moment) for moment in (4.0, 6.0, 8.0)),
    *((kill_the_work_on_the_host, moment) for moment in (4.0, 4.5, 5.0, 5.5, 6.0, 7.0)),
    *((cut_the_power, moment) for moment in (4.5, 7.0)),
]


CHAINS = [(POINTS[number], POINTS[-1 - number]) for number in range(len(POINTS) // 2)]
"""Each early cut is followed by one of another kind, while the remains of the first are there."""


def name_of(chain: tuple[tuple[Cut, float], ...]) -> str:
    return "-then-".join(f"{cut.__name__}-{moment}" for cut, moment in chain)


@pytest.mark.parametrize("chain", CHAINS, ids=name_of)
def test_what_is_cut_is_finished_by_the_next_runs(
    small: Site, chain: tuple[tuple[Cut, float], ...]
) -> None:
    wanted = manifest(small, "with", DISKS)
    command = [str(BIN / "orchestrator"), "run", "-f", str(wanted), "-i", str(small.inventory)]
    nowhere = subprocess.DEVNULL
    environment = small.environment()
    for cut, moment in chain:
        with subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere) as begun:
            time.sleep(moment)
            cut(small, begun)
    ended = [small.orchestrator("run", manifest=wanted)]
    while ended[-1].code != 0 and len(ended) < 3:
        ended.append(small.orchestrator("run", manifest=wanted))
    assert ended[-1].code == 0, "\n---\n".join(one.text for one in ended)
    assert_exactly_the_wanted_osds(small)
    assert small.orchestrator("plan", manifest=wanted).code == 0
    small.ssh("ceph-1", CLEAN)


LOOK = "ceph osd dump -f json; echo; ceph osd tree -f json; echo; ceph auth ls -f json"


def assert_exactly_the_wanted_osds(site: Site) -> None:
    text = site.ssh("ceph-1", LOOK)
    dump, tree, users = (json.loads(line) for line in text.splitlines() if line.startswith("{"))
    assert [one["up"] for one in dump["osds"]] == [1, 1], dump["osds"]
    names = {f"osd.{one['osd']}" for one in dump["osds"]}
    assert {node["name"] for node in tree["nodes"] if node["type"] == "osd"} == names
    entities = {one["entity"] for one in users["auth_dump"]}
    assert {user for user in entities if user.startswith("osd.")} == names
    assert not {user for user in entities if "bootstrap" in user or "orchestrator" in user}
    # Without -i: what the last run left behind; the plan after it is the fresh look.
    command = [str(BIN / "orchestrator"), "status", "-f", str(manifest(site, "with", DISKS))]
    told = json.loads(checked(call([*command, "-o", "json"], env=site.environment())))
    listed = told["status"]["storage"]["devices"]
    states = {Path(one["device"]).name: one["state"] for one in listed}
    assert set(states) == {"lab-disk-a", "lab-disk-b"}
    assert set(states.values()) == names
