"""Labels of hosts as CRUSH locations: new hosts by their labels, known ones as they are."""

from dataclasses import replace

from orchestrator.planning import topology
from tests.fakes import facts

ZONE, RACK = "topology.kubernetes.io/zone", "topology.rook.io/rack"


def host(name, **labels):
    keys = {"zone": ZONE, "rack": RACK}
    return facts.host(f"store-{name}", labels={keys[key]: value for key, value in labels.items()})


def room(*given, **there):
    known = {f"store-{name}": {"root": "default", **place} for name, place in there.items()}
    return facts.changed(facts.empty(), *given, cluster=facts.view(crush_hosts=known))


def test_a_new_host_goes_where_its_labels_say_in_rooks_order_and_names():
    given = host("a", zone="eu.1", rack="r1")

    found = topology.location(facts.spec(), room(given), given)

    assert found == "root=default host=store-a rack=r1 zone=eu-1"


def test_every_level_of_rook_is_known_the_widest_first():
    assert list(topology.LEVELS.items())[:3] == [
        ("region", "topology.kubernetes.io/region"),
        ("zone", "topology.kubernetes.io/zone"),
        ("datacenter", "topology.rook.io/datacenter"),
    ]
    assert list(topology.LEVELS)[3:] == ["room", "pod", "pdu", "row", "rack", "chassis"]


def test_a_known_host_stays_where_the_map_has_it_and_the_command_is_named():
    given = host("a", zone="x", rack="r1")
    seen = room(given, a={"rack": "r9"})

    assert topology.location(facts.spec(), seen, given) == "root=default host=store-a rack=r9"
    (notice,) = topology.notices(facts.spec(), seen)
    assert (notice.code, notice.host) == ("TopologyDiffers", "store-a")
    assert notice.message == (
        "its labels say zone=x rack=r1, and its OSDs are elsewhere in the CRUSH map; they stay. "
        "`ceph osd crush move store-a root=default zone=x rack=r1` moves them, and data"
    )


def test_nothing_is_said_of_a_host_that_is_where_its_labels_say_or_has_none():
    given = (host("a", rack="r1"), host("b"))
    seen = room(*given, a={"rack": "r1"}, b={"rack": "r7"})

    assert list(topology.notices(facts.spec(), seen)) == []


def conflicts(*given, **there):
    return topology.conflicts(facts.spec(), room(*given, **there))


def test_racks_of_the_same_name_in_two_zones_are_refused_on_the_later_host():
    given = (host("a", zone="x", rack="r1"), host("b", zone="y", rack="r1"), host("c", zone="y"))

    assert conflicts(*given) == {"store-b": "its labels put rack r1 into zone y, and others into x"}


def test_a_name_is_of_one_level():
    assert conflicts(host("a", zone="x"), host("b", rack="x")) == {
        "store-b": "its labels call a rack x, and that is the name of a zone already"
    }
    assert conflicts(host("a", rack="default")) == {
        "store-a": "its labels call a rack default, and that is the name of a root already"
    }
    assert conflicts(host("a", rack="store-a")) == {
        "store-a": "its labels call a rack store-a, and that is the name of a host already"
    }
    assert list(conflicts(host("a", zone="x", rack="x"))) == ["store-a"]


def test_the_map_itself_counts_and_a_host_in_it_is_never_refused():
    given = (host("a", zone="x", rack="r1"), host("b", zone="x"))

    assert conflicts(*given, b={"rack": "r1", "zone": "y"}) == {
        "store-a": "its labels put rack r1 into zone x, and others into y"
    }


def test_a_host_in_conflict_gets_no_osd():
    given = replace(host("d", rack="default"), devices=(facts.disk("sdc"),))
    seen = facts.changed(facts.healthy(), given)
    storage = {"useAllNodes": True, "useAllDevices": True}

    survey = facts.context(seen, storage=storage).survey

    why = "its labels call a rack default, and that is the name of a root already"
    assert survey.exclusion(given) == why
    assert survey.decisions["store-d"][0].code == "HostNotSelected"
