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
    ("text", "expected"),
    [
        ("v2:192.0.2.30:3300/0", "192.0.2.30"),
        ("v1:192.0.2.30:6790/0", "192.0.2.30"),
        ("192.0.2.30:6789/0", "192.0.2.30"),
        ("v2:[2001:db8::10]:3300/0", "2001:db8::10"),
        ("[2001:db8::11]:6789", "2001:db8::11"),
    ],
)
def test_c19_an_endpoint_is_cut_at_its_last_colon(text, expected):
    assert addresses.host_of(text) == expected
