"""The user's inventory as planning sees it, and the small one that is laid over it."""

import pytest

from orchestrator.ansible import inventory
from orchestrator.ansible.facts import Member
from orchestrator.ansible.variables import Variables


def listing(**groups):
    hosts = groups.pop("hostvars", {})
    return {"_meta": {"hostvars": hosts}, "all": {"children": [*groups]}, **groups}


def test_members_come_in_natural_order_with_their_groups():
    found = inventory.members(
        listing(
            mons={"hosts": ["ceph-1", "ceph-10", "ceph-2"]},
            cluster={"children": ["mons", "osds"]},
            osds={"hosts": ["ceph-2"]},
            ungrouped={"hosts": ["alone"]},
        )
    )

    assert [(one.name, one.groups) for one in found] == [
        ("alone", ("ungrouped",)),
        ("ceph-1", ("cluster", "mons")),
        ("ceph-2", ("cluster", "mons", "osds")),
        ("ceph-10", ("cluster", "mons")),
    ]


def test_groups_that_hold_each_other_end():
    found = inventory.members(
        listing(one={"children": ["two"], "hosts": ["ceph-1"]}, two={"children": ["one"]})
    )

    assert found[0].groups == ("one", "two")


@pytest.mark.parametrize(
    ("name", "variables", "expected"),
    [
        ("ceph-1", {"ansible_host": "192.0.2.7"}, "192.0.2.7"),
        ("ceph-1", {"ansible_host": "2001:DB8::7"}, "2001:db8::7"),
        ("ceph-1", {"ansible_host": "ceph-1.example.net"}, ""),
        ("192.0.2.7", {}, "192.0.2.7"),
        ("192.0.2.7", {"ansible_host": "gate.example.net"}, "192.0.2.7"),
        ("ceph-1", {}, ""),
    ],
)
def test_the_address_is_an_ip_or_nothing(name, variables, expected):
    (found,) = inventory.members(listing(hostvars={name: variables}))

    assert found.address == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        ("true", True),
        ("Yes", True),
        (1, True),
        (False, False),
        ("no", False),
        ({}, False),
    ],
)
def test_loop_devices_are_allowed_by_the_inventory_alone(value, expected):
    hostvars = {"ceph-1": {"ceph_allow_loop_devices": value}}

    (found,) = inventory.members(listing(hostvars=hostvars))

    assert found.allow_loop_devices is expected


def test_no_other_variable_goes_on_from_here():
    hostvars = {"ceph-1": {"ansible_password": "hunter2", "ansible_host": "192.0.2.7"}}

    found = inventory.members(listing(hostvars=hostvars))

    assert found == (Member(name="ceph-1", address="192.0.2.7"),)
    assert "hunter2" not in repr(found)


def test_c13_two_hosts_that_differ_only_in_case_are_refused():
    with pytest.raises(inventory.InventoryError, match="names both Foo and foo") as caught:
        inventory.members(listing(hostvars={"foo": {}, "Foo": {}}))

    assert "keep one of them" in str(caught.value)


@pytest.mark.parametrize(
    "empty",
    [
        {},
        {"_meta": {"hostvars": {}}, "all": {"children": ["ungrouped"]}},
        {"_meta": {"hostvars": {}}, "all": {"children": ["ungrouped", "mons"]}, "mons": {}},
    ],
)
def test_an_inventory_without_hosts_is_refused_with_field_value_and_remedy(empty):
    with pytest.raises(inventory.InventoryError) as caught:
        inventory.members(empty)

    assert str(caught.value) == (
        "all.hosts: none: the inventory names no host; remedy: write the hosts of the cluster into "
        "it, as inventory/example.yml does, or name another one with -i"
    )


def test_the_overlay_names_targets_and_the_variables_of_all_hosts():
    variables = Variables(
        playbook="mon.yml",
        targets=("ceph-2",),
        hosts={"ceph-2": {"mon_daemons": [{"id": "b"}]}, "ceph-1": {}},
        extra={"ceph_fsid": "x"},
    )

    assert inventory.overlay(variables) == {
        "all": {
            "hosts": {"ceph-2": {"mon_daemons": [{"id": "b"}]}, "ceph-1": {}},
            "children": {"ceph_targets": {"hosts": {"ceph-2": {}}}},
        }
    }


def test_a_file_that_is_no_text_names_no_hosts():
    with pytest.raises(inventory.InventoryError, match=r"a host '\\x00bad', which is no text"):
        inventory.members(listing(hostvars={"\x00bad": {}}))
