"""Disks are cleared side by side; those that are not ours are named and stay."""

import dataclasses
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    device_lock,
    lvm_list,
    prepare_records,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd_disk

from tests.unit.plugins.module_utils.test_bluestore_label import FSID, label
from tests.unit.plugins.module_utils.test_sanitize import OTHER

OSD = lvm_list.LvmOsd(id=0, uuid="u0", fsid=FSID, path="/dev/vg/a")
THEIRS = lvm_list.LvmOsd(id=0, uuid="u1", fsid=OTHER, path="/dev/vg/b")


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Two labelled disks, one blank one and two OSDs in volumes; gives what was run and written."""
    done: list[list[str]] = []
    looks = {
        "/dev/ours": {"label": bluestore_label.parse(label())},
        "/dev/other": {"label": bluestore_label.parse(label(meta={"ceph_fsid": OTHER}))},
        "/dev/blank": {},
        "/dev/busy": {"label": bluestore_label.parse(label())},
    }

    def look(path: str) -> Any:
        plain = {"type": "disk", "size": 1 << 30}
        return ceph_osd_disk.blank.Look(path, path, **{**plain, **looks.get(path, {})})

    def clear(device: str, owner: Any, way: Any) -> None:
        if device == "/dev/busy":
            raise ceph_osd_disk.HostError("/dev/busy: something has it open")
        done.append(["clear", device, owner.fsid, way.method])

    monkeypatch.setattr(ceph_osd_disk.blank, "look", look)
    monkeypatch.setattr(
        ceph_osd_disk.blank, "looks", lambda paths: {one: look(one) for one in paths}
    )
    monkeypatch.setattr(ceph_osd_disk.sanitize, "clear", clear)
    monkeypatch.setattr(ceph_osd_disk.program, "run", lambda argv, _seconds: done.append(argv))
    monkeypatch.setattr(lvm_list, "ask", lambda _seconds, _errors: [OSD, THEIRS])
    monkeypatch.setattr(prepare_records, "all_records", list)
    return done


def test_ours_is_cleared_and_the_others_are_named(run, host) -> None:
    devices = ["/dev/ours", "/dev/other", "/dev/blank", "/dev/busy", "/dev/ours"]
    result = run(ceph_osd_disk, fsid=FSID, devices=devices)
    assert result["cleared"] == ["/dev/ours"]
    assert [one["path"] for one in result["refused"]] == ["/dev/other", "/dev/busy"]
    assert OTHER in result["refused"][0]["reason"]
    assert host[0] == ["clear", "/dev/ours", FSID, "quick"]
    assert host[1][:3] == ["udevadm", "trigger", "--settle"]


def test_check_mode_writes_nothing(run, host) -> None:
    result = run(ceph_osd_disk, check=True, fsid=FSID, devices=["/dev/ours"], osds=["u0"])
    assert result["cleared"] == ["/dev/ours", "u0"]
    assert host == []


def test_volumes_go_by_the_uuid_and_only_of_the_cluster(run, host) -> None:
    result = run(ceph_osd_disk, fsid=FSID, osds=["u0", "u1", "gone"])
    assert result["cleared"] == ["u0"]
    assert [one["path"] for one in result["refused"]] == ["u1"]
    assert host == [["ceph-volume", "lvm", "zap", "--destroy", "--osd-fsid", "u0"]]


@pytest.mark.parametrize("path", ["/dev/vg/a", "/dev/vg/db", "/dev/vg/wal"])
def test_volumes_on_which_an_osd_runs_stay(run, host, monkeypatch, path) -> None:
    osd = dataclasses.replace(OSD, db="/dev/vg/db", wal="/dev/vg/wal")
    monkeypatch.setattr(lvm_list, "ask", lambda _seconds, _errors: [osd])
    monkeypatch.setattr(device_lock, "is_running", lambda device: device == path)
    result = run(ceph_osd_disk, fsid=FSID, osds=["u0"])
    assert result["refused"] == [{"path": "u0", "reason": f"an OSD runs on {path}, so it stays"}]
    assert host == []


def test_volumes_that_cannot_be_looked_at_stay(run, host, monkeypatch) -> None:
    def fail(_device: str) -> bool:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(device_lock, "is_running", fail)
    result = run(ceph_osd_disk, fsid=FSID, osds=["u0"])
    assert result["refused"][0]["reason"] == "/dev/vg/a: cannot be looked at: Input/output error"
    assert host == []


def test_volumes_without_a_cluster_are_nobody_s(run, host, monkeypatch) -> None:
    monkeypatch.setattr(
        lvm_list, "ask", lambda _seconds, _errors: [dataclasses.replace(OSD, fsid="")]
    )
    result = run(ceph_osd_disk, fsid="", osds=["u0"])
    assert (result["cleared"], len(result["refused"]), host) == ([], 1, [])


def test_volumes_that_cannot_be_listed_are_a_failure(run, host, monkeypatch) -> None:
    monkeypatch.setattr(lvm_list, "ask", lambda _seconds, errors: errors.append("hangs") or [])
    result = run(ceph_osd_disk, fsid=FSID, osds=["u0"])
    assert (result["failed"], result["msg"]) == (True, "hangs")
    assert host == []
