"""One metadata device under all of its names, and what a manifest cannot ask of it (CASES C11)."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import LvmOsd
from tests.fakes import facts
from tests.fakes.facts import GIB, disk, osd_disk
from tests.fakes.selecting import ALL, codes, decisions, selected

LINK = "/dev/disk/by-id/nvme-EXAMPLE_0001"
NVME = disk("nvme0n1", by_id=LINK, links=(LINK,))
DISKS = (disk("sdb"), disk("sdc"), NVME)
TWO = {"metadataDevice": LINK, "osdsPerDevice": "2"}


def node(config, *devices):
    return {"nodes": [{"name": "store-a", "config": config, "devices": list(devices)}]}


@pytest.mark.parametrize("name", [LINK, "nvme0n1", "/dev/nvme0n1"])
@pytest.mark.parametrize(
    "choice",
    [{"useAllDevices": True}, {"deviceFilter": "^(sd|nvme)"}, {"devicePathFilter": "/dev/"}],
    ids=["all devices", "filter", "path filter"],
)
def test_c11_the_metadata_device_is_never_data(name, choice):
    storage = {"useAllNodes": True, **choice, "config": {**TWO, "metadataDevice": name}}

    found = {one.disk.name: one for one in decisions(storage, *DISKS)}

    assert found["nvme0n1"].code == "MetadataDevice"
    for data in ("sdb", "sdc"):
        wanted = found[data].wanted
        assert (wanted.mode, wanted.osds_per_device, wanted.metadata_device) == ("lvm", 2, LINK)


def test_c11_not_even_when_an_entry_names_it_as_data():
    storage = node({"metadataDevice": LINK}, {"name": "sdb"}, {"name": "nvme0n1"})

    found = {one.disk.name: one for one in decisions(storage, *DISKS)}

    assert found["sdb"].code == "Selected"
    assert (found["nvme0n1"].code, found["nvme0n1"].missed) == ("MetadataDevice", True)


def test_c11_named_for_one_device_it_is_not_data_of_another():
    own = {"name": "sdb", "config": {"metadataDevice": "nvme0n1"}}

    assert selected(node({}, own, {"name": LINK}, {"name": "sdc"}), *DISKS) == "sdb sdc"


def test_c11b_two_divisions_of_one_device_are_a_contradiction():
    other = {"name": "sdc", "config": {"osdsPerDevice": "3", "metadataDevice": "nvme0n1"}}
    big = [replace(one, size=100 * GIB) for one in DISKS]

    found = [one for one in decisions(node(TWO, {"name": "sdb"}, other), *big) if one.mistaken]

    assert [(one.disk.name, one.code) for one in found] == [
        ("sdb", "MetadataConflict"),
        ("sdc", "MetadataConflict"),
    ]
    assert found[0].reason == (
        f"devices that share the metadata device {LINK} ask for osdsPerDevice 2 and 3; "
        "give them one value"
    )


def test_c11b_two_sizes_of_databases_are_one_too():
    other = {"name": "sdc", "config": {"databaseSizeMB": "2048"}}
    config = {"metadataDevice": LINK, "databaseSizeMB": "1024"}

    found = decisions(node(config, {"name": "sdb"}, other), *DISKS)

    assert "databaseSizeMB 1024 and 2048" in found[0].reason


PART = disk("nvme0n1p2", type="part", parent="nvme0n1", partition_table="gpt")


def test_c11c_a_partition_cannot_serve_all_devices():
    found = decisions(node({"metadataDevice": "nvme0n1p2"}, {"name": "sdb"}), *DISKS, PART)

    assert (found[0].code, found[0].mistaken) == ("MetadataPartition", True)


def test_c11c_a_partition_may_serve_one_device():
    own = {"name": "sdb", "config": {"metadataDevice": "nvme0n1p2"}}

    found = decisions(node({}, own), *DISKS, PART)

    assert found[0].wanted.metadata_device == PART.by_id


def test_c11d_without_the_device_nothing_is_prepared_on_the_host():
    entries = [{"name": "sdb"}, {"name": "sdc", "config": {"metadataDevice": "nvme9n9"}}]

    found = decisions(node({}, *entries), *DISKS)

    assert [one.code for one in found[:2]] == ["MetadataDeviceMissing"] * 2
    assert (
        found[0].reason == "metadataDevice nvme9n9 is not on this host, so nothing is prepared here"
    )


def test_c11d_a_device_that_nothing_needs_any_more_is_not_asked_for():
    storage = {**ALL, "config": {"metadataDevice": "/dev/disk/by-id/gone"}}

    assert codes(storage, osd_disk("sdb", 1)) == {"sdb": "ExistingOsd"}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"filesystem": "ext4"}, "holds ext4"),
        ({"signatures": ("zfs_member",)}, "holds zfs_member"),
        ({"partition_table": "gpt"}, "has a gpt partition table"),
        ({"mountpoints": ("/",)}, "is mounted on /"),
        ({"holders": ("dm-0",)}, "is used by dm-0"),
        ({"error": "I/O error"}, "cannot be read: I/O error"),
        ({"read_only": True}, "is read-only, removable or without a medium"),
        ({"osd": osd_disk("x", 3).osd}, "holds osd.3"),
    ],
)
@pytest.mark.parametrize("name", [LINK, "nvme0n1"])
def test_a_metadata_device_that_holds_something_is_refused_by_the_manifests_name(
    values, reason, name
):
    storage = {**ALL, "config": {"metadataDevice": name}}

    found = decisions(storage, disk("sdb"), replace(NVME, **values))

    assert (found[0].code, found[0].mistaken) == ("MetadataDeviceUnusable", True)
    assert found[0].reason == f"metadataDevice {name} {reason}"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/dev/mapper/ceph--aa11-osd--db--1", "Selected"),
        ("/dev/mapper/data-home", "MetadataDeviceUnusable"),
    ],
)
def test_one_that_holds_only_our_volumes_serves_further_devices(path, code):
    used = replace(NVME, filesystem="LVM2_member", children=("dm-5",), holders=("dm-5",))
    volume = disk("dm-5", type="lvm", parent="nvme0n1", path=path)
    storage = {**ALL, "config": {"metadataDevice": LINK}}

    assert codes(storage, disk("sdb"), used, volume)["sdb"] == code


@pytest.mark.parametrize(
    ("fsid", "code"), [(facts.OURS, "Selected"), (facts.OTHER, "MetadataDeviceUnusable")]
)
def test_volumes_of_another_clusters_databases_are_not_ours(fsid, code):
    used = replace(NVME, filesystem="LVM2_member", children=("dm-5",))
    volume = disk("dm-5", type="lvm", parent="nvme0n1", path="/dev/mapper/ceph--aa11-osd--db--1")
    osd = LvmOsd(id=1, uuid=facts.uuid(1), fsid=fsid, db_devices=("/dev/nvme0n1",))
    storage = {**ALL, "config": {"metadataDevice": LINK}}

    assert codes(storage, disk("sdb"), used, volume, osds_lvm=(osd,))["sdb"] == code
