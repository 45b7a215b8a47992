"""A disk that two hosts reach: both find it blank at the same time, so neither takes it unasked."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from orchestrator.model.facts import Facts
from orchestrator.planning.survey import Survey
from tests.fakes import facts
from tests.fakes.facts import disk, osd_disk

ALL = {"useAllNodes": True, "useAllDevices": True}
LUN = disk("sdb", wwn="0x600a0b80", serial="600A0B80", model="LUN")
SAME = replace(LUN, name="sdx", path="/dev/sdx")


def survey(storage, **devices):
    hosts = [facts.host(name.replace("_", "-"), devices=found) for name, found in devices.items()]
    found = Facts(hosts=MappingProxyType({one.name: one for one in hosts}))
    return Survey(spec=facts.spec(storage=storage), facts=found, fsid=facts.OURS)


def codes(storage, **devices):
    return [(one.host, one.disk.name, one.code) for one in survey(storage, **devices).devices]


def test_a_disk_that_two_hosts_would_take_is_taken_by_neither():
    own = disk("sdc", wwn="0x5001", serial="S1")
    found = survey(ALL, store_a=(LUN, own), store_b=(SAME,)).devices

    assert [(one.disk.name, one.code, one.wanted is None) for one in found] == [
        ("sdb", "SharedDisk", True),
        ("sdc", "Selected", False),
        ("sdx", "SharedDisk", True),
    ]
    assert found[0].missed
    assert found[0].reason == (
        "store-b would take the same disk, which has the WWN of this one; name it on the one host "
        "that is to have it"
    )


def test_the_host_that_is_named_takes_it():
    storage = {"useAllNodes": False, "nodes": [{"name": "store-a", "devices": [{"name": "sdb"}]}]}

    assert codes(storage, store_a=(LUN,), store_b=(SAME,)) == [
        ("store-a", "sdb", "Selected"),
        ("store-b", "sdx", "HostNotSelected"),
    ]


def test_a_partition_and_a_multipath_device_are_the_disk_below():
    whole = replace(LUN, partition_table="gpt", children=("sdb1",))
    part = disk("sdb1", type="part", parent="sdb", wwn=LUN.wwn)
    path = replace(SAME, multipath_member=True, children=("dm-0",), holders=("dm-0",))
    multi = disk("dm-0", type="mpath", parent="sdx", wwn=LUN.wwn)

    assert codes(ALL, store_a=(whole, part), store_b=(path, multi)) == [
        ("store-a", "sdb", "HasChildren"),
        ("store-a", "sdb1", "SharedDisk"),
        ("store-b", "sdx", "MultipathMember"),
        ("store-b", "dm-0", "SharedDisk"),
    ]


@pytest.mark.parametrize(
    "other",
    [
        replace(SAME, wwn="0x600a0b81"),
        replace(SAME, serial="600A0B81"),
        replace(SAME, size=2 * SAME.size),
    ],
)
def test_disks_that_differ_in_anything_are_two(other):
    assert {code for *_, code in codes(ALL, store_a=(LUN,), store_b=(other,))} == {"Selected"}


@pytest.mark.parametrize(
    "wwn",
    [
        "",
        "nvme.1b36-6465616462656566-51454d55-00000001",
        "t10.ATA     QEMU HARDDISK                           QM00001",
    ],
)
def test_what_is_no_name_of_one_disk_alone_says_nothing(wwn):
    one, other = replace(LUN, wwn=wwn), replace(SAME, wwn=wwn)

    assert {code for *_, code in codes(ALL, store_a=(one,), store_b=(other,))} == {"Selected"}


def test_an_osd_is_judged_by_its_label_alone():
    osd = replace(osd_disk("sdb", 1), wwn=LUN.wwn, serial=LUN.serial, model=LUN.model)

    assert codes(ALL, store_a=(osd,), store_b=(SAME,)) == [
        ("store-a", "sdb", "ExistingOsd"),
        ("store-b", "sdx", "Selected"),
    ]
