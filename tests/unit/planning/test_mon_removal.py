"""Mons that go leave the map first, and what they leave behind is put aside."""

from dataclasses import replace
from datetime import UTC, datetime

from orchestrator import planning
from orchestrator.model.facts import DaemonType, MonmapEntry, Outage
from orchestrator.model.plan import AbsentStep, MonStep, Remains
from tests.fakes import facts

HEALTHY = facts.healthy()
SPARE = facts.host("store-d")


def plan(seen, count=3, **values):
    return planning.plan(facts.spec(mgr={"count": 2}, mon={"count": count}, **values), seen)


def mon_steps(found):
    kinds = (MonStep, AbsentStep)
    return [step for step in found.steps if isinstance(step, kinds)]


def shown(found):
    changes = (change for step in mon_steps(found) for change in step.changes)
    return [f"{one.action} {one.subject} {one.host}" for one in changes if "mon." in one.subject]


def gone():
    hosts = {name: host for name, host in HEALTHY.hosts.items() if name != "store-c"}
    return facts.changed(replace(HEALTHY, hosts=hosts), SPARE)


def test_c27_a_surplus_mon_leaves_the_map_and_is_then_stopped_and_put_aside():
    found = plan(HEALTHY, count=2)
    first = found.steps[0]

    assert isinstance(first, AbsentStep)
    assert shown(found) == ["remove mon.c store-c"]
    assert first.changes[0].reason == "3 mons exist, 2 wanted"
    assert first.unmapped == ("c",)
    assert [(one.id, one.host, one.data) for one in first.daemons] == [
        ("c", "store-c", Remains.ASIDE)
    ]
    assert first.admin_host == "store-a"


def test_c27_two_mons_of_one_wanted_stay_with_a_note_and_nothing_waits_for_it():
    two = facts.view(mons=facts.view().mons[:2], quorum_names=("a", "b"))
    bare = replace(HEALTHY.hosts["store-c"], daemons=())
    found = plan(facts.changed(HEALTHY, bare, cluster=two), count=1)

    assert shown(found) == []
    assert "MonSurplus" in [one.code for one in found.notices]
    assert not found.blocked


def test_c27_without_quorum_nothing_is_done_and_it_is_said():
    seen = facts.with_daemon(HEALTHY, "store-a", DaemonType.MON, mon_state="probing")
    seen = facts.changed(seen, facts.silent("store-b"), facts.silent("store-c"), cluster=None)

    found = plan(seen, count=1)

    assert found.steps == ()
    assert "NoQuorum" in [one.code for one in found.blocked]


def test_a_mon_whose_host_left_moves_the_new_one_first():
    found = plan(gone())

    assert shown(found) == ["create mon.d store-d", "remove mon.c None"]
    remove = mon_steps(found)[1]
    assert (remove.unmapped, remove.daemons) == (("c",), ())
    assert [mon.name for mon in found.steps[0].mons] == ["a", "b", "d"]


def test_a_mon_that_may_not_stay_and_has_nowhere_to_go_stays():
    hosts = [replace(host, groups=("mons",)) for host in list(HEALTHY.hosts.values())[:2]]
    found = plan(facts.changed(HEALTHY, *hosts))

    assert shown(found) == []
    assert "MonNotReplaced" in [one.code for one in found.blocked]


def test_a_changed_address_moves_the_mon_on_its_own_host():
    moved = replace(HEALTHY.hosts["store-c"], addresses=("192.0.2.33/24",))
    seen = facts.changed(HEALTHY, moved, cluster=facts.view(quorum_names=("a", "b")))

    found = plan(seen)

    assert shown(found)[:2] == ["create mon.d store-c", "remove mon.c store-c"]
    assert found.steps[0].mons[-1].address == "192.0.2.33"


def test_c29_a_mon_that_was_out_for_too_long_is_replaced_once():
    outage = Outage(since=datetime(2030, 1, 2, tzinfo=UTC), seconds=601)
    silent = replace(facts.silent("store-c"), address="192.0.2.3")
    view = facts.view(quorum_names=("a", "b"))
    seen = facts.changed(HEALTHY, silent, SPARE, cluster=view, outages={"c": outage})

    assert shown(plan(seen)) == ["create mon.d store-d", "remove mon.c None"]
    early = replace(seen, outages={"c": replace(outage, seconds=599)})
    assert shown(plan(early)) == []


