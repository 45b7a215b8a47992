"""Mon addresses: which one a host gets, and how Ceph's own writing is read."""

import pytest

from orchestrator.planning import addresses
from tests.fakes import facts


@pytest.mark.parametrize(
    ("address", "seen", "ranges", "expected"),
    [
        ("192.0.2.7", ("198.51.100.7/24",), (), "192.0.2.7"),
        ("192.0.2.7", ("198.51.100.7/24",), ("198.51.100.0/24",), "198.51.100.7"),
        ("", ("127.0.0.1/8", "fe80::1/64", "198.51.100.7/24"), (), "198.51.100.7"),
        ("", ("198.51.100.7/24", "2001:db8::7/64"), ("2001:db8::/64",), "2001:db8::7"),
        ("", ("198.51.100.7/24",), ("192.0.2.0/24", "198.51.100.0/25"), "198.51.100.7"),
        ("", ("192.0.2.7/24",), ("192.0.2.9/24",), "192.0.2.7"),
        ("192.0.2.7", (), ("198.51.100.0/24",), None),
        ("", ("127.0.0.1/8", "fe80::1/64", "not an address"), (), None),
        ("", (), (), None),
    ],
)
def test_the_address_is_the_inventorys_inside_the_public_ranges(address, seen, ranges, expected):
    host = facts.host("store-a", address=address, addresses=seen)

    assert addresses.mon_address(host, ranges) == expected


@pytest.mark.parametrize(
    ("seen", "family", "expected"),
    [
        (("192.0.2.7/24", "2001:db8::7/64"), "IPv6", "2001:db8::7"),
        (("2001:db8::7/64", "192.0.2.7/24"), "IPv4", "192.0.2.7"),
        (("2001:db8::7/64",), "IPv4", None),
        (("2001:db8::7/64",), None, "2001:db8::7"),
        (("::1/128", "fe80::7/64", "::/128", "ff02::1/64"), "IPv6", None),
        (("0.0.0.0/8", "224.0.0.1/4"), None, None),
    ],
)
def test_the_address_is_of_the_family_and_one_that_others_can_reach(seen, family, expected):
    host = facts.host("store-a", addresses=seen)

    assert addresses.mon_address(host, (), family) == expected


@pytest.mark.parametrize(
    ("text", "reachable", "family"),
    [
        ("192.0.2.1", True, "IPv4"),
        ("fd00::1", True, "IPv6"),
        ("127.0.0.1", False, "IPv4"),
        ("127.0.1.1", False, "IPv4"),
        ("::1", False, "IPv6"),
        ("store-a", False, ""),
    ],
)
def test_an_address_tells_whether_others_can_know_a_mon_by_it(text, reachable, family):
    assert (addresses.is_reachable(text), addresses.family_of(text)) == (reachable, family)
