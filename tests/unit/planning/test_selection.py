"""Rules that look at several devices of a host, and what a selected device is to become."""

from dataclasses import replace

import pytest

from orchestrator.model.decisions import Mode, WantedDevice
from tests.fakes import facts
from tests.fakes.facts import GIB, disk, osd_disk
from tests.fakes.selecting import ALL, codes, decisions, selected, verdict

SDB = "/dev/disk/by-id/wwn-sdb"


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ({}, WantedDevice(path=SDB)),
        ({"deviceClass": "ssd"}, WantedDevice(path=SDB, device_class="ssd")),
        ({"osdsPerDevice": "1"}, WantedDevice(path=SDB)),
        ({"osdsPerDevice": "2"}, WantedDevice(path=SDB, mode=Mode.LVM, osds_per_device=2)),
        ({"encryptedDevice": "false"}, WantedDevice(path=SDB)),
        ({"encryptedDevice": "true"}, WantedDevice(path=SDB, mode=Mode.LVM, encrypted=True)),
        (
            {"initialWeight": "0", "primaryAffinity": "0.5"},
            WantedDevice(path=SDB, initial_weight="0", primary_affinity="0.5"),
        ),
        (
            {"databaseSizeMB": "1024", "walSizeMB": "576"},
            WantedDevice(path=SDB, database_size_mb=1024),
        ),
    ],
)
def test_the_settings_of_a_device_say_how_it_is_prepared(config, wanted):
    assert verdict(disk("sdb"), {**ALL, "config": config}).wanted == wanted


@pytest.mark.parametrize(
    ("cluster", "node", "device", "expected"),
    [
        ("ssd", None, None, "ssd"),
        ("ssd", "hdd", None, "hdd"),
        ("ssd", "hdd", "nvme", "nvme"),
        ("ssd", "", None, ""),
        ("ssd", None, "", "ssd"),
        (None, None, None, ""),
    ],
)
def test_the_nearest_setting_is_taken(cluster, node, device, expected):
    def config(value):
        return {} if value is None else {"config": {"deviceClass": value}}

    named = {"name": "store-a", "devices": [{"name": "sdb", **config(device)}], **config(node)}

    found = verdict(disk("sdb"), {"nodes": [named], **config(cluster)})

    assert found.wanted.device_class == expected


def test_a_logical_volume_is_prepared_as_one():
    storage = {"useAllNodes": True, "devices": [{"name": "/dev/vg/lv"}]}

    found = verdict(disk("dm-3", type="lvm", links=("/dev/vg/lv",)), storage)

    assert found.wanted.mode is Mode.LVM


DRIVES = (
    disk("sda", size=480103981056, model="Samsung SSD 870", vendor="ATA"),
    disk("sdb", size=4000787030016, model="ST4000NM0035", vendor="SEAGATE", rotational=True),
    disk("sdc", size=4000787030016, model="HUS726040AL", vendor="HGST", rotational=True),
    disk("sdd", size=10 * GIB, model="QEMU", vendor="QEMU", rotational=True),
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"size": "4T"}, "sdb sdc"),
        ({"size": "4.0T"}, "sdb sdc"),
        ({"size": "4.1T"}, ""),
        ({"size": "480G"}, "sda"),
        ({"size": "400GB:1TB"}, "sda"),
        ({"size": ":480G"}, "sdd"),
        ({"size": ":500G"}, "sda sdd"),
        ({"size": "480G:"}, "sda sdb sdc"),
        ({"model": "ST4000"}, "sdb"),
        ({"vendor": "HGST"}, "sdc"),
        ({"rotational": "0"}, "sda"),
        ({"rotational": "1", "size": "1T:"}, "sdb sdc"),
        ({"rotational": "1", "limit": "2"}, "sdb sdc"),
        ({"limit": "1"}, "sda"),
        ({"size": "", "model": "", "limit": ""}, "sda sdb sdc sdd"),
    ],
)
def test_selectors_as_in_cephadm_narrow_what_is_selected(config, expected):
    assert selected({**ALL, "config": config}, *DRIVES) == expected
    by_filter = {"useAllNodes": True, "deviceFilter": "^sd", "config": config}
    assert selected(by_filter, *DRIVES) == expected


def test_a_device_that_is_narrowed_out_says_why():
    found = {
        one.disk.name: one.reason
        for one in decisions({**ALL, "config": {"size": "4T", "model": "ST"}}, *DRIVES)
    }

    assert found["sda"] == "its size of 480.1 GB is not within 4T"
    assert found["sdc"] == "its model HUS726040AL does not contain ST"


def test_a_nodes_selectors_go_before_those_of_the_cluster():
    node = {"name": "store-a", "config": {"rotational": "0"}}
    storage = {"useAllDevices": True, "config": {"rotational": "1"}, "nodes": [node]}

    assert selected(storage, *DRIVES) == "sda"


def test_the_limit_counts_what_is_there_and_keeps_to_the_order_of_stable_names():
    links = {"sdb": "wwn-3", "sdc": "wwn-1", "sdd": "wwn-2"}
    blank = [disk(name, by_id=f"/dev/disk/by-id/{link}") for name, link in links.items()]
    storage = {**ALL, "config": {"limit": "2"}}

    assert selected(storage, *blank) == "sdc sdd"
    assert selected(storage, osd_disk("sda", 1), *blank) == "sdc"
    assert codes(storage, osd_disk("sda", 1), osd_disk("sde", 2), *blank) == {
        "sda": "ExistingOsd",
        "sde": "ExistingOsd",
        "sdb": "LimitReached",
        "sdc": "LimitReached",
        "sdd": "LimitReached",
    }


def test_osds_that_the_selectors_do_not_mean_are_not_counted():
    storage = {**ALL, "config": {"limit": "1", "rotational": "1"}}

    assert selected(storage, osd_disk("sda", 1), disk("sdb", rotational=True)) == "sdb"


def test_two_paths_to_one_disk_are_one_disk():
    twice = [disk(name, wwn="0x5000c500a1b2c3d4") for name in ("sdb", "sdc")]

    found = decisions(ALL, *twice, disk("sdd", wwn="0x5000c500a1b2c3d5"))

    assert [one.code for one in found] == ["Selected", "AnotherPath", "Selected"]
    assert found[1].reason == "leads to the same disk as sdb; set up multipath for it"


def test_a_second_path_to_an_osd_is_not_taken():
    osd = facts.osd_disk("sdb", 1)
    blank = disk("sdc", wwn="0x5")

    assert codes(ALL, replace(osd, wwn="0x5"), blank)["sdc"] == "AnotherPath"
