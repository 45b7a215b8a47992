"""The order in which mons are made, mended and added."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import Conf, DaemonType
from orchestrator.model.plan import ConfigSetting
from orchestrator.planning import mons, mutes
from orchestrator.planning.identity import Fresh, Known
from orchestrator.planning.mon_places import locate
from tests.fakes import facts

EMPTY = facts.empty("store-a", "store-b", "store-c")
SETTING = ConfigSetting(section="global", name="mon_allow_pool_delete", value="true")
MUTING = mutes.planned(
    facts.spec(healthCheck={"muteHealthWarning": {"OSD_DOWN": {"policy": "mute"}}}), None
)


def steps(found, identity=None, count=3):
    identity = identity or Known(fsid=facts.OURS)
    places = locate(facts.spec(mon={"count": count}), found, identity)
    beginning = mons.Beginning(settings=(SETTING,), muting=MUTING)
    return list(mons.steps(found, identity.fsid, places, beginning))


def lines(step):
    return [f"{one.action} {one.subject} on {one.host}: {one.reason}" for one in step.changes]


def targets(step):
    return [(target.id, target.host) for target in step.targets]


def test_a_new_clusters_mons_are_one_step_with_its_first_options():
    (step,) = steps(EMPTY, Fresh(fsid=None))

    assert step.new_cluster
    assert step.fsid is None
    assert targets(step) == [("a", "store-a"), ("b", "store-b"), ("c", "store-c")]
    assert lines(step) == [
        "create mon.a on store-a: new cluster, 192.0.2.1",
        "create mon.b on store-b: new cluster, 192.0.2.2",
        "create mon.c on store-c: new cluster, 192.0.2.3",
        "set config global/mon_allow_pool_delete on None: true (new cluster)",
        "mute health OSD_DOWN on None: spec.healthCheck.muteHealthWarning mutes it",
    ]
    assert step.settings == (SETTING,)
    assert step.mutes == ("OSD_DOWN",)


def test_an_interrupted_beginning_is_one_step_again_with_all_its_mons():
    begun = replace(EMPTY.hosts["store-b"], daemons=(facts.mon("b", monmap_epoch=0),))

    (step,) = steps(facts.changed(EMPTY, begun), Fresh(fsid=facts.OURS))

    assert step.fsid == facts.OURS
    assert lines(step)[:3] == [
        "create mon.a on store-a: new cluster, 192.0.2.1",
        "create mon.b on store-b: begun earlier, never in quorum, 192.0.2.2",
        "create mon.c on store-c: new cluster, 192.0.2.3",
    ]


def test_a_healthy_cluster_needs_no_step():
    assert steps(facts.healthy()) == []


def test_stopped_mons_are_started_together():
    seen = facts.with_daemon(facts.healthy(), "store-a", DaemonType.MON, active="failed")
    seen = facts.with_daemon(seen, "store-b", DaemonType.MON, active="inactive")

    (step,) = steps(replace(seen, cluster=None))

    assert targets(step) == [("a", "store-a"), ("b", "store-b")]
    assert not step.new_cluster


def test_running_mons_are_restarted_one_after_the_other():
    seen = facts.healthy()
    for name in ("store-a", "store-b", "store-c"):
        seen = facts.with_daemon(seen, name, DaemonType.MON, record="old")

    found = steps(seen)

    assert [targets(step) for step in found] == [
        [("a", "store-a")],
        [("b", "store-b")],
        [("c", "store-c")],
    ]


@pytest.mark.parametrize(
    ("members", "quorum", "allowed"),
    [
        ("abc", "abc", "abc"),
        ("abc", "ab", "c"),  # two of three: neither can be spared
        ("abcde", "abcd", "abcde"),
        ("abcde", "abc", "de"),
        ("ab", "ab", "ab"),  # there is no better time
        ("a", "a", "a"),
    ],
)
def test_no_mon_restarts_that_the_quorum_cannot_spare(members, quorum, allowed):
    seen = facts.healthy()
    found = tuple(replace(seen.cluster.mons[0], name=name) for name in members)
    seen = replace(seen, cluster=replace(seen.cluster, mons=found, quorum_names=tuple(quorum)))

    assert "".join(name for name in members if mons.may_restart(seen, name)) == allowed


def test_restarts_wait_in_words_while_a_mon_is_lost():
    seen = facts.healthy()
    for name in ("store-a", "store-b"):
        seen = facts.with_daemon(seen, name, DaemonType.MON, record="old")
    seen = facts.changed(seen, replace(seen.hosts["store-c"], reachable=False, daemons=()))
    seen = replace(seen, cluster=replace(seen.cluster, quorum_names=("a", "b")))
    places = locate(facts.spec(mon={"count": 3}), seen, Known(fsid=facts.OURS))

    assert steps(seen) == []
    (reason,) = mons.postponed(seen, facts.OURS, places)
    assert reason.message == (
        "mon.a, mon.b cannot start again while mon.c is out of quorum: bring it back, "
        "or let it be replaced"
    )


def test_new_mons_come_one_at_a_time_between_mending_and_ceph_conf():
    seen = facts.with_daemon(facts.healthy(), "store-c", DaemonType.MON, active="failed")
    seen = facts.changed(seen, facts.host("store-d"), facts.host("store-e"))

    found = steps(seen, count=5)

    assert [line for step in found for line in lines(step)] == [
        "start mon.c on store-c: ceph-mon@c is failed",
        "create mon.d on store-d: 3 of 5 mons exist, 192.0.2.4",
        "create mon.e on store-e: 4 of 5 mons exist, 192.0.2.5",
        *(
            f"repair /etc/ceph/ceph.conf on store-{letter}: it lacks the mons 192.0.2.4, 192.0.2.5"
            for letter in "ab"
        ),
    ]


def test_no_mon_is_added_without_quorum():
    seen = facts.changed(facts.healthy(), facts.host("store-d"), cluster=None)

    assert not any(
        change.action == "create" for step in steps(seen, count=4) for change in step.changes
    )


def test_a_silent_hosts_mon_is_left_alone():
    assert steps(facts.changed(facts.healthy(), facts.silent("store-b"))) == []


@pytest.mark.parametrize(
    ("quorum", "expected"),
    [(("a", "b", "c"), "store-a"), (("b", "c"), "store-b"), ((), "store-a")],
)
def test_commands_run_on_the_host_of_a_mon_in_quorum(quorum, expected):
    seen = facts.changed(facts.healthy(), cluster=facts.view(quorum_names=quorum))

    assert mons.admin_host(seen, facts.MONS) == expected


def test_commands_run_where_somebody_answers():
    seen = facts.changed(facts.healthy(), facts.silent("store-a"), cluster=None)

    assert mons.admin_host(seen, facts.MONS) == "store-b"


def test_a_mon_is_its_name_and_its_address():
    mon = facts.MONS[0]

    assert mons.mon_record(mon) == mons.mon_record(replace(mon, host="store-z"))
    assert mons.mon_record(mon) != mons.mon_record(replace(mon, address="192.0.2.9"))
    assert mons.mon_record(mon) != mons.mon_record(replace(mon, name="b"))


def test_a_lost_ceph_conf_is_mended_for_its_own_sake():
    bare = replace(facts.healthy().hosts["store-b"], conf=Conf())

    (step,) = steps(facts.changed(facts.healthy(), bare))

    assert lines(step) == ["repair /etc/ceph/ceph.conf on store-b: it is missing"]
