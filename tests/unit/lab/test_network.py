"""Subnets and addresses."""

import itertools
from ipaddress import IPv4Network

import pytest

from lab import network
from lab.proc import LabError
from lab.settings import Lab


def test_an_address_tells_the_host():
    assert network.address(IPv4Network("10.224.7.0/24"), "ceph-1") == "10.224.7.11"
    assert network.address(IPv4Network("10.224.7.0/24"), "ceph-99") == "10.224.7.109"


def test_a_lab_prefers_the_same_subnet_every_time():
    assert network.free("lab0000beef", []) == network.free("lab0000beef", [])
    assert network.free("lab0000beef", []) != network.free("lab0000cafe", [])


def test_every_candidate_is_private_and_none_comes_twice():
    candidates = list(network.candidates("labffffffff"))

    assert len(set(candidates)) == 4096
    assert all(net.subnet_of(IPv4Network("10.224.0.0/12")) for net in candidates)


def test_what_the_machine_uses_is_passed_over():
    first, second = itertools.islice(network.candidates("lab00000000"), 2)

    assert network.free("lab00000000", [first]) == second


def test_a_full_range_is_an_error_that_says_so():
    with pytest.raises(LabError, match="no free subnet"):
        network.free("lab00000000", [IPv4Network("10.0.0.0/8")])


@pytest.mark.parametrize(("left", "deletes"), [(True, 1), (False, 0)])
def test_a_bridge_that_podman_leaves_is_deleted(monkeypatch, tmp_path, left, deletes):
    deleted = []
    monkeypatch.setattr(network, "_inspect", lambda _lab: {"network_interface": "podman7"})
    monkeypatch.setattr(network, "INTERFACES", tmp_path)
    monkeypatch.setattr(network.podman, "run", lambda *_words: "")
    monkeypatch.setattr(network.proc, "run", deleted.append)
    if left:
        (tmp_path / "podman7").mkdir()

    network.remove(Lab.at("/x"))

    assert deleted == [["ip", "link", "delete", "podman7"]] * deletes
