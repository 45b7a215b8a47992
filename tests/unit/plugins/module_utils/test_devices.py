"""Cases C01 (phantom partitions), C09 (things that are no disks) and odd or missing data."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    child,
    devices,
    lsblk,
    probe,
    raw_list,
    udev,
)

from tests.fakes.listings import node

LABEL = bluestore_label.Label(
    osd_uuid="11111111-0000-4000-8000-000000000001",
    size=3840755982336,
    description="main",
    meta={
        "whoami": "4",
        "ceph_fsid": "0a1b2c3d-1111-4222-8333-444455556666",
        "ready": "ready",
    },
)


class Machine:
    """A host's devices: what lsblk prints, and what reading each head gives."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.heads: dict[str, Any] = {}
        self.read: list[str] = []
        self.probed: dict[str, bool] = {}
        monkeypatch.setattr(lsblk, "_lsblk", lambda: json.dumps({"blockdevices": self.nodes}))
        self.properties: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []
        self.given: list[float] = []
        self.opinion: Exception | None = None
        monkeypatch.setattr(udev, "record", self.record)
        monkeypatch.setattr(raw_list, "ask", self.ask)
        monkeypatch.setattr(udev, "links_by_target", lambda _claimed: {})
        monkeypatch.setattr(devices, "_head", self.head)
        monkeypatch.setattr(child, "each", self.each)

    def record(self, number: str) -> udev.Record:
        return udev.Record(known=True, properties=self.properties.get(number, {}))

    def ask(self, path: str, seconds: float) -> None:
        self.asked.append(path)
        self.given.append(seconds)
        if self.opinion:
            raise self.opinion

    def head(self, path: str, probe_it: bool) -> Any:  # noqa: FBT001
        self.read.append(path)
        self.probed[path] = probe_it
        found = self.heads.get(path, devices.Head())
        if isinstance(found, Exception):
            raise found
        return found

    @staticmethod
    def each(items: Any, function: Any, _seconds: float, _at_once: int) -> dict[str, Any]:
        return {item: child._outcome(function, item) for item in items}

    def collect(self) -> dict[str, devices.Device]:
        return {device.name: device for device in devices.collect(1.0)}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.mark.parametrize("fstype", ["ceph_bluestore", None])
def test_c01_below_an_osd_nothing_is_touched(machine: Machine, fstype: str | None) -> None:
    phantoms = [node("sdg2", type="part"), node("sdg3", type="part")]
    machine.nodes = [
        node("sdg", fstype=fstype, children=phantoms),
        node("sdh", pttype="gpt", children=[node("sdh1", type="part", pttype="gpt")]),
    ]
    machine.heads["/dev/sdg"] = devices.Head(LABEL)
    found = machine.collect()
    assert machine.read == ["/dev/sdg", "/dev/sdh", "/dev/sdh1"]
    assert found["sdg"].osd == {
        "id": 4,
        "uuid": LABEL.osd_uuid,
        "fsid": LABEL.fsid,
        "description": "main",
    }
    assert found["sdg"].filesystem == "ceph_bluestore"
    assert found["sdg2"].error == "not looked at: /dev/sdg as a whole holds an OSD"
    assert (found["sdh1"].error, found["sdh1"].parent) == ("", "sdh")
    # The table that it is an entry of is not one that it holds.
    assert (found["sdh1"].partition_table, found["sdh1"].udev_partition_scheme) == ("", "gpt")
    assert found["sdh"].partition_table == "gpt"
    assert machine.probed == {"/dev/sdg": False, "/dev/sdh": False, "/dev/sdh1": True}


def test_a_label_that_mkfs_did_not_finish_names_no_osd(machine: Machine) -> None:
    machine.nodes = [node("sda")]
    cut = bluestore_label.Label(LABEL.osd_uuid, LABEL.size, "main", {"whoami": "4"})
    machine.heads["/dev/sda"] = devices.Head(cut)
    osd = machine.collect()["sda"].osd
    assert osd
    assert (osd["id"], osd["uuid"]) == (-1, LABEL.osd_uuid)


def test_c01_an_atari_table_alone_closes_its_partitions(machine: Machine) -> None:
    machine.nodes = [node("sdg", children=[node("sdg2", type="part", **{"maj:min": "8:98"})])]
    machine.properties["8:98"] = {"ID_PART_ENTRY_SCHEME": "atari"}
    found = machine.collect()
    assert machine.read == ["/dev/sdg"]
    assert "the kernel takes /dev/sdg for partitioned by an Atari" in found["sdg2"].error


def test_c01_a_label_that_cannot_be_read_guards_its_partitions_too(machine: Machine) -> None:
    machine.nodes = [node("sdg", children=[node("sdg2", type="part")])]
    machine.heads["/dev/sdg"] = bluestore_label.LabelError("the BlueStore label is damaged")
    found = machine.collect()
    assert found["sdg"].error == "the BlueStore label is damaged; ceph-volume sees no OSD"
    assert machine.asked == ["/dev/sdg"]
    assert found["sdg"].filesystem == "ceph_bluestore"
    assert found["sdg2"].error


def test_a_label_that_nobody_can_read_takes_no_second_deadline(machine: Machine) -> None:
    machine.nodes = [node("sdg")]
    machine.heads["/dev/sdg"] = bluestore_label.LabelError("the BlueStore label is damaged")
    machine.opinion = raw_list.RawListError("ceph-volume raw list: no answer within 0.8 s")
    found = machine.collect()
    assert found["sdg"].error.endswith("damaged; ceph-volume raw list: no answer within 0.8 s")
    assert found["sdg"].filesystem == "ceph_bluestore"
    assert machine.given == [0.8]


