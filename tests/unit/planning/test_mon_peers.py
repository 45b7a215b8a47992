"""A mon that its peers keep out after a change of its addresses: who starts again, and when."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from orchestrator import planning
from orchestrator.model.facts import DaemonType, Outage
from orchestrator.model.plan import MonStep
from tests.fakes import facts

SINCE = datetime(2030, 1, 2, tzinfo=UTC)


def outage(seconds):
    return Outage(since=SINCE, seconds=seconds)


def kept_out(*, age=60.0, out=50.0, state="probing", older="ac", **values):
    """mon.b probes since the map changed; `older` mons have run since before that."""
    seen = facts.changed(facts.healthy(), cluster=facts.view(quorum_names=("a", "c")))
    for letter in "abc":
        long = 90_000.0 if letter in older else 30.0
        known = {"running_seconds": long, "monmap_age": age, "mon_state": "peon"}
        seen = facts.with_daemon(seen, f"store-{letter}", DaemonType.MON, **known)
    seen = facts.with_daemon(seen, "store-b", DaemonType.MON, mon_state=state, **values)
    return replace(seen, outages={"b": outage(out)})


def plan(seen, **spec):
    return planning.plan(facts.spec(mgr={"count": 2}, **spec), seen)


def restarts(seen):
    return [step for step in plan(seen).steps if isinstance(step, MonStep) and step.restarts]


def test_the_peer_that_does_not_lead_starts_again_first_and_alone():
    (step,) = restarts(kept_out())

    assert step.restarts == ("c",)
    assert (step.admin_host, [one.host for one in step.targets]) == ("store-c", ["store-c"])
    assert [(one.action, one.subject, one.host, one.reason) for one in step.changes] == [
        (
            "restart",
            "mon.c",
            "store-c",
            "it has run since before the monmap changed, and mon.b is kept out",
        )
    ]


def test_the_leader_comes_when_the_others_did_not_help():
    assert [step.restarts for step in restarts(kept_out(older="a"))] == [("a",)]


@pytest.mark.parametrize(
    "values",
    [
        {"older": ""},
        {"state": "synchronizing"},
        {"state": "peon"},
        {"active": "failed"},
        {"age": 4000.0, "out": 50.0},
        {"age": -1.0},
    ],
    ids=["all-are-younger", "copies", "was-in", "is-down", "went-out-later", "age-unknown"],
)
def test_nobody_starts_again_for_a_mon_that_is_out_for_another_reason(values):
    assert restarts(kept_out(**values)) == []


def test_a_mon_that_some_peers_hear_calls_elections_that_come_to_nothing():
    assert [step.restarts for step in restarts(kept_out(state="electing", out=1.0))] == [("c",)]


def test_a_mon_that_merely_starts_is_waited_for():
    found = plan(kept_out(age=10.0, out=8.0))

    assert found.steps == ()
    assert [(one.code, one.transient, one.host) for one in found.blocked] == [
        ("MonOutOfQuorum", True, "store-b")
    ]
    assert "mon.c, which has run for longer, is started again" in found.blocked[0].message


@pytest.mark.parametrize(("age", "restarted"), [(10.0, []), (60.0, [("c",)])], ids=["soon", "now"])
def test_a_ceph_conf_that_is_behind_waits_until_the_mon_is_back(age, restarted):
    seen = kept_out(age=age)
    for host in tuple(seen.hosts.values()):
        behind = replace(host.conf, mon_host="[v2:192.0.2.1:3300]")
        seen = facts.changed(seen, replace(host, conf=behind))

    steps = [step for step in plan(seen).steps if isinstance(step, MonStep)]

    assert [step.restarts for step in steps] == restarted


@pytest.mark.parametrize("name", ["store-b", "store-c"], ids=["of-the-mon", "of-a-peer"])
def test_after_a_start_the_mon_gets_time_to_come_back(name):
    seen = facts.with_daemon(kept_out(older="a"), name, DaemonType.MON, running_seconds=3.0)

    assert restarts(seen) == []
    assert [one.code for one in plan(seen).blocked] == ["MonOutOfQuorum"]


def test_a_mon_that_is_to_be_replaced_needs_no_peer_to_start_again():
    seen = kept_out()
    found = plan(seen, healthCheck={"daemonHealth": {"mon": {"timeout": "40s"}}})

    assert not [step for step in found.steps if isinstance(step, MonStep) and step.restarts]


def test_other_addresses_wait_for_a_mon_that_is_out_and_say_so():
    network = {"connections": {"requireMsgr2": True}}

    found = plan(kept_out(state="synchronizing"), network=network)

    assert not any(isinstance(step, MonStep) and step.readdressed for step in found.steps)
    (reason,) = found.blocked
    assert (reason.code, reason.transient) == ("MonOutOfQuorum", True)
    assert reason.message == (
        "no address of a mon is changed while mon.b is out of quorum: bring it back, or let it be "
        "replaced"
    )


def without_quorum(**values):
    known = {"mon_state": "probing", "monmap_age": 60.0, "running_seconds": 900.0, **values}
    seen = replace(kept_out(), cluster=None, outages={})
    for letter in "abc":
        seen = facts.with_daemon(seen, f"store-{letter}", DaemonType.MON, **known)
    return seen


def test_without_a_quorum_all_that_probe_start_again_together_once():
    (step,) = plan(without_quorum()).steps

    assert step.restarts == ("a", "b", "c")
    assert [(one.action, one.subject) for one in step.changes] == [
        ("restart", "mon.a"),
        ("restart", "mon.b"),
        ("restart", "mon.c"),
    ]
    assert plan(without_quorum(running_seconds=50.0)).steps == ()


@pytest.mark.parametrize(
    "values",
    [{"mon_state": "electing"}, {"monmap_age": 5.0}, {"monmap_age": -1.0}],
    ids=["elects", "just-changed", "age-unknown"],
)
def test_without_a_quorum_what_may_come_by_itself_is_waited_for(values):
    found = plan(without_quorum(**values))

    assert found.steps == ()
    assert [one.code for one in found.blocked] == ["NoQuorum"]


def test_without_a_quorum_a_mon_that_is_down_is_started_and_no_other_restarted():
    seen = facts.with_daemon(without_quorum(), "store-b", DaemonType.MON, active="failed")

    steps = [step for step in plan(seen).steps if isinstance(step, MonStep)]
    assert [(one.action, one.subject) for step in steps for one in step.changes] == [
        ("start", "mon.b")
    ]


@pytest.mark.parametrize(("out", "expected"), [(89.0, []), (91.0, [("c",)])])
def test_a_mon_whose_node_may_just_have_died_makes_no_other_start_again(out, expected):
    seen = kept_out(age=100.0, out=out)
    hosts = (replace(host, pods=True) for host in seen.hosts.values())

    found = restarts(facts.changed(seen, *hosts))

    assert [step.restarts for step in found] == expected
