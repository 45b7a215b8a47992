"""What the manifest asks for on a host, and by which of its fields (ROOK-COMPAT section 7)."""

import pytest

from tests.fakes import facts
from tests.fakes.facts import disk
from tests.fakes.selecting import decisions, selected, selector_of, verdict

C05_NAMES = ("sda", "sdb", "sdh", "sdi", "sdaa", "nvme0n1", "nvme0n10")
C05_DISKS = (*map(disk, C05_NAMES), disk("nvme1n1p3", type="part", parent="nvme1n1"))


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ({"devices": [{"name": "^sd[b-h]"}]}, ""),
        ({"deviceFilter": "^sd[b-h]"}, "sdb sdh"),
        ({"deviceFilter": "sda"}, "sda sdaa"),
        ({"deviceFilter": "^sd.$"}, "sda sdb sdh sdi"),
        ({"deviceFilter": "nvme0n1"}, "nvme0n1 nvme0n10"),
        ({"deviceFilter": "p3$"}, "nvme1n1p3"),
        ({"deviceFilter": "/dev/sdb"}, ""),
        ({"deviceFilter": "^sd[[:lower:]]$"}, "sda sdb sdh sdi"),
        ({"devicePathFilter": "^/dev/sdb$"}, "sdb"),
        ({"devicePathFilter": "by-id/wwn-sd[hi]$"}, "sdh sdi"),
        ({"devices": [{"name": "sdb"}]}, "sdb"),
        ({"devices": [{"name": "/dev/sdb"}]}, "sdb"),
        ({"devices": [{"name": "/dev/disk/by-id/wwn-sdb"}]}, "sdb"),
        ({"devices": [{"fullpath": "/dev/disk/by-id/wwn-sdi"}]}, "sdi"),
        ({"devices": [{"name": "nvme1n1p3"}]}, "nvme1n1p3"),
    ],
)
def test_c05_filters_search_kernel_names_and_names_are_literal(setting, expected):
    assert selected({"useAllNodes": True, **setting}, *C05_DISKS) == expected


@pytest.mark.parametrize(
    ("setting", "expected", "asked_by"),
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
        ({"deviceFilter": "^nothing", "useAllDevices": True}, "", None),
    ],
)
def test_the_more_exact_setting_wins(setting, expected, asked_by):
    disks = [disk(name) for name in ("sda", "sdb", "sdh")]
    storage = {"useAllNodes": True, **setting}

    assert selected(storage, *disks) == expected
    chosen = [one for one in decisions(storage, *disks) if one.code == "Selected"]
    assert [one.reason for one in chosen] == ([f"matched by {asked_by}"] if asked_by else [])


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
    found = selector_of({**C17, "useAllNodes": True}, facts.host(name))

    assert found.entries == {}
    assert found.device_filter == "^sd[b-d]$"
    assert found.use_all_devices is False


@pytest.mark.parametrize(
    ("name", "device_filter", "per_device"),
    [("store-a", "^nvme", 1), ("store-c", "^sd[b-d]$", 2)],
)
def test_c17_a_node_inherits_what_it_does_not_say(name, device_filter, per_device):
    nodes = [{**C17["nodes"][0], "config": {"osdsPerDevice": "1"}}, C17["nodes"][1]]
    storage = {**C17, "useAllNodes": False, "config": {"osdsPerDevice": "2"}, "nodes": nodes}

    found = selector_of(storage, facts.host(name))

    assert found.device_filter == device_filter
    assert found.settings.osds_per_device == per_device


@pytest.mark.parametrize(
    "storage", [{**C17, "useAllNodes": False}, {"useAllNodes": False, "useAllDevices": True}]
)
def test_c17_a_host_that_is_not_named_is_not_touched(storage):
    assert selector_of(storage, facts.host("store-b")) is None


@pytest.mark.parametrize(
    ("node", "cluster", "expected"),
    [(None, True, True), (False, True, False), (True, False, True), (None, None, False)],
)
def test_a_nodes_own_use_all_devices_wins_even_when_false(node, cluster, expected):
    storage = {"useAllDevices": cluster, "nodes": [{"name": "store-a", "useAllDevices": node}]}

    assert selector_of(storage, facts.host("store-a")).use_all_devices is expected


def test_a_nodes_devices_replace_those_of_the_cluster():
    storage = {
        "devices": [{"name": "sda"}],
        "nodes": [{"name": "store-a", "devices": [{"name": "sdb"}]}],
    }

    assert selected(storage, disk("sda"), disk("sdb")) == "sdb"


def test_the_devices_of_the_cluster_go_before_a_nodes_own_filter_as_in_rook():
    storage = {
        "devices": [{"name": "sda"}],
        "nodes": [{"name": "store-a", "deviceFilter": "sdb"}],
    }

    assert selected(storage, disk("sda"), disk("sdb")) == "sda"


def test_the_first_of_two_entries_for_one_device_counts():
    entries = [
        {"name": "/dev/disk/by-id/wwn-sdb", "config": {"deviceClass": "ssd"}},
        {"name": "sdb", "config": {"deviceClass": "hdd"}},
    ]

    found = verdict(disk("sdb"), {"useAllNodes": True, "devices": entries})

    assert found.wanted.device_class == "ssd"
    assert found.asked_by == "devices entry /dev/disk/by-id/wwn-sdb"


def test_c07_a_link_leads_to_the_disk_wherever_the_kernel_has_put_it():
    entries = [{"name": "/dev/disk/by-id/scsi-edf0"}]
    link = {"by_id": "/dev/disk/by-id/scsi-edf0", "links": ("/dev/disk/by-id/scsi-edf0",)}
    storage = {"useAllNodes": True, "devices": entries}

    for name, other in (("sdd", "sde"), ("sde", "sdd")):
        found = decisions(storage, disk(name, **link), disk(other))
        assert [one.wanted.path for one in found if one.wanted] == ["/dev/disk/by-id/scsi-edf0"]


def test_entries_that_no_device_has_are_known():
    storage = {"useAllNodes": True, "devices": [{"name": "sdb"}, {"name": "sdz"}]}
    host = facts.host("store-a", devices=(disk("sdb"),))

    assert selector_of(storage, host).unmet(host.devices) == ("sdz",)