def test_c29_a_single_mon_is_never_replaced():
    one = facts.view(mons=facts.view().mons[:1], quorum_names=())
    outage = Outage(since=datetime(2030, 1, 2, tzinfo=UTC), seconds=9000)
    bare = [replace(HEALTHY.hosts[f"store-{name}"], daemons=()) for name in "bc"]
    silent = replace(facts.silent("store-a"), address="192.0.2.1")
    seen = facts.changed(HEALTHY, *bare, silent, SPARE, cluster=None, outages={"a": outage})

    assert plan(seen, count=1).steps == ()
    answering = facts.changed(HEALTHY, *bare, SPARE, cluster=one, outages={"a": outage})
    assert shown(plan(answering, count=1)) == []


def test_a_store_that_the_map_does_not_have_is_put_aside_and_its_id_is_not_used_again():
    left = facts.host("store-d", daemons=(facts.mon("d", active="inactive"),))
    found = plan(facts.changed(HEALTHY, left, facts.host("store-e")), count=5)

    assert shown(found) == [
        "create mon.e store-d",
        "create mon.f store-e",
        "remove mon.d store-d",
    ]
    (removal,) = [step for step in found.steps if isinstance(step, AbsentStep)]
    assert removal.unmapped == ("d",)


def test_a_store_of_a_members_name_on_another_host_goes_and_the_member_stays():
    left = facts.host("store-d", daemons=(facts.mon("b", active="inactive"),))
    found = plan(facts.changed(HEALTHY, left))

    assert shown(found) == ["remove mon.b store-d"]
    assert found.steps[0].unmapped == ()


def test_a_store_of_a_member_whose_home_is_not_known_is_left_alone():
    silent = facts.silent("store-b")
    old = (*facts.MONMAP[:1], MonmapEntry(name="b", addr="192.0.2.4"))
    left = facts.host("store-d", daemons=(facts.mon("b", active="inactive", monmap=old),))

    assert shown(plan(facts.changed(HEALTHY, silent, left))) == []


def test_c25_a_store_of_another_cluster_is_never_put_aside():
    left = facts.host("store-d", daemons=(facts.mon("d", fsid=facts.OTHER, active="inactive"),))

    assert shown(plan(facts.changed(HEALTHY, left))) == []


def test_a_mon_that_was_made_and_never_joined_is_used():
    begun = facts.host("store-d", daemons=(facts.mon("d", active="inactive", monmap_epoch=0),))
    found = plan(facts.changed(HEALTHY, begun, facts.host("store-e")), count=5)

    assert shown(found) == ["create mon.d store-d", "create mon.e store-e"]


def test_a_mon_that_never_joined_keeps_its_host_when_another_would_come_first():
    begun = facts.host("store-e", daemons=(facts.mon("e", active="inactive", monmap_epoch=0),))
    found = plan(facts.changed(HEALTHY, facts.host("store-d"), begun), count=5)

    assert shown(found) == ["create mon.e store-e", "create mon.f store-d"]


def test_a_mon_that_never_joined_on_a_host_that_may_hold_none_gives_way():
    begun = (facts.mon("d", active="inactive", monmap_epoch=0),)
    unfit = facts.host("store-d", daemons=begun, binaries=("ceph-osd",))
    found = plan(facts.changed(HEALTHY, unfit, facts.host("store-e")), count=4)

    assert shown(found) == ["create mon.e store-e", "remove mon.d store-d"]


def test_the_old_messenger_is_taken_from_one_mon_after_the_other_and_given_back():
    network = {"connections": {"requireMsgr2": True}}
    found = plan(HEALTHY, network=network)

    assert [step.readdressed for step in found.steps if isinstance(step, MonStep)][:3] == [
        ("a",),
        ("b",),
        ("c",),
    ]
    assert found.steps[0].changes[0].reason == "its addresses become [v2:192.0.2.1:3300]"
    bare = tuple(replace(mon, addrs=mon.addrs[:1]) for mon in facts.view().mons)
    back = plan(replace(HEALTHY, cluster=facts.view(mons=bare)))
    assert back.steps[0].changes[0].reason == (
        "its addresses become [v2:192.0.2.1:3300,v1:192.0.2.1:6789]"
    )


def test_messengers_change_only_while_all_mons_are_there():
    network = {"connections": {"requireMsgr2": True}}
    seen = replace(
        facts.changed(HEALTHY, facts.silent("store-c")),
        cluster=facts.view(quorum_names=("a", "b")),
    )

    assert not any(step.readdressed for step in mon_steps(plan(seen, network=network)))
