"""Disks that hold something are never written, whatever the manifest says of them, and growth makes
only what is missing.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.contents import HELD
from tests.e2e.site import Site, checked, thrown_away

SIZE = "6G"
FULL = "abcdefghi"
BLANK = "j"


@pytest.fixture(scope="module")
def store() -> Iterator[Site]:
    """One host whose only blank disk is the last one."""
    disks = ("--disks", str(len(HELD) + 1), "--disk-size", SIZE)
    with thrown_away("disks", "--hosts", "1", *disks) as found:
        for letter, write in zip(FULL, HELD.values(), strict=True):
            write(image(found, letter))
            copied(image(found, letter))
        found.ssh("ceph-1", "udevadm trigger --settle --subsystem-match=block")
        yield found


def image(site: Site, letter: str) -> Path:
    return site.folder / "disks" / f"ceph-1-{letter}.img"


def copied(path: Path) -> None:
    subprocess.run(["cp", "--sparse=always", path, path.with_suffix(".before")], check=True)


def untouched(path: Path) -> bool:
    """Whether the whole image is what it was, byte for byte."""
    subprocess.run(["sync", path], check=True)
    return subprocess.run(["cmp", path, path.with_suffix(".before")], check=False).returncode == 0


def touched(site: Site) -> list[str]:
    """Kinds of content whose disk is no longer what it was."""
    kinds = zip(FULL, HELD, strict=True)
    return [kind for letter, kind in kinds if not untouched(image(site, letter))]


def manifest(site: Site, name: str, letters: str) -> Path:
    devices = [{"name": f"/dev/disk/by-id/lab-disk-{letter}"} for letter in letters]
    storage = {"useAllNodes": True, "devices": devices}
    return site.changed_manifest(name, mon={"count": 1}, mgr={"count": 1}, storage=storage)


def osds(site: Site) -> dict[int, str]:
    return {one["osd"]: one["uuid"] for one in site.ceph("osd", "dump")["osds"]}


def test_every_kind_of_content_is_recognised(store: Site) -> None:
    wanted = manifest(store, "everything", f"{FULL}{BLANK}")
    listed = json.loads(checked(store.orchestrator("devices", "-o", "json", manifest=wanted)))
    found = {Path(one["device"]).name: one for one in listed["devices"]}
    assert found[f"lab-disk-{BLANK}"]["state"] == "selected"
    assert {one["state"] for name, one in found.items() if not name.endswith(BLANK)} == {"skipped"}
    codes = [found[f"lab-disk-{letter}"]["code"] for letter in FULL]
    assert dict(zip(HELD, codes, strict=True)) == {
        "filesystem": "Filesystem",
        "partition table": "PartitionTable",
        "lvm": "Filesystem",
        "raid": "Filesystem",
        "zfs": "Filesystem",
        "luks": "Filesystem",
        "foreign osd": "ForeignOsd",
        "damaged osd": "Unreadable",
        "nameless": "Filesystem",
    }


def test_only_the_blank_disk_becomes_an_osd_though_all_are_named(store: Site) -> None:
    wanted = manifest(store, "everything", f"{FULL}{BLANK}")
    planned = json.loads(store.orchestrator("plan", "-o", "json", manifest=wanted).out)
    changes = [one for step in planned["steps"] for one in step["changes"]]
    prepared = [one["subject"] for one in changes if one["action"] == "prepare"]
    assert prepared == [f"osd on /dev/disk/by-id/lab-disk-{BLANK}"]
    checked(store.orchestrator("run", manifest=wanted))
    assert len(osds(store)) == 1
    assert touched(store) == []


def test_the_module_refuses_what_the_plan_would_never_send(store: Site) -> None:
    before = osds(store)
    named = [{"path": f"/dev/disk/by-id/lab-disk-{letter}"} for letter in FULL]
    done = store.playbook("osd.yml", "-e", json.dumps({"osd_devices": named}))
    assert done.code != 0
    assert osds(store) == before
    assert touched(store) == []


def test_a_new_disk_becomes_one_osd_more_and_nothing_else_changes(store: Site) -> None:
    before = osds(store)
    link = store.lab("add-disk", "ceph-1", "--size", SIZE).strip()
    letter = link.rpartition("-")[2]
    wanted = manifest(store, "grown", f"{FULL}{BLANK}{letter}")
    planned = store.orchestrator("plan", "-o", "json", manifest=wanted)
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    assert [(one["action"], one["subject"]) for one in changes] == [("prepare", f"osd on {link}")]
    store.orchestrator("run", manifest=wanted)
    after = osds(store)
    assert len(after) == len(before) + 1
    assert before.items() <= after.items()
    assert touched(store) == []


def test_a_disk_that_leaves_the_manifest_keeps_its_osd_and_is_named(store: Site) -> None:
    before = osds(store)
    wanted = manifest(store, "fewer", "k")
    planned = store.orchestrator("plan", manifest=wanted)
    assert planned.code == 0, planned.text
    assert "OsdNotInManifest" in planned.out
    checked(store.orchestrator("run", manifest=wanted))
    assert osds(store) == before
