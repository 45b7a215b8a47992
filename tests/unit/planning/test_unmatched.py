"""What the storage section names and a list of devices has no row for."""

from dataclasses import replace

from orchestrator import planning
from tests.fakes import facts

BARE = facts.changed(
    facts.healthy(),
    replace(facts.healthy().hosts["store-b"], devices=()),
    facts.silent("store-c"),
)


def found(seen, **storage):
    survey, _ = planning.survey(facts.spec(storage=storage), seen)
    return [(one.code, one.host, one.message) for one in planning.unmatched(survey)]


def test_a_node_that_is_no_host_is_told_with_the_known_ones():
    nodes = [{"name": "store-x"}, {"name": "store-a"}]

    assert found(facts.healthy(), nodes=nodes, useAllDevices=True) == [
        (
            "NodeNotFound",
            None,
            (
                "storage.nodes names store-x, and the inventory has no such host for OSDs; it has "
                "store-a, store-b, store-c"
            ),
        )
    ]


def test_a_name_that_may_be_two_nodes_is_told():
    twins = [facts.host(f"store-a.{zone}.net", devices=(facts.disk("sdb"),)) for zone in "xy"]
    seen = facts.changed(facts.empty(), *twins)

    assert [code for code, _, _ in found(seen, nodes=[{"name": "store-a"}])] == ["AmbiguousNode"]


def test_a_device_that_a_host_lacks_is_told_for_the_hosts_that_answered():
    nodes = [{"name": f"store-{name}", "devices": [{"name": "sdz"}]} for name in "abc"]

    assert found(BARE, nodes=nodes) == [
        ("DeviceNotFound", "store-a", "no device of this host is named sdz"),
        ("NoDevices", "store-b", "no device of this host is used: it has no block devices"),
        ("DeviceNotFound", "store-b", "no device of this host is named sdz"),
    ]


def test_nothing_is_told_where_every_name_has_its_device():
    assert found(facts.healthy(), useAllNodes=True, devices=[{"name": "sdb"}]) == []
