"""Which disks become OSDs, and why the others do not (ROOK-COMPAT section 7)."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import OsdLabel
from orchestrator.planning import selection
from tests.fakes import facts
from tests.fakes.facts import GIB, disk

C05_NAMES = ("sda", "sdb", "sdh", "sdi", "sdaa", "nvme0n1", "nvme0n10")
C05_DISKS = (*map(disk, C05_NAMES), disk("nvme1n1p3", type="part"))


def decisions(storage, *disks, **host):
    found = facts.host("store-a", devices=disks, **host)
    spec = facts.spec(storage=storage)
    return selection.decide(found, selection.selector_for(spec, found), facts.OURS)


def selected(storage, *disks, **host):
    found = decisions(storage, *disks, **host)
    return " ".join(one.disk.name for one in found if one.state is selection.State.SELECTED)


def verdict(device, storage=None, **host):
    (found,) = decisions(storage or ALL, device, **host)
    return found


ALL = {"useAllNodes": True, "useAllDevices": True}
BY_NAME = {"useAllNodes": True, "devices": [{"name": "sdb"}]}


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ({"devices": [{"name": "^sd[b-h]"}]}, ""),
        ({"deviceFilter": "^sd[b-h]"}, "sdb sdh"),
        ({"deviceFilter": "sda"}, "sda sdaa"),
        ({"deviceFilter": "^sd.$"}, "sda sdb sdh sdi"),
        ({"deviceFilter": "nvme0n1"}, "nvme0n1 nvme0n10"),
        ({"deviceFilter": "/dev/sdb"}, ""),
        ({"deviceFilter": "^sd[[:lower:]]$"}, "sda sdb sdh sdi"),
        ({"devicePathFilter": "^/dev/sdb$"}, "sdb"),
        ({"devicePathFilter": "by-id/wwn-sd[hi]$"}, "sdh sdi"),
        ({"devices": [{"name": "sdb"}]}, "sdb"),
        ({"devices": [{"name": "/dev/sdb"}]}, "sdb"),
        ({"devices": [{"name": "/dev/disk/by-id/wwn-sdb"}]}, "sdb"),
        ({"devices": [{"fullpath": "/dev/disk/by-id/wwn-sdi"}]}, "sdi"),
    ],
)
def test_c05_filters_search_kernel_names_and_names_are_literal(setting, expected):
    assert selected({"useAllNodes": True, **setting}, *C05_DISKS) == expected


@pytest.mark.parametrize(
    ("setting", "expected", "matched_by"),
    [
        (
            {"devices": [{"name": "sda"}], "deviceFilter": "sdb", "useAllDevices": True},
            "sda",
            "devices entry sda",
        ),
        ({"deviceFilter": "^sdb", "devicePathFilter": "sdh"}, "sdb", "deviceFilter ^sdb"),
        (
            {"devicePathFilter": "/dev/sdh$", "useAllDevices": True},
            "sdh",
            "devicePathFilter /dev/sdh$",
        ),
    ],
)
def test_the_more_exact_setting_wins(setting, expected, matched_by):
    disks = [disk(name) for name in ("sda", "sdb", "sdh")]

    assert selected({"useAllNodes": True, **setting}, *disks) == expected
    (chosen,) = (
        one for one in decisions({"useAllNodes": True, **setting}, *disks) if one.code == "Selected"
    )
    assert chosen.reason == f"matched by {matched_by}"


@pytest.mark.parametrize(
    ("node", "name", "same"),
    [
        ("store-a", "store-a", True),
        ("STORE-A", "store-a", True),
        ("store-a.example.net", "store-a", True),
        ("store-a", "store-a.example.net", True),
        ("store-b", "store-a", False),
        ("store-a.example.net", "store-a.example.org", False),
        ("store", "store-a", False),
    ],
)
def test_c13_a_nodes_name_is_the_hosts_short_or_full_in_any_case(node, name, same):
    assert selection.is_host(node, facts.host(name, addresses=())) is same


C17 = {
    "useAllDevices": None,
    "deviceFilter": "^sd[b-d]$",
    "config": None,
    "storageClassDeviceSets": None,
    "nodes": [
        {"name": "store-a", "deviceFilter": "^nvme", "config": None, "devices": None},
        {"name": "store-c"},
    ],
}


@pytest.mark.parametrize("name", ["store-a", "store-b", "store-c"])
def test_c17_all_nodes_means_all_and_their_own_settings_are_ignored(name):
    found = selection.selector_for(
        facts.spec(storage={**C17, "useAllNodes": True}), facts.host(name)
    )

    assert found == selection.Selector(
        devices=(),
        device_filter="^sd[b-d]$",
        device_path_filter="",
        use_all_devices=False,
        config={},
    )


@pytest.mark.parametrize(
    ("name", "device_filter", "per_device"),
    [("store-a", "^nvme", "1"), ("store-c", "^sd[b-d]$", "2")],
)
def test_c17_a_node_inherits_what_it_does_not_say(name, device_filter, per_device):
    nodes = [{**C17["nodes"][0], "config": {"osdsPerDevice": "1"}}, C17["nodes"][1]]
    storage = {**C17, "useAllNodes": False, "config": {"osdsPerDevice": "2"}, "nodes": nodes}

    found = selection.selector_for(facts.spec(storage=storage), facts.host(name))

    assert found.device_filter == device_filter
    assert found.config == {"osdsPerDevice": per_device}


@pytest.mark.parametrize(
    "storage", [{**C17, "useAllNodes": False}, {"useAllNodes": False, "useAllDevices": True}]
)
def test_c17_a_host_that_is_not_named_is_not_touched(storage):
    assert selection.selector_for(facts.spec(storage=storage), facts.host("store-b")) is None


@pytest.mark.parametrize(
    ("node", "cluster", "expected"),
    [(None, True, True), (False, True, False), (True, False, True), (None, None, False)],
)
def test_a_nodes_own_use_all_devices_wins_even_when_false(node, cluster, expected):
    storage = {
        "useAllDevices": cluster,
        "nodes": [{"name": "store-a", "useAllDevices": node}],
    }

    found = selection.selector_for(facts.spec(storage=storage), facts.host("store-a"))

    assert found.use_all_devices is expected


FOREIGN = OsdLabel(id=4, uuid=facts.uuid(4), fsid=facts.OTHER)


@pytest.mark.parametrize("storage", [ALL, BY_NAME], ids=["all devices", "by name"])
@pytest.mark.parametrize(
    ("values", "code", "reason"),
    [
        ({"osd": FOREIGN}, "ForeignOsd", f"holds osd.4 of cluster {facts.OTHER}"),
        (
            {"osd": replace(FOREIGN, id=-1, fsid=facts.OURS)},
            "BlueStore",
            "holds BlueStore data that names no OSD: an unfinished OSD, or its DB",
        ),
        ({"type": "rom"}, "TypeNotSupported", "type rom cannot hold an OSD"),
        ({"type": ""}, "TypeNotSupported", "type unknown cannot hold an OSD"),
        ({"size": 0}, "NoSize", "has size 0"),
        ({"error": "did not answer in 5 s"}, "Unreadable", "did not answer in 5 s"),
        ({"read_only": True}, "ReadOnly", "is read-only"),
        ({"removable": True}, "Removable", "is a removable medium"),
        ({"mountpoints": ("/", "/boot")}, "Mounted", "is mounted on /, /boot"),
        ({"filesystem": "ext4"}, "Filesystem", "holds ext4"),
        ({"filesystem": "LVM2_member"}, "Filesystem", "holds LVM2_member"),
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
    ],
)
def test_what_a_device_holds_or_is_rules_it_out_whoever_named_it(storage, values, code, reason):
    found = verdict(disk("sdb", **values), storage)

    assert (found.state, found.code, found.reason) == ("skipped", code, reason)


@pytest.mark.parametrize("name", ["zram0", "ram1", "nbd3", "rbd0"])
def test_devices_that_do_not_last_are_left_out(name):
    assert verdict(disk(name)).code == "Volatile"


def test_an_osd_of_this_cluster_is_kept_whatever_the_manifest_says():
    storage = {"useAllNodes": True, "useAllDevices": False}

    found = verdict(facts.osd_disk("sdb", 3), storage)

    assert (found.state, found.code) == ("osd", "ExistingOsd")
    assert found.reason == f"osd.3, uuid {facts.uuid(3)}"


def test_partitions_of_an_osds_disk_are_misread_data():
    parent = replace(facts.osd_disk("sdg", 1), children=("sdg2",))
    phantom = disk("sdg2", type="part", parent="sdg", size=48 * GIB)

    found = decisions(ALL, parent, phantom)

    assert [one.code for one in found] == ["ExistingOsd", "PartOfOsd"]


@pytest.mark.parametrize(
    ("storage", "expected"),
    [(ALL, "NotExplicit"), (BY_NAME, "Selected")],
)
def test_loop_devices_need_permission_and_a_name(storage, expected):
    assert verdict(disk("sdb", type="loop"), storage, allow_loop_devices=True).code == expected


@pytest.mark.parametrize(
    "config",
    [{"encryptedDevice": "true"}, {"metadataDevice": "nvme0n1"}, {"osdsPerDevice": "2"}],
)
def test_what_this_release_cannot_do_is_said_and_not_half_done(config):
    assert verdict(disk("sdb"), {**ALL, "config": config}).code == "NotSupported"


def test_a_logical_volume_is_refused_even_by_name():
    assert verdict(disk("sdb", type="lvm"), BY_NAME).code == "NotSupported"


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ({**ALL, "config": {"deviceClass": "ssd"}}, "ssd"),
        (
            {
                "useAllNodes": True,
                "config": {"deviceClass": "ssd"},
                "devices": [{"name": "sdb", "config": {"deviceClass": "nvme"}}],
            },
            "nvme",
        ),
        (ALL, ""),
    ],
)
def test_the_nearest_device_class_is_taken(storage, expected):
    assert verdict(disk("sdb"), storage).device_class == expected


@pytest.mark.parametrize(
    ("storage", "device", "missed"),
    [
        (ALL, disk("sdb"), False),
        (ALL, disk("sdb", filesystem="ext4"), True),
        (ALL, disk("sdb", osd=FOREIGN), True),
        (ALL, disk("sdb", mountpoints=("/",)), False),
        (ALL, disk("sdb", type="rom"), False),
        (BY_NAME, disk("sdb", mountpoints=("/",)), True),
        (BY_NAME, disk("sdc", filesystem="ext4"), False),
    ],
)
def test_a_device_is_missed_when_a_reader_of_the_manifest_would_expect_it(storage, device, missed):
    assert verdict(device, storage).missed is missed
