"""What a device holds or is rules it out, whoever asks for it."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import LvmOsd, OsdLabel
from tests.fakes import facts
from tests.fakes.facts import GIB, disk, osd_disk
from tests.fakes.selecting import ALL, codes, decisions, selected, verdict

BY_NAME = {"useAllNodes": True, "devices": [{"name": "sdb"}]}
BY_PATH = {"useAllNodes": True, "devices": [{"name": "/dev/sdb"}]}
FOREIGN = OsdLabel(id=4, uuid=facts.uuid(4), fsid=facts.OTHER)


@pytest.mark.parametrize("storage", [ALL, BY_NAME], ids=["all devices", "by name"])
@pytest.mark.parametrize(
    ("values", "code", "reason"),
    [
        ({"osd": FOREIGN}, "ForeignOsd", f"holds osd.4 of cluster {facts.OTHER}"),
        (
            {"osd": replace(FOREIGN, id=-1)},
            "ForeignOsd",
            f"holds BlueStore data of cluster {facts.OTHER}",
        ),
        (
            {"osd": replace(FOREIGN, id=-1, fsid=facts.OURS)},
            "BlueStore",
            "holds BlueStore data that names no OSD: an unfinished OSD, or its DB",
        ),
        ({"type": "rom"}, "TypeNotSupported", "type rom cannot hold an OSD"),
        ({"type": ""}, "TypeNotSupported", "type unknown cannot hold an OSD"),
        ({"type": "raid1"}, "TypeNotSupported", "type raid1 cannot hold an OSD"),
        ({"size": 0}, "NoSize", "has size 0"),
        ({"error": "did not answer in 5 s"}, "Unreadable", "did not answer in 5 s"),
        ({"read_only": True}, "ReadOnly", "is read-only"),
        ({"removable": True}, "Removable", "is a removable medium"),
        ({"mountpoints": ("/", "/boot")}, "Mounted", "is mounted on /, /boot"),
        ({"filesystem": "ext4"}, "Filesystem", "holds ext4"),
        ({"filesystem": "LVM2_member"}, "Filesystem", "holds LVM2_member"),
        ({"signatures": ("zfs_member",)}, "Filesystem", "holds zfs_member"),
        ({"filesystem": "ext4", "signatures": ("ext4", "dos")}, "Filesystem", "holds ext4, dos"),
        ({"partition_table": "gpt"}, "PartitionTable", "has a gpt partition table"),
        (
            {"children": ("sdb1", "sdb2")},
            "HasChildren",
            "has sdb1, sdb2; those are looked at instead",
        ),
        ({"holders": ("dm-0",)}, "InUse", "is used by dm-0"),
        (
            {"size": 5 * GIB - 1},
            "TooSmall",
            "5368709119 bytes are less than the 5 GiB that an OSD needs",
        ),
        (
            {"type": "loop"},
            "LoopNotAllowed",
            "set ceph_allow_loop_devices in the inventory to use loop devices",
        ),
        (
            {"multipath_member": True},
            "MultipathMember",
            "is one path to a multipath device, which is looked at instead",
        ),
    ],
)
def test_what_a_device_holds_or_is_rules_it_out_whoever_named_it(storage, values, code, reason):
    found = verdict(disk("sdb", **values), storage)

    assert (found.state, found.code, found.reason) == ("skipped", code, reason)
    assert found.wanted is None


@pytest.mark.parametrize("name", ["zram0", "ram1", "nbd3", "rbd0", "zd16"])
def test_c09_devices_that_do_not_last_are_left_out(name):
    assert verdict(disk(name)).code == "Volatile"


C09 = (
    disk("sr0", type="rom", size=1073741312, removable=True),
    disk("nbd0", size=0),
    disk("nbd1", type="", size=0),
    disk("zram0", size=4294967296),
    disk("loop3", type="loop", size=66060288, read_only=True),
    disk("sdc", size=480103981056, read_only=True),
    disk("sdd", size=480103981056),
)


def test_c09_only_the_real_disk_is_taken_and_every_other_has_its_reason():
    assert codes(ALL, *C09) == {
        "sr0": "TypeNotSupported",
        "nbd0": "Volatile",
        "nbd1": "TypeNotSupported",
        "zram0": "Volatile",
        "loop3": "ReadOnly",
        "sdc": "ReadOnly",
        "sdd": "Selected",
    }


def test_c09_an_impossible_name_is_a_mistake_of_that_entry_only():
    storage = {"useAllNodes": True, "devices": [{"name": "sr0"}, {"name": "sdd"}]}

    found = decisions(storage, *C09)

    assert [one.disk.name for one in found if one.mistaken] == ["sr0"]
    assert selected(storage, *C09) == "sdd"


def c01(**sdg):
    parent = replace(osd_disk("sdg", 1), children=("sdg2", "sdg3"), **sdg)
    scheme = {"type": "part", "udev_partition_scheme": "atari"}
    return (
        parent,
        disk("sdg2", parent="sdg", size=48 * GIB, **scheme),
        disk("sdg3", parent="sdg", size=6606336, **scheme),
        disk("sdh", size=3576 * GIB, partition_table="gpt", children=("sdh1",)),
        disk("sdh1", type="part", parent="sdh", partition_table="gpt", size=1788 * GIB),
    )


@pytest.mark.parametrize("filesystem", ["ceph_bluestore", ""], ids=["a", "b"])
def test_c01_partitions_imagined_on_an_osd_are_never_candidates(filesystem):
    disks = [replace(one, udev_partition_scheme="") for one in c01(filesystem=filesystem)]

    for devices in (disks, c01(filesystem=filesystem)):
        assert codes(ALL, *devices) == {
            "sdg": "ExistingOsd",
            "sdg2": "PartOfOsd",
            "sdg3": "PartOfOsd",
            "sdh": "HasChildren",
            "sdh1": "Selected",
        }


def test_a_partition_of_an_osd_names_its_disk_by_the_path_that_outlives_a_reboot():
    parent, part, *_ = c01()

    (found,) = [one for one in decisions(ALL, parent, part) if one.code == "PartOfOsd"]

    assert found.reason == "/dev/disk/by-id/wwn-sdg is an OSD; its partitions are misread data"


def test_c01_atari_partitions_are_phantoms_even_where_the_label_cannot_be_read():
    unread = disk("sdg", children=("sdg2",), partition_table="atari")
    phantom = disk("sdg2", type="part", parent="sdg", udev_partition_scheme="atari")

    assert set(codes(ALL, unread, phantom).values()) == {"PhantomPartition"}


def test_a_partition_is_not_refused_for_the_table_that_it_stands_in():
    parent = disk("sdb", children=("sdb1", "sdb2"), partition_table="gpt")
    blank = disk("sdb1", type="part", parent="sdb", partition_table="gpt")
    used = disk("sdb2", type="part", parent="sdb", partition_table="gpt", filesystem="xfs")

    assert codes(ALL, parent, blank, used) == {
        "sdb": "HasChildren",
        "sdb1": "Selected",
        "sdb2": "Filesystem",
    }


@pytest.mark.parametrize(
    ("values", "code", "reason"),
    [
        ({"filesystem": "linux_raid_member"}, "Filesystem", "holds linux_raid_member"),
        ({"filesystem": "isw_raid_member"}, "Filesystem", "holds isw_raid_member"),
        ({"filesystem": "zfs_member"}, "Filesystem", "holds zfs_member"),
        (
            {"multipath_member": True},
            "MultipathMember",
            "is one path to a multipath device, which is looked at instead",
        ),
        ({"holders": ("md126",)}, "InUse", "is used by md126"),
        ({"mountpoints": ("/media",)}, "Mounted", "is mounted on /media"),
    ],
)
@pytest.mark.parametrize("storage", [ALL, {"useAllNodes": True, "devices": [{"name": "sdb2"}]}])
def test_a_blank_partition_of_a_disk_that_is_something_as_a_whole(storage, values, code, reason):
    """A RAID of version 1.0: the kernel sees on each of its disks the partitions that it holds."""
    whole = disk("sdb", children=("sdb1", "sdb2"), partition_table="gpt", **values)
    used = disk("sdb1", type="part", parent="sdb", filesystem="xfs")
    blank = disk("sdb2", type="part", parent="sdb")

    found = {one.disk.name: one for one in decisions(storage, whole, used, blank)}["sdb2"]

    assert (found.code, found.wanted) == (code, None)
    assert found.reason == f"/dev/disk/by-id/wwn-sdb, the disk around it, {reason}"


def test_paths_are_left_for_the_multipath_device_on_top_of_them():
    members = [
        disk(name, filesystem="mpath_member", children=("dm-0",), holders=("dm-0",))
        for name in ("sda", "sdb")
    ]
    whole = disk("dm-0", type="mpath", path="/dev/mapper/mpatha", parent="sda")

    assert codes(ALL, *members, whole) == {
        "sda": "MultipathMember",
        "sdb": "MultipathMember",
        "dm-0": "Selected",
    }
    assert codes({"useAllNodes": True, "devices": [{"name": "/dev/mapper/mpatha"}]}, whole) == {
        "dm-0": "Selected"
    }


def test_a_multipath_osd_is_listed_once():
    label = osd_disk("sda", 1).osd
    member = disk("sda", osd=label, multipath_member=True, children=("dm-0",))
    whole = disk("dm-0", type="mpath", parent="sda", osd=label, filesystem="ceph_bluestore")

    assert codes(ALL, member, whole) == {"sda": "MultipathMember", "dm-0": "ExistingOsd"}


@pytest.mark.parametrize("kind", ["crypt", "linear", "ssd"])
def test_other_types_that_rook_takes_are_taken(kind):
    assert verdict(disk("dm-1", type=kind)).code == "Selected"


@pytest.mark.parametrize(
    ("storage", "expected"),
    [(ALL, "NotExplicit"), (BY_NAME, "Selected")],
)
def test_loop_devices_need_permission_and_a_name(storage, expected):
    assert verdict(disk("sdb", type="loop"), storage, allow_loop_devices=True).code == expected


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        (ALL, "NotExplicit"),
        ({"useAllNodes": True, "deviceFilter": "sdb"}, "NotExplicit"),
        (BY_NAME, "NotExplicit"),
        (BY_PATH, "Selected"),
    ],
)
def test_logical_volumes_need_their_path(storage, expected):
    assert verdict(disk("sdb", type="lvm"), storage).code == expected


@pytest.mark.parametrize(
    ("kind", "config", "expected"),
    [
        ("disk", {"encryptedDevice": "true"}, "Selected"),
        ("part", {"encryptedDevice": "true"}, "EncryptionNotPossible"),
        ("lvm", {"encryptedDevice": "true"}, "EncryptionNotPossible"),
        ("disk", {"osdsPerDevice": "2"}, "Selected"),
        ("disk", {"osdsPerDevice": "3"}, "TooSmall"),
        ("lvm", {"osdsPerDevice": "2"}, "SeveralNotPossible"),
        ("part", {"osdsPerDevice": "2"}, "SeveralNotPossible"),
    ],
)
def test_what_only_whole_disks_can_do_is_refused_on_others(kind, config, expected):
    storage = {**BY_PATH, "config": config}

    found = verdict(disk("sdb", type=kind), storage)

    assert found.code == expected
    assert found.mistaken is expected.endswith("NotPossible")


def lvm_osd(number, fsid, path, device):
    return LvmOsd(id=number, uuid=facts.uuid(number), fsid=fsid, path=path, devices=(device,))


C03 = (
    lvm_osd(0, facts.OURS, "/dev/ceph-aa11/osd-block-1", "/dev/sdb"),
    lvm_osd(0, facts.OTHER, "/dev/ceph-zz99/osd-block-9", "/dev/sdc"),
)


@pytest.mark.parametrize("listed", [C03, C03[::-1]], ids=["in order", "reversed"])
def test_c03_volumes_of_two_clusters_with_one_id_are_told_apart(listed):
    disks = (disk("sdb", filesystem="LVM2_member"), disk("sdc", filesystem="LVM2_member"))

    assert codes(ALL, *disks, osds_lvm=listed) == {"sdb": "ExistingOsd", "sdc": "ForeignOsd"}


def test_a_disk_of_volumes_shows_their_osds():
    whole = disk("sdb", filesystem="LVM2_member", children=("dm-0", "dm-1"))
    volumes = [
        replace(osd_disk(f"dm-{number}", number), type="lvm", parent="sdb") for number in (0, 1)
    ]

    found = decisions(ALL, whole, *volumes)

    assert [one.standing for one in found] == ["osd.0, osd.1", "osd.0", "osd.1"]
    assert all(one.asked_by == "useAllDevices" for one in found)


def test_what_was_cut_off_may_be_tried_again_but_nothing_else_on_the_disk():
    half = disk("sdb", unfinished=True, filesystem="ceph_bluestore")

    assert verdict(half).code == "Unfinished"
    assert verdict(half).reason == "cut off before; matched by useAllDevices"
    for values, code in [
        ({"mountpoints": ("/x",)}, "Mounted"),
        ({"signatures": ("xfs",)}, "Filesystem"),
        ({"osd": FOREIGN}, "ForeignOsd"),
        ({"error": "I/O error"}, "Unreadable"),
    ]:
        assert verdict(replace(half, **values)).code == code
