"""Addresses of mons in all their written forms."""

import pytest

from orchestrator.model import endpoints
from orchestrator.model.endpoints import Ports

STORED = "a=[2001:db8::10]:6789,b=[2001:db8::11]:3300,c=192.0.2.30:6790,d,e=,,f=192.0.2.31:6789"


def test_c19_endpoints_are_read_and_junk_is_named():
    mons, warnings = endpoints.parse(STORED)

    assert [(mon.name, mon.address, mon.port) for mon in mons] == [
        ("a", "2001:db8::10", 6789),
        ("b", "2001:db8::11", 3300),
        ("c", "192.0.2.30", 6790),
        ("f", "192.0.2.31", 6789),
    ]
    assert [text.split(" is no")[0] for text in warnings] == ["'d'", "'e='", "''"]


def test_c19_mon_host_leaves_out_who_is_out_of_quorum():
    mons, _ = endpoints.parse(STORED)

    assert endpoints.mon_host(mons, out_of_quorum=("f",)) == (
        "[v2:[2001:db8::10]:3300,v1:[2001:db8::10]:6789],[v2:[2001:db8::11]:3300],"
        "[v2:192.0.2.30:3300,v1:192.0.2.30:6790]"
    )


@pytest.mark.parametrize(
    ("address", "choice", "expected"),
    [
        ("2001:db8::11", {"require_msgr2": True}, "[2001:db8::11]:3300"),
        ("192.0.2.30", {"require_msgr2": True}, "192.0.2.30:3300"),
        ("192.0.2.30", {"require_msgr2": True, "dual_stack": True}, "192.0.2.30"),
        ("2001:db8::11", {"require_msgr2": True, "dual_stack": True}, "2001:db8::11"),
        ("2001:db8::11", {"require_msgr2": False}, "2001:db8::11"),
    ],
)
def test_c19_the_address_to_bind_has_a_port_only_where_it_reads_as_one(address, choice, expected):
    assert endpoints.bind_address(address, **choice) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("192.0.2.30:6789", "192.0.2.30:3300"),
        ("[2001:db8:6789::1]:6789", "[2001:db8:6789::1]:3300"),
        ("[2001:db8::1]:3300", "[2001:db8::1]:3300"),
        ("192.0.2.30:16789", "192.0.2.30:16789"),
    ],
)
def test_c19_a_rewrite_to_the_new_messenger_changes_the_trailing_port_alone(before, after):
    assert endpoints.with_msgr2(before) == after


@pytest.mark.parametrize(
    ("addrs", "expected"),
    [
        (("v2:192.0.2.1:3300/0", "v1:192.0.2.1:6789/0"), ("192.0.2.1", Ports())),
        (("v2:[fd00::1]:3300/0",), ("fd00::1", Ports(v1=0))),
        (("v1:192.0.2.1:6790/0",), ("192.0.2.1", Ports(v2=0, v1=6790))),
        (("192.0.2.1:6789/0",), ("192.0.2.1", Ports(v2=0, v1=6789))),
        ((), ("", Ports())),
    ],
)
def test_a_member_of_the_monmap_is_an_address_and_its_ports(addrs, expected):
    assert endpoints.read(addrs) == expected


@pytest.mark.parametrize("address", ["192.0.2.1", "fd00::1"])
@pytest.mark.parametrize("ports", [Ports(), Ports(v1=0), Ports(v2=3301, v1=6790)])
def test_a_vector_reads_back_as_it_was_written(address, ports):
    assert endpoints.read([endpoints.vector(address, ports)]) == (address, ports)
