"""One verdict for each device: what it is comes before what the manifest asks."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import OsdLabel
from orchestrator.planning import selection
from tests.fakes import facts
from tests.fakes.facts import GIB, disk, osd_disk
from tests.fakes.selecting import ALL, decisions, selector_of, verdict

BY_NAME = {"useAllNodes": True, "devices": [{"name": "sdb"}]}
FOREIGN = OsdLabel(id=4, uuid=facts.uuid(4), fsid=facts.OTHER)


def test_an_osd_of_this_cluster_is_kept_whatever_the_manifest_says():
    found = verdict(osd_disk("sdb", 3), {"useAllNodes": True, "useAllDevices": False})

    assert (found.state, found.code, found.standing) == ("osd", "ExistingOsd", "osd.3")
    assert found.reason == f"osd.3, uuid {facts.uuid(3)}"
    assert found.asked_by == ""


@pytest.mark.parametrize(
    ("storage", "code"),
    [
        ({"useAllNodes": True}, "NotSelected"),
        ({"nodes": [{"name": "store-b"}]}, "HostNotSelected"),
    ],
)
def test_a_blank_device_that_nobody_asks_for_says_so(storage, code):
    assert verdict(disk("sdb"), storage).code == code


@pytest.mark.parametrize(
    ("storage", "device", "missed"),
    [
        (ALL, disk("sdb"), False),
        (ALL, disk("sdb", filesystem="ext4"), True),
        (ALL, disk("sdb", osd=FOREIGN), True),
        (ALL, disk("sdb", mountpoints=("/",)), False),
        (ALL, disk("sdb", type="rom"), False),
        (ALL, disk("sdb", partition_table="gpt", children=("sdb1",)), False),
        (BY_NAME, disk("sdb", mountpoints=("/",)), True),
        (BY_NAME, disk("sdc", filesystem="ext4"), False),
        ({**ALL, "config": {"rotational": "1"}}, disk("sdb"), False),
        ({**BY_NAME, "config": {"rotational": "1"}}, disk("sdb"), True),
    ],
)
def test_a_device_is_missed_when_a_reader_of_the_manifest_would_expect_it(storage, device, missed):
    other = disk("sdb1", type="part", parent="sdb", filesystem="xfs")
    found = decisions(storage, device, *([other] if device.children else []))

    assert found[0].missed is missed


def half_prepared(volume=5 * GIB):
    label = replace(osd_disk("dm-0", 7), type="lvm", parent="sdb", size=volume)
    return disk("sdb", filesystem="LVM2_member", children=("dm-0",)), label


TWO = {**ALL, "config": {"osdsPerDevice": "2"}}


def test_a_device_with_one_of_two_osds_and_room_is_taken_for_the_missing_one():
    found, volume = decisions(TWO, *half_prepared())

    assert (found.state, found.code) == ("selected", "PartlyPrepared")
    assert found.reason == "holds 1 of 2 OSDs; useAllDevices"
    assert found.wanted.osds_per_device == 2
    assert volume.code == "ExistingOsd"


@pytest.mark.parametrize("storage", [ALL, {**ALL, "config": {"osdsPerDevice": "4"}}])
def test_a_device_that_is_full_or_too_small_for_more_is_left_as_it_is(storage):
    assert decisions(storage, *half_prepared())[0].code == "ExistingOsd"
    assert decisions(TWO, *half_prepared(volume=10 * GIB))[0].code == "ExistingOsd"


def test_a_device_with_another_volume_is_left_as_it_is():
    whole, label = half_prepared()
    foreign = disk("dm-1", type="lvm", parent="sdb", size=GIB)

    found = decisions(TWO, replace(whole, children=("dm-0", "dm-1")), label, foreign)

    assert found[0].code == "ExistingOsd"


@pytest.mark.parametrize(
    "state",
    [{"removable": True}, {"read_only": True}, {"error": "I/O error"}, {"mountpoints": ("/mnt",)}],
)
def test_a_device_that_could_not_be_taken_anew_gets_no_more_osds(state):
    whole, volume = half_prepared()

    found = decisions(TWO, replace(whole, **state), volume)

    assert (found[0].state, found[0].code) == ("osd", "ExistingOsd")


def test_an_osd_that_is_seen_twice_is_named_so():
    host = facts.host("store-a", devices=(osd_disk("sdb", 3),))

    (found,) = selection.decide(
        host, selector_of(ALL, host), facts.OURS, cloned=frozenset({facts.uuid(3)})
    )

    assert (found.state, found.code) == ("osd", "DuplicateOsd")
