"""Which `storage.nodes` entry means which host (CASES C13)."""

import pytest

from orchestrator.planning import nodes
from tests.fakes import facts


def assigned(names, *hosts):
    spec = facts.spec(storage={"nodes": [{"name": name} for name in names]})
    return nodes.assign(spec, [facts.host(name, addresses=()) for name in hosts])


@pytest.mark.parametrize(
    ("node", "name", "same"),
    [
        ("store-a", "store-a", True),
        ("STORE-A", "store-a", True),
        ("store-a", "Store-A", True),
        ("store-a.example.net", "store-a", True),
        ("Store-A", "store-a.example.net", True),
        ("store-b", "store-a", False),
        ("store-a.example.net", "store-a.example.org", False),
        ("store", "store-a", False),
        ("192", "192.0.2.1", False),
        ("192.0.2.1", "192.0.2.1", True),
    ],
)
def test_c13_a_nodes_name_is_the_hosts_short_or_full_in_any_case(node, name, same):
    found = assigned([node], name)

    assert list(found.selectors) == ([name] if same else [])
    assert [one.code for one in found.unknown] == ([] if same else ["NodeNotFound"])


def test_c13_a_short_name_of_two_hosts_is_refused():
    found = assigned(["store-a", "store-b"], "store-a.x.net", "store-a.y.net", "store-b.x.net")

    assert list(found.selectors) == ["store-b.x.net"]
    (reason,) = found.refused
    assert reason.code == "AmbiguousNode"
    assert reason.message == (
        "storage.nodes names store-a, and the inventory has store-a.x.net, store-a.y.net; write "
        "the full name of the one that is meant. No disk of such a host is taken until then"
    )


def test_c13_an_exact_name_is_not_ambiguous():
    found = assigned(["store-a"], "store-a", "store-a.example.net")

    assert list(found.selectors) == ["store-a"]
    assert found.refused == ()


def test_c13_two_names_of_one_host_are_refused():
    found = assigned(["store-a", "store-a.example.net"], "store-a", "store-b")

    assert found.selectors == {}
    assert [one.code for one in found.refused] == ["AmbiguousNode"]


def test_c13_an_unknown_name_tells_the_known_ones():
    (reason,) = assigned(["ip-10-0-0-7"], *(f"store-{letter}" for letter in "abcdefghij")).unknown

    assert reason.message == (
        "storage.nodes names ip-10-0-0-7, and the inventory has no such host for OSDs; it has "
        "store-a, store-b, store-c, store-d, store-e, store-f, store-g, store-h and 2 more"
    )


def test_all_nodes_share_one_selector():
    hosts = [facts.host("store-a"), facts.host("store-b")]

    found = nodes.assign(facts.spec(), hosts)

    assert list(found.selectors) == ["store-a", "store-b"]
    assert found.selectors["store-a"] is found.selectors["store-b"]
