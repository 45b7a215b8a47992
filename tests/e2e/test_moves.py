"""An OSD is its uuid and fsid: whatever a disk is called and wherever it lies, it starts there; and
one that runs is restarted only when Ceph allows it.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import Site, checked, thrown_away
from tests.waiting import eventually


@pytest.fixture(scope="module")
def pair() -> Iterator[Site]:
    """Two hosts with two OSDs each and one mon."""
    with thrown_away("moves", "--hosts", "2") as found:
        checked(found.orchestrator("run", manifest=manifest(found)))
        yield found


def manifest(site: Site, letters: str = "ab") -> Path:
    devices = [{"name": f"/dev/disk/by-id/lab-disk-{letter}"} for letter in letters]
    storage = {"useAllNodes": True, "devices": devices}
    return site.changed_manifest("moves", mon={"count": 1}, mgr={"count": 1}, storage=storage)


def hosts_of_osds(site: Site) -> dict[str, str]:
    """OSD → the host on which it runs, as Ceph has it; only those that are up."""
    metadata = {one["id"]: one["hostname"] for one in site.ceph("osd", "metadata")}
    osds = site.ceph("osd", "dump")["osds"]
    return {one["uuid"]: metadata[one["osd"]] for one in osds if one["up"]}


def until_up(site: Site, count: int, seconds: float = 300.0) -> dict[str, str]:
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
    number = next(one["osd"] for one in pair.ceph("osd", "dump")["osds"] if one["uuid"] == moved[0])
    unit = f"ceph-osd@{number}"
    assert pair.ssh("ceph-2", f"systemctl is-enabled {unit} || true").strip() == "disabled"
    assert pair.ssh("ceph-2", f"systemctl show -P ActiveState {unit}").strip() == "inactive"
    assert pair.orchestrator("plan", manifest=manifest(pair)).code == 0


def test_a_new_host_gets_what_is_missing_and_the_others_nothing(pair: Site) -> None:
    before = until_up(pair, 4)
    pair.lab("up", "--hosts", "3")
    planned = pair.orchestrator("plan", "-o", "json", manifest=manifest(pair))
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    assert {one["host"] for one in changes} == {"ceph-3"}
    assert sorted((one["action"], one["subject"]) for one in changes) == [
        ("create", "crash"),
        *(("prepare", f"osd on /dev/disk/by-id/lab-disk-{letter}") for letter in "ab"),
    ]
    checked(pair.orchestrator("run", manifest=manifest(pair)))
    after = until_up(pair, 6)
    assert before.items() <= after.items()
    assert sorted(host for uuid, host in after.items() if uuid not in before) == ["ceph-3"] * 2


OLDER = r"""sed -i -E 's/"(record|process|restart_on)": "[^"]*"/"\1": "older.older"/' """
RECORDS = "/var/lib/ceph-orchestrator/osd.*.json"
HOSTS = ("ceph-1", "ceph-2", "ceph-3")


BATCHES_APART = 1_000_000  # µs


def number(unit: str) -> int:
    return int(unit.partition("@")[2].partition(".")[0])


def starts(site: Site) -> dict[str, tuple[int, str]]:
    """OSD that runs → when it started, in µs of the kernel's one clock, and on which host."""
    found = {}
    query = "systemctl show 'ceph-osd@*' -p Id,ActiveState,ExecMainStartTimestampMonotonic"
    for host in HOSTS:
        for block in site.ssh(host, query).strip().split("\n\n"):
            values = dict(line.split("=", 1) for line in block.splitlines())
            if values.get("ActiveState") == "active":
                found[values["Id"]] = (int(values["ExecMainStartTimestampMonotonic"]), host)
    return found


@pytest.fixture(scope="module")
def outdated(pair: Site) -> Site:
    """Every OSD runs by an older description, and a pool needs both copies of its objects."""
    until_up(pair, 6)
    pair.ssh("ceph-1", "ceph osd pool create strict 32 --autoscale-mode=off --size=2")
    pair.ssh("ceph-1", "ceph osd pool set strict min_size 2")
    for host in HOSTS:
        pair.ssh(host, f"{OLDER} {RECORDS}")
    eventually(
        lambda: pair.ceph("status")["pgmap"].get("pgs_by_state", [{}])[0].get("count", 0),
        good=lambda count: count >= 32,
        pause=1,
    )
    return pair


def test_c37_no_osd_restarts_against_cephs_word_and_new_ones_are_made(outdated: Site) -> None:
    before = starts(outdated)
    letter = outdated.lab("add-disk", "ceph-1").strip().rpartition("-")[2]
    wanted = manifest(outdated, f"ab{letter}")
    done = outdated.orchestrator("run", "--timeout", "1", manifest=wanted)
    assert done.code == 3, done.text
    assert "NotOkToStop: OSDs restarted so far: 0 of 6; osd." in done.err
    assert "would become inactive" in done.err
    after = starts(outdated)
    assert len(after) == len(before) + 1
    assert before.items() <= after.items()


def test_c37_the_role_asks_again_at_the_moment_of_use(outdated: Site) -> None:
    before = starts(outdated)
    numbers = {"osd_restarts": [number(unit) for unit in before]}
    done = outdated.playbook("osd.yml", "-e", json.dumps(numbers))
    assert done.code != 0
    assert "would become inactive" in done.text
    assert starts(outdated) == before


def sharing(site: Site) -> list[set[int]]:
    """The OSDs that hold the copies of each placement group."""
    groups = site.ceph("pg", "ls-by-pool", "strict")["pg_stats"]
    return [set(one["acting"]) for one in groups]


def together(found: dict[int, int]) -> list[set[int]]:
    """OSDs that started within a second of each other; what comes later is another batch."""
    batches: list[set[int]] = []
    last = -BATCHES_APART
    for osd, moment in sorted(found.items(), key=lambda one: one[1]):
        if moment - last >= BATCHES_APART:
            batches.append(set())
        batches[-1].add(osd)
        last = moment
    return batches


def test_c37_osds_restart_in_the_batches_that_ceph_allows(outdated: Site) -> None:
    before, groups = starts(outdated), sharing(outdated)
    outdated.ssh("ceph-1", "ceph osd pool set strict min_size 1")
    checked(outdated.orchestrator("run", manifest=manifest(outdated, "abc")))
    after = starts(outdated)
    again = {number(one): after[one][0] for one in before if after[one] != before[one]}
    assert len(again) == 6
    assert groups
    for batch in together(again):
        assert not [group for group in groups if group <= batch], "one copy of each stays up"
