"""Where members of the monmap live, and why one of them could not stay there."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from orchestrator.model.endpoints import Ports
from orchestrator.model.facts import DaemonType, MonmapEntry, MonMember, Outage
from orchestrator.planning import mon_members
from orchestrator.planning.mon_hosts import Places
from tests.fakes import facts

HEALTHY = facts.healthy()
NOW = datetime(2030, 1, 2, tzinfo=UTC)


def homes(seen):
    return {mon.name: mon.host for mon in mon_members.members(seen)}


def faults(seen, **values):
    spec = facts.spec(**values)
    evicted = Places(spec=spec, facts=seen).evicted
    judge = mon_members.Judge(spec=spec, facts=seen, evicted=evicted)
    return judge.faults(mon_members.members(seen))


def out(seconds, name="c"):
    """Mon c is out of quorum on a host that does not answer."""
    outage = Outage(since=NOW, seconds=seconds)
    seen = facts.changed(HEALTHY, replace(facts.silent("store-c"), address="192.0.2.3"))
    rest = tuple(one for one in "abc" if one != name)
    return replace(seen, cluster=facts.view(quorum_names=rest), outages={name: outage})


def test_a_members_address_tells_its_host():
    assert homes(HEALTHY) == {"a": "store-a", "b": "store-b", "c": "store-c"}


def test_data_of_the_same_name_elsewhere_is_no_member():
    left = facts.host("store-d", daemons=(facts.mon("b"),))

    assert homes(facts.changed(HEALTHY, left))["b"] == "store-b"


def test_a_silent_host_is_nobodys_home_and_others_do_not_take_its_place():
    silent = replace(facts.silent("store-b"), address="192.0.2.2")
    left = facts.host("store-d", daemons=(facts.mon("b"),))

    assert homes(facts.changed(HEALTHY, silent, left))["b"] is None


def test_a_mon_behind_a_translated_address_is_found_by_its_data():
    inside = replace(HEALTHY.hosts["store-b"], addresses=("10.0.0.2/24",))

    assert homes(facts.changed(HEALTHY, inside))["b"] == "store-b"
    assert faults(facts.changed(HEALTHY, inside)) == {}


def test_an_address_that_two_hosts_claim_is_nobodys():
    twin = facts.host("store-d", addresses=("192.0.2.2/24",))

    assert homes(facts.changed(HEALTHY, twin))["b"] == "store-b"
    bare = replace(HEALTHY.hosts["store-b"], daemons=())
    assert homes(facts.changed(HEALTHY, bare, twin))["b"] is None


def test_ports_come_from_the_map_or_from_the_newest_store():
    member = MonMember(name="a", rank=0, addrs=("v2:192.0.2.1:3301/0",))
    seen = facts.changed(HEALTHY, cluster=facts.view(mons=(member,)))
    assert mon_members.members(seen)[0].ports == Ports(v2=3301, v1=0)

    entry = MonmapEntry(name="a", addr="192.0.2.1", addrs=("v2:192.0.2.1:3301/0",))
    old = facts.with_daemon(HEALTHY, "store-a", DaemonType.MON, monmap=(entry,), monmap_epoch=9)
    assert mon_members.members(replace(old, cluster=None))[0].ports == Ports(v2=3301, v1=0)


def test_a_healthy_cluster_has_no_faults():
    assert faults(HEALTHY) == {}


def test_a_host_outside_the_group_loses_its_mon():
    grouped = [
        replace(host, groups=("mons",) if name != "store-c" else ())
        for name, host in HEALTHY.hosts.items()
    ]

    assert faults(facts.changed(HEALTHY, *grouped)) == {
        "c": "its host store-c may not keep it: it is not in the inventory's group mons"
    }


def test_a_host_that_left_the_inventory_loses_its_mon_once_all_others_answered():
    hosts = {name: host for name, host in HEALTHY.hosts.items() if name != "store-c"}
    gone = replace(HEALTHY, hosts=hosts)

    assert faults(gone) == {"c": "no host of the inventory has 192.0.2.3"}
    assert faults(facts.changed(gone, facts.silent("store-d"))) == {}


@pytest.mark.parametrize(
    ("network", "text"),
    [
        ({"ipFamily": "IPv6"}, "its address 192.0.2.1 is not of the family IPv6"),
        (
            {"addressRanges": {"public": ["198.51.100.0/24"]}},
            "its address 192.0.2.1 is outside 198.51.100.0/24",
        ),
    ],
)
def test_an_address_that_the_network_section_rules_out_is_a_fault(network, text):
    assert faults(HEALTHY, network=network)["a"] == text


def test_dual_stack_rules_no_family_out():
    assert faults(HEALTHY, network={"dualStack": True}) == {}


def test_a_loopback_address_is_a_fault():
    members = (MonMember(name="a", rank=0, addrs=facts.addrs("127.0.0.1")), *facts.view().mons[1:])
    seen = facts.changed(HEALTHY, cluster=facts.view(mons=members))

    silent = facts.changed(seen, facts.silent("store-d"))
    assert faults(silent) == {"a": "no other host can reach its address 127.0.0.1"}
    assert faults(seen) == {"a": "no host of the inventory has 127.0.0.1"}


def test_an_address_that_its_host_lost_is_a_fault_only_when_the_mon_is_out():
    moved = replace(HEALTHY.hosts["store-c"], addresses=("192.0.2.33/24",))
    seen = facts.changed(HEALTHY, moved)

    assert faults(seen) == {}
    seen = replace(seen, cluster=facts.view(quorum_names=("a", "b")))
    assert faults(seen) == {"c": "its host does not have the address 192.0.2.3 any more"}


def test_of_two_mons_on_a_host_the_later_one_is_to_go_unless_that_is_allowed():
    both = replace(HEALTHY.hosts["store-a"], addresses=("192.0.2.1/24", "192.0.2.2/24"))
    other = replace(HEALTHY.hosts["store-b"], addresses=("192.0.2.22/24",), daemons=())
    seen = facts.changed(HEALTHY, both, other)

    assert faults(seen) == {"b": "mon.b shares its host, and allowMultiplePerNode is false"}
    assert faults(seen, mon={"allowMultiplePerNode": True}) == {}


def check(**values):
    return {"healthCheck": {"daemonHealth": {"mon": values}}}


@pytest.mark.parametrize(
    ("seconds", "values", "replaced"),
    [
        (599, {}, False),
        (600, {}, False),
        (601, {}, True),
        (601, check(timeout=""), True),
        (599, check(timeout="abc"), False),
        (601, check(timeout="abc"), True),
        (601, check(timeout="-1m"), True),
        (61, check(timeout="1m"), True),
        (86400, check(timeout="0"), False),
        (86400, check(timeout="0s"), False),
        (86400, check(disabled=True), False),
    ],
)
def test_c29_a_mon_is_replaced_after_the_timeout_and_never_at_zero(seconds, values, replaced):
    expected = {"c"} if replaced else set()

    assert set(faults(out(seconds), **values)) == expected


def test_c29_clock_skew_is_no_fault_of_a_mon():
    skew = {"MON_CLOCK_SKEW": {"severity": "HEALTH_WARN", "summary": {"message": "skew"}}}
    status = {"health": {"status": "HEALTH_WARN", "checks": skew}}

    assert faults(replace(HEALTHY, cluster=facts.view(status=status))) == {}


@pytest.mark.parametrize(("active", "replaced"), [("inactive", set()), ("failed", {"b"})])
def test_what_was_only_stopped_is_started_and_what_gave_up_is_replaced(active, replaced):
    seen = facts.with_daemon(HEALTHY, "store-b", DaemonType.MON, active=active)
    outage = Outage(since=NOW, seconds=9000)
    seen = replace(seen, cluster=facts.view(quorum_names=("a", "c")), outages={"b": outage})

    assert set(faults(seen)) == replaced
