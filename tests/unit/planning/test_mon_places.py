"""Where mons are and will be; a member of the monmap is never lost sight of."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import DaemonType, MonMember, PutAside
from orchestrator.planning.identity import Fresh, Known
from orchestrator.planning.mon_places import locate
from tests.fakes import facts

KNOWN, FRESH = Known(fsid=facts.OURS), Fresh(fsid=None)
EMPTY = facts.empty("store-a", "store-b", "store-c")


def places(mons):
    return [(mon.name, mon.host, mon.address) for mon in mons]


def located(found, identity=KNOWN, **mon):
    return locate(facts.spec(mon=mon), found, identity)


def test_a_new_clusters_mons_are_placed_in_inventory_order():
    found = located(EMPTY, FRESH, count=3)

    assert found.forming
    assert places(found.missing) == [
        ("a", "store-a", "192.0.2.1"),
        ("b", "store-b", "192.0.2.2"),
        ("c", "store-c", "192.0.2.3"),
    ]


def test_mons_keep_to_the_public_network():
    hosts = [
        replace(host, addresses=(*host.addresses, f"198.51.100.{number}/24"))
        for number, host in enumerate(EMPTY.hosts.values(), start=1)
    ]
    spec = facts.spec(network={"addressRanges": {"public": ["198.51.100.0/24"]}})

    found = locate(spec, facts.changed(EMPTY, *hosts), FRESH)

    assert [mon.address for mon in found.missing] == [f"198.51.100.{n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("count", "multiple", "message"),
    [
        (5, False, "cannot start 5 mons on 3 node(s) when allowMultiplePerNode is false; "),
    ],
)
def test_too_few_hosts_are_refused_in_rooks_words(count, multiple, message):
    found = located(EMPTY, FRESH, count=count, allowMultiplePerNode=multiple)

    assert [reason.code for reason in found.blocked] == ["MonPlacement"]
    assert found.blocked[0].message.startswith(message)
    assert found.wanted == ()


@pytest.mark.parametrize(
    ("values", "code", "text"),
    [
        ({"binaries": ("ceph-osd",)}, "MissingPackage", "install the package ceph-mon"),
        ({"addresses": ("127.0.0.1/8",)}, "NoAddress", "set ansible_host to an IP"),
    ],
)
def test_a_host_that_cannot_hold_a_mon_is_named_with_the_cause(values, code, text):
    unfit = replace(EMPTY.hosts["store-b"], **values)

    found = located(facts.changed(EMPTY, unfit), FRESH, count=3)

    assert [(one.code, one.host) for one in found.blocked] == [
        ("MonPlacement", None),
        (code, "store-b"),
    ]
    assert text in found.blocked[1].message


def test_an_interrupted_beginning_keeps_its_places():
    begun = replace(EMPTY.hosts["store-b"], daemons=(facts.mon("b", monmap_epoch=0),))

    found = located(facts.changed(EMPTY, begun), FRESH, count=3)

    assert found.forming
    assert [mon.name for mon in found.placed] == ["b"]
    assert [mon.name for mon in found.missing] == ["a", "c"]


def test_a_beginning_for_which_the_places_changed_is_refused_with_the_way_out():
    begun = replace(EMPTY.hosts["store-b"], daemons=(facts.mon("a", monmap_epoch=0),))

    found = located(facts.changed(EMPTY, begun), FRESH, count=3)

    assert [(one.code, one.host) for one in found.blocked] == [("InterruptedCreation", "store-b")]
    assert "remove /var/lib/ceph/mon/ceph-a there" in found.blocked[0].message
    assert found.wanted == ()


def test_members_of_the_monmap_stay_whatever_their_hosts_do():
    found = located(facts.changed(facts.healthy(), facts.silent("store-c")), count=3)

    assert places(found.placed) == [
        ("a", "store-a", "192.0.2.1"),
        ("b", "store-b", "192.0.2.2"),
        ("c", None, "192.0.2.3"),
    ]
    assert found.missing == ()


def test_new_mons_go_to_hosts_without_one_and_get_new_letters():
    grown = facts.changed(facts.healthy(), facts.host("store-d"), facts.host("store-e"))

    found = located(grown, count=5)

    assert places(found.missing) == [
        ("d", "store-d", "192.0.2.4"),
        ("e", "store-e", "192.0.2.5"),
    ]


def aside(*names):
    return tuple(PutAside(type=DaemonType.MON, id=name, fsid=facts.OURS) for name in names)


def test_the_id_of_a_mon_that_was_put_aside_is_not_used_again():
    grown = facts.changed(facts.healthy(), facts.host("store-d", put_aside=aside("d", "g")))

    assert places(located(grown, count=4).missing) == [("h", "store-d", "192.0.2.4")]


def test_several_mons_on_a_host_have_ports_of_their_own():
    found = located(facts.empty("store-a", "store-b"), FRESH, count=5, allowMultiplePerNode=True)

    assert [(mon.name, mon.host, mon.addrs) for mon in found.missing] == [
        ("a", "store-a", "[v2:192.0.2.1:3300,v1:192.0.2.1:6789]"),
        ("b", "store-b", "[v2:192.0.2.2:3300,v1:192.0.2.2:6789]"),
        ("c", "store-a", "[v2:192.0.2.1:3301,v1:192.0.2.1:6790]"),
        ("d", "store-b", "[v2:192.0.2.2:3301,v1:192.0.2.2:6790]"),
        ("e", "store-a", "[v2:192.0.2.1:3302,v1:192.0.2.1:6791]"),
    ]


def test_mons_that_speak_the_new_messenger_alone_have_no_old_port():
    spec = facts.spec(network={"connections": {"requireMsgr2": True}})

    found = locate(spec, EMPTY, FRESH)

    assert [mon.addrs for mon in found.missing][:1] == ["[v2:192.0.2.1:3300]"]


def test_addresses_that_several_hosts_have_are_no_places_for_mons():
    bridge = "10.88.0.1/16"
    hosts = [replace(host, addresses=(bridge, *host.addresses)) for host in EMPTY.hosts.values()]

    found = located(facts.changed(EMPTY, *hosts), FRESH, count=3)

    assert [mon.address for mon in found.missing] == ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
    twin = replace(EMPTY.hosts["store-b"], addresses=("192.0.2.1/24",))
    found = located(facts.changed(EMPTY, twin), FRESH, count=2)
    assert [(one.code, one.host) for one in found.blocked[1:]] == [
        ("NoAddress", "store-a"),
        ("NoAddress", "store-b"),
    ]


def test_mons_of_two_families_are_refused_unless_both_are_asked_for():
    six = replace(EMPTY.hosts["store-b"], addresses=("2001:db8::2/64",))
    seen = facts.changed(EMPTY, six)

    assert [one.code for one in located(seen, FRESH).blocked] == ["MixedFamilies"]
    dual = locate(facts.spec(network={"dualStack": True}), seen, FRESH)
    assert [mon.address for mon in dual.missing] == ["192.0.2.1", "2001:db8::2", "192.0.2.3"]
    one = locate(facts.spec(mon={"count": 1}, network={"ipFamily": "IPv6"}), seen, FRESH)
    assert [mon.addrs for mon in one.missing] == ["[v2:[2001:db8::2]:3300,v1:[2001:db8::2]:6789]"]


def test_growing_past_the_hosts_is_refused_and_what_is_there_goes_on():
    found = located(facts.healthy(), count=5)

    assert len(found.placed) == 3
    assert [one.code for one in found.blocked] == ["MonPlacement"]


def test_c27_three_mons_become_two_and_two_stay():
    found = located(facts.healthy(), count=1)

    assert [mon.name for mon in found.placed] == ["a", "b"]
    assert [mon.name for mon in found.going] == ["c"]
    assert [one.code for one in found.notices] == ["MonSurplus"]


def test_a_member_whose_host_holds_no_data_is_made_again_there():
    wiped = replace(facts.healthy().hosts["store-b"], daemons=())

    found = located(facts.changed(facts.healthy(), wiped), count=3)

    assert places(found.remade) == [("b", "store-b", "192.0.2.2")]
    assert [mon.name for mon in found.placed] == ["a", "c"]


def test_a_member_without_address_is_nowhere_and_certainly_not_on_a_host_without_one():
    members = (*facts.view().mons, MonMember(name="x", rank=3))
    view = facts.view(mons=members)

    found = located(facts.changed(facts.healthy(), cluster=view), count=3)

    assert places(found.placed)[-1] == ("x", None, "")
    assert found.missing == ()


@pytest.mark.parametrize(("odd", "stops"), [("a", False), ("ab", True), ("abc", True)])
def test_addresses_that_cannot_be_read_are_taken_out_of_no_ceph_conf(odd, stops):
    members = tuple(
        replace(mon, addrs=("odd",)) if mon.name in odd else mon for mon in facts.view().mons
    )
    seen = facts.changed(facts.healthy(), cluster=facts.view(mons=members))

    plan = planning.plan(facts.spec(mgr={"count": 2}), seen)

    assert ([one.code for one in plan.blocked] == ["MonmapUnreadable"]) is stops
    assert (plan.steps == ()) is stops
    if stops:
        named = ", ".join(f"mon.{name}" for name in odd)
        assert plan.blocked[0].message == (
            f"the monmap has no address for {named} that can be read; nothing is changed: look at "
            "`ceph mon dump`"
        )


def test_without_quorum_the_newest_monmap_tells_the_members():
    old = facts.MONMAP[:1]
    seen = facts.with_daemon(facts.healthy(), "store-a", DaemonType.MON, monmap=old, monmap_epoch=1)

    found = located(replace(seen, cluster=None), count=3)

    assert [mon.name for mon in found.placed] == ["a", "b", "c"]


def test_names_of_a_cluster_made_elsewhere_are_kept():
    members = tuple(
        MonMember(name=f"store-{mon.name}", rank=rank, addrs=(f"v2:{mon.address}:3300/0",))
        for rank, mon in enumerate(facts.MONS)
    )
    seen = facts.healthy()
    for letter in "abc":
        seen = facts.with_daemon(seen, f"store-{letter}", DaemonType.MON, id=f"store-{letter}")
    named = facts.view(mons=members, quorum_names=tuple(mon.name for mon in members))
    seen = facts.changed(seen, facts.host("store-d"), cluster=named)

    found = located(seen, count=4)

    assert [mon.name for mon in found.placed] == ["store-a", "store-b", "store-c"]
    assert places(found.missing) == [("a", "store-d", "192.0.2.4")]
