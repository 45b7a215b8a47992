"""`spec.network` as options of the mon store: those of Rook, and no others."""

import pytest

from orchestrator.model.plan import PlacedMon
from orchestrator.planning import network
from tests.fakes import facts

SECURE = {
    "ms_client_mode": "secure",
    "ms_cluster_mode": "secure",
    "ms_service_mode": "secure",
    "rbd_default_map_options": "ms_mode=secure",
}
PREFER = {"rbd_default_map_options": "ms_mode=prefer-crc"}
IPV4 = {"ms_bind_ipv4": "true", "ms_bind_ipv6": "false"}
IPV6 = {"ms_bind_ipv4": "false", "ms_bind_ipv6": "true"}
BOTH = {"ms_bind_ipv4": "true", "ms_bind_ipv6": "true"}
SIX = (PlacedMon(name="a", host=None, address="fd00::1"),)


def settings(mons=(), **values):
    found = network.settings(facts.spec(network=values), mons)
    assert {section for section, _ in found} <= {"global"}
    return {name: value for (_, name), value in found.items()}


@pytest.mark.parametrize(
    ("connections", "expected", "msgr2"),
    [
        ({}, {}, False),
        ({"requireMsgr2": False, "encryption": {"enabled": False}}, {}, False),
        ({"requireMsgr2": True}, PREFER, True),
        ({"encryption": {"enabled": True}}, SECURE, True),
        ({"encryption": {"enabled": True}, "requireMsgr2": True}, SECURE, True),
        ({"compression": {"enabled": True}}, {**PREFER, "ms_osd_compress_mode": "force"}, True),
        (
            {"compression": {"enabled": True}, "encryption": {"enabled": True}},
            {**SECURE, "ms_osd_compress_mode": "force"},
            True,
        ),
    ],
)
def test_connections_set_what_rook_sets(connections, expected, msgr2):
    spec = facts.spec(network={"connections": connections})

    assert settings(connections=connections) == expected
    assert network.requires_msgr2(spec) == msgr2


@pytest.mark.parametrize(
    ("values", "mons", "expected"),
    [
        ({}, facts.MONS, {}),
        ({}, SIX, IPV6),
        ({}, (*facts.MONS, *SIX), {}),
        ({"ipFamily": "IPv4"}, facts.MONS, IPV4),
        ({"ipFamily": "IPv6"}, SIX, IPV6),
        ({"ipFamily": "IPv6", "dualStack": True}, SIX, BOTH),
        ({"dualStack": True}, facts.MONS, BOTH),
    ],
)
def test_daemons_bind_to_the_family_of_the_manifest_or_of_the_mons(values, mons, expected):
    assert settings(mons, **values) == expected


def test_ranges_are_the_networks_of_all_daemons():
    ranges = {"public": ["192.0.2.0/24", "fd00::/64"], "cluster": ["198.51.100.0/24"]}

    assert settings(addressRanges=ranges) == {
        "public_network": "192.0.2.0/24,fd00::/64",
        "cluster_network": "198.51.100.0/24",
    }
