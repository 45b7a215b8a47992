"""Disks that hold something are never written, whatever the manifest says of them, and growth makes
only what is missing. At the end the cluster goes, and again nothing of anybody else's.
"""

import json
import string
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.contents import HELD, OTHER_FSID, same
from tests.e2e.site import Site, checked, thrown_away

SIZE = "6G"
FULL = string.ascii_lowercase[: len(HELD)]
BLANK, GROWN = string.ascii_lowercase[len(HELD) :][:2]
IN_USE = FULL[list(HELD).index("mounted")]
LABEL = 4096
WORDS = {"confirmation": "yes-really-destroy-data"}
THEIRS = "/var/lib/ceph/osd/ceph-77"
LEFT = "find /etc/ceph /var/lib/ceph -type f -not -path '*/crash/*' -not -name rbdmap"


@pytest.fixture(scope="module")
def store() -> Iterator[Site]:
    """One host whose only blank disk is the last one."""
    disks = ("--disks", str(len(HELD) + 1), "--disk-size", SIZE)
    with thrown_away("disks", "--hosts", "1", *disks) as found:
        for letter, write in zip(FULL, HELD.values(), strict=True):
            write(image(found, letter))
        found.ssh("ceph-1", f"mount -o ro /dev/disk/by-id/lab-disk-{IN_USE} /mnt")
        for letter in FULL:
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
    return same(path, path.with_suffix(".before"))


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
        "raid at its end": "Filesystem",
        "zfs": "Filesystem",
        "luks": "Filesystem",
        "foreign osd": "ForeignOsd",
        "damaged osd": "Unreadable",
        "nameless": "Filesystem",
        "mounted": "Mounted",
        "unreadable": "Unreadable",
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


def test_the_disk_of_a_running_osd_is_not_made_anew(store: Site) -> None:
    """Its OSD writes to it all the time, but not to its label, nor does it stop."""
    before, label = osds(store), head(store)
    named = [{"path": f"/dev/disk/by-id/lab-disk-{BLANK}"}]
    started = "systemctl show 'ceph-osd@*' --property=Id,ExecMainStartTimestampMonotonic"
    since = store.ssh("ceph-1", started)
    checked(store.playbook("osd.yml", "-e", json.dumps({"osd_devices": named})))
    assert osds(store) == before
    assert store.ssh("ceph-1", started) == since
    assert head(store) == label


def head(site: Site) -> bytes:
    path = image(site, BLANK)
    subprocess.run(["sync", path], check=True)
    with path.open("rb") as file:
        return file.read(LABEL)


def test_a_new_disk_becomes_one_osd_more_and_nothing_else_changes(store: Site) -> None:
    before = osds(store)
    link = store.lab("add-disk", "ceph-1", "--size", SIZE).strip()
    letter = link.rpartition("-")[2]
    assert letter == GROWN
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
    wanted = manifest(store, "fewer", GROWN)
    planned = store.orchestrator("plan", manifest=wanted)
    assert planned.code == 0, planned.text
    assert "OsdNotInManifest" in planned.out
    checked(store.orchestrator("run", manifest=wanted))
    assert osds(store) == before


def deleted(site: Site, **policy: object) -> Path:
    """The manifest with all disks and a cleanup policy."""
    devices = [{"name": f"/dev/disk/by-id/lab-disk-{letter}"} for letter in f"{FULL}{BLANK}{GROWN}"]
    storage = {"useAllNodes": True, "devices": devices}
    one = {"count": 1}
    return site.changed_manifest("last", mon=one, mgr=one, storage=storage, cleanupPolicy=policy)


def fsid(site: Site) -> str:
    return str(site.ceph("fsid")["fsid"])


def test_a_deleted_cluster_comes_back_with_its_data(store: Site) -> None:
    before = fsid(store), osds(store)
    store.ssh("ceph-1", "ceph osd pool create kept 8")
    store.ssh("ceph-1", "ceph osd pool set kept size 1 --yes-i-really-mean-it")
    store.ssh("ceph-1", "echo precious | rados -p kept put object -")
    done = store.orchestrator("delete", "--yes", "-o", "plain", manifest=deleted(store))
    assert done.code == 0, done.text
    assert "deleted" in done.err
    assert store.ssh("ceph-1", "pgrep -a 'ceph-(mon|mgr|osd)$' || true") == ""
    enabled = "systemctl list-unit-files 'ceph-*@*' --state=enabled --quiet || true"
    assert store.ssh("ceph-1", enabled) == ""
    gone = "/etc/ceph/ceph.conf /var/lib/ceph-orchestrator /etc/systemd/system/ceph-*@*.service.d"
    assert store.ssh("ceph-1", f"ls -d {gone} 2>/dev/null || true") == ""
    assert not (store.home / "identity.json").exists()
    assert not (store.home / "status.json").exists()
    checked(store.orchestrator("run", manifest=deleted(store)))
    assert (fsid(store), osds(store)) == before
    assert store.ssh("ceph-1", "rados -p kept get object -") == "precious\n"
    assert touched(store) == []


def test_with_the_words_all_of_it_goes_and_nothing_else(store: Site) -> None:
    before = fsid(store)
    store.ssh("ceph-1", f"mkdir {THEIRS}; echo {OTHER_FSID} | tee {THEIRS}/ceph_fsid {THEIRS}/fsid")
    asked = store.orchestrator("delete", manifest=deleted(store, allowUninstallWithVolumes=True))
    assert (asked.code, "--yes" in asked.err) == (2, True)
    held = store.orchestrator("delete", "--yes", manifest=deleted(store, **WORDS))
    assert (held.code, "VolumesExist" in held.err) == (3, True)
    assert fsid(store) == before
    policy = {**WORDS, "allowUninstallWithVolumes": True}
    done = store.orchestrator("delete", "--yes", manifest=deleted(store, **policy))
    assert done.code == 0, done.text
    assert touched(store) == []
    assert store.ssh("ceph-1", LEFT).split() == [f"{THEIRS}/ceph_fsid", f"{THEIRS}/fsid"]
    store.ssh("ceph-1", f"rm -r {THEIRS}")
    again = deleted(store)
    checked(store.orchestrator("run", manifest=again))
    assert fsid(store) != before
    assert len(osds(store)) == 2
    assert touched(store) == []
