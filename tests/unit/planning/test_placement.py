"""Placement tables in the manner of cephadm's scheduler: hosts in, places out."""

import pytest

from orchestrator.model.facts import DaemonType, Facts
from orchestrator.planning import placement
from tests.fakes import facts

HOSTS = ("store-a", "store-b", "store-c")


def rooms(**groups):
    hosts = [facts.host(name, groups=tuple(groups.get(name[-1], ()))) for name in HOSTS]
    return Facts(hosts=facts.hosts(*hosts))


@pytest.mark.parametrize(
    ("groups", "kind", "expected"),
    [
        ({}, DaemonType.MON, "abc"),
        ({"b": ["mons"]}, DaemonType.MON, "b"),
        ({"b": ["mons"]}, DaemonType.MGR, "abc"),
        ({"a": ["mgrs"], "c": ["mgrs", "osds"]}, DaemonType.MGR, "ac"),
        ({"a": ["mgrs"], "c": ["mgrs", "osds"]}, DaemonType.OSD, "c"),
        ({"a": ["storage"]}, DaemonType.OSD, "abc"),
    ],
)
def test_a_group_restricts_its_daemons_to_its_members(groups, kind, expected):
    found = placement.eligible(rooms(**groups), kind)

    assert "".join(host.name[-1] for host in found) == expected


def test_a_silent_host_is_eligible_and_never_chosen():
    found = facts.changed(rooms(), facts.silent("store-a"))

    eligible = placement.eligible(found, DaemonType.MON)

    assert len(eligible) == 3
    places = placement.choose(3, eligible, load=lambda _: 0, per_host=1)
    assert [host.name for host in places] == ["store-b", "store-c"]


@pytest.mark.parametrize(
    ("count", "loads", "per_host", "expected"),
    [
        (1, {}, 1, "a"),
        (2, {}, 1, "ab"),
        (5, {}, 1, "abc"),
        (5, {}, None, "abcab"),
        (2, {"a": 1}, 1, "bc"),
        (3, {"a": 1}, 1, "bc"),
        (3, {"a": 2, "b": 1}, None, "cbc"),
        (0, {}, 1, ""),
        (-1, {}, 1, ""),
    ],
)
def test_the_emptiest_host_is_next_in_inventory_order(count, loads, per_host, expected):
    hosts = [facts.host(name) for name in HOSTS]

    places = placement.choose(
        count, hosts, load=lambda host: loads.get(host.name[-1], 0), per_host=per_host
    )

    assert "".join(host.name[-1] for host in places) == expected


@pytest.mark.parametrize(
    ("count", "taken", "expected"),
    [
        (3, [], ("a", "b", "c")),
        (1, ["a", "c"], ("d",)),
        (2, ["y"], ("z", "aa")),
        (1, ["store-1"], ("a",)),
        (1, ["store", "alpha"], ("a",)),
        (1, ["A"], ("a",)),
        (0, ["a"], ()),
    ],
)
def test_ids_go_on_after_the_highest_letter(count, taken, expected):
    assert placement.next_names(count, taken) == expected
