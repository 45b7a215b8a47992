"""Subnets and addresses."""

import itertools
from ipaddress import IPv4Network

import pytest

from lab import network
from lab.proc import LabError


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
