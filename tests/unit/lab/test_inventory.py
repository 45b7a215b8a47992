"""The inventory's text."""

import yaml

from lab import inventory

ADDRESSES = {"ceph-1": "10.1.1.11", "ceph-2": "10.1.1.12", "ceph-3": "10.1.1.13"}


def test_every_host_has_its_address_and_groups():
    parsed = yaml.safe_load(inventory.text(ADDRESSES, "ab"))["all"]

    assert {name: host["ansible_host"] for name, host in parsed["hosts"].items()} == ADDRESSES
    assert list(parsed["children"]["mons"]["hosts"]) == ["ceph-1", "ceph-2", "ceph-3"]
    assert list(parsed["children"]["mgrs"]["hosts"]) == ["ceph-1", "ceph-2"]
    assert list(parsed["children"]["osds"]["hosts"]) == ["ceph-1", "ceph-2", "ceph-3"]


def test_disks_are_named_by_their_lasting_links():
    variables = yaml.safe_load(inventory.text(ADDRESSES, "ab"))["all"]["vars"]

    assert variables["osd_devices"] == [
        {"path": "/dev/disk/by-id/lab-disk-a"},
        {"path": "/dev/disk/by-id/lab-disk-b"},
    ]


def test_hosts_without_disks_have_an_empty_list():
    variables = yaml.safe_load(inventory.text(ADDRESSES, ""))["all"]["vars"]

    assert variables["osd_devices"] == []


def test_ssh_keeps_to_the_lab_and_to_strict_host_keys():
    variables = yaml.safe_load(inventory.text(ADDRESSES, "a"))["all"]["vars"]

    assert variables["ansible_ssh_common_args"].startswith(
        "-o UserKnownHostsFile={{ inventory_dir }}/ssh/known_hosts"
    )
    assert "StrictHostKeyChecking" not in variables["ansible_ssh_common_args"]
    assert variables["ansible_control_path_dir"] == "{{ inventory_dir }}/ssh/cp"