def test_c09_what_is_no_disk_stays_in_the_list_unread(machine: Machine) -> None:
    machine.nodes = [
        node("sr0", type="rom", size=1073741312),
        node("nbd0", size=0),
        node("nbd1", type=None, size=None),
        node("zram0", size=4294967296),
        node("loop3", type="loop", size=66060288, ro=True),
        node("sdc", ro="1"),
        node("sdd"),
    ]
    found = machine.collect()
    assert list(found) == ["sr0", "nbd0", "nbd1", "zram0", "loop3", "sdc", "sdd"]
    assert machine.read == ["/dev/zram0", "/dev/loop3", "/dev/sdc", "/dev/sdd"]
    assert found["nbd0"].error == found["nbd1"].error == "size 0: no medium, or not attached"
    assert (found["nbd1"].type, found["sr0"].type) == ("", "rom")
    assert found["loop3"].read_only
    assert found["sdc"].read_only
    assert not found["sdd"].read_only


def test_a_broken_device_is_one_error_and_spares_the_others(machine: Machine) -> None:
    machine.nodes = [node("sda", children=[node("sda1", type="part")]), node("sdb")]
    machine.heads["/dev/sda"] = OSError(5, "Input/output error")
    machine.heads["/dev/sdb"] = devices.Head(LABEL)
    found = machine.collect()
    assert "Input/output error" in found["sda"].error
    assert found["sda1"].error.startswith("not looked at: /dev/sda: ")
    assert found["sdb"].osd


def test_a_hanging_device_ends_with_its_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging, good = tmp_path / "hanging", tmp_path / "good"
    os.mkfifo(hanging)
    good.write_bytes(b"\0" * 4096)
    nodes = [node("a", path=str(hanging)), node("b", path=str(good))]
    monkeypatch.setattr(lsblk, "_lsblk", lambda: json.dumps({"blockdevices": nodes}))
    monkeypatch.setattr(udev, "record", lambda _number: udev.Record(known=True))
    monkeypatch.setattr(probe, "look", lambda _path: probe.Content())
    slow, fine = devices.collect(0.3)
    assert slow.error == "no answer within 0.3 s"
    assert fine.error == ""


def test_a_failed_path_of_a_multipath_disk_does_not_hide_the_disk(machine: Machine) -> None:
    mpath = node("dm-0", type="mpath", path="/dev/mapper/mpatha")
    machine.nodes = [
        node("sda", fstype="mpath_member", children=[mpath]),
        node("sdb", fstype="mpath_member", children=[mpath]),
    ]
    machine.heads["/dev/sda"] = OSError(5, "Input/output error")
    machine.heads["/dev/mapper/mpatha"] = devices.Head(LABEL)
    found = machine.collect()
    assert list(found) == ["sda", "dm-0", "sdb"]
    assert found["dm-0"].osd
    assert found["sda"].holders == found["sdb"].holders == ("dm-0",)


def test_what_nothing_is_known_of_is_probed(machine: Machine) -> None:
    machine.nodes = [node("sda"), node("sdb", fstype="ext4"), node("sdc", mountpoints=["/x"])]
    machine.heads["/dev/sda"] = devices.Head(
        content=probe.Content("crypto_LUKS", "gpt", ("crypto_LUKS", "gpt"))
    )
    found = machine.collect()
    assert machine.probed == {"/dev/sda": True, "/dev/sdb": False, "/dev/sdc": False}
    assert (found["sda"].filesystem, found["sda"].partition_table) == ("crypto_LUKS", "gpt")
    assert found["sda"].signatures == ("crypto_LUKS", "gpt")


def test_a_copy_of_the_label_tells_of_an_osd_whose_head_is_gone(machine: Machine) -> None:
    machine.nodes = [node("sda", children=[node("sda1", type="part")]), node("sdb")]
    machine.heads["/dev/sdb"] = devices.Head(copies=("a copy at 1 GiB names osd.4",))
    machine.heads["/dev/sda"] = machine.heads["/dev/sdb"]
    found = machine.collect()
    assert found["sdb"].error == "holds an OSD whose head is damaged: a copy at 1 GiB names osd.4"
    assert (found["sdb"].filesystem, found["sdb"].osd) == ("ceph_bluestore", None)
    assert found["sda1"].error == "not looked at: /dev/sda as a whole holds an OSD"
    assert machine.asked == []


@pytest.mark.parametrize(
    ("fields", "properties"),
    [
        ({"fstype": "mpath_member"}, {}),
        ({"children": [node("dm-0", type="mpath")]}, {}),
        ({}, {"DM_MULTIPATH_DEVICE_PATH": "1"}),
    ],
)
def test_a_path_of_a_multipath_disk_is_known_as_one(
    machine: Machine, fields: dict[str, Any], properties: dict[str, str]
) -> None:
    machine.nodes = [node("sda", **fields)]
    machine.properties["8:0"] = properties
    found = machine.collect()
    assert found["sda"].multipath_member
    assert machine.probed["/dev/sda"] is False


def test_the_wwn_comes_from_udev_where_lsblk_has_none(machine: Machine) -> None:
    machine.nodes = [node("sda", wwn="0x5000c500a1b2c3d4"), node("sdb", **{"maj:min": "8:16"})]
    machine.properties["8:16"] = {"ID_WWN": "eui.0025385b01"}
    found = machine.collect()
    assert (found["sda"].wwn, found["sdb"].wwn) == ("0x5000c500a1b2c3d4", "eui.0025385b01")
