"""OSDs that have to restart, over several passes: who is asked, and how long a no is heard."""

from datetime import timedelta

import pytest

from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.reconcile import observed, planned, reconcile
from tests.fakes.clusters import cluster, room
from tests.fakes.machines import Disk
from tests.fakes.stores import NOW, world

KEY = ClusterKey("rook-ceph", "test")
THREE = {"mon": {"count": 3}, "mgr": {"count": 2}}


@pytest.fixture
def machines():
    return room(3, 1)


def passes(the_world, count):
    return [reconcile(KEY, the_world) for _ in range(count)]


def outdate(machines, *osds):
    """Let these OSDs run by an older description."""
    for _, unit in machines.units("osd"):
        if int(unit.id) in osds:
            unit.record = "0000.net"


@pytest.fixture
def built(machines):
    """A finished cluster whose OSDs all run by an older description."""
    the_world = world(cluster(**THREE), machines)
    passes(the_world, 4)
    outdate(machines, 0, 1, 2)
    the_world.facts.clear()
    machines.runs.clear()
    return the_world


WHY = "pg 11.3 would become inactive"


def test_c37_ceph_is_asked_once_and_then_with_each_run(built, machines):
    machines.together = 2

    passes(built, 3)

    assert machines.restarted == [(0, 1), (2,)]
    assert machines.runs == ["facts.yml", "facts.yml", "osd.yml", "osd.yml"]


def test_c37_one_that_may_never_stop_is_told_of_with_how_far_it_is(built, machines):
    machines.refusals[1] = WHY

    *_, last = passes(built, 4)

    assert machines.restarted == [(0,), (2,)]
    (reason,) = last.plan.blocked
    assert reason.message.startswith(f"OSDs restarted so far: 2 of 3; osd.1: {WHY}; wait, or let ")
    assert f"2 of 3; osd.1: {WHY}" in built.statuses.status["message"]


def test_c37_it_is_tried_again_later_and_asked_with_the_look(built, machines):
    machines.refusals[1] = WHY
    passes(built, 4)
    machines.refusals.clear()
    built.facts.clear()
    machines.runs.clear()

    (result,) = passes(built, 1)

    assert machines.restarted[-1] == (1,)
    assert machines.runs == ["facts.yml", "osd.yml"]
    assert result.plan.converged


def going_on(built):
    built.specs.cluster = cluster(**THREE, continueUpgradeAfterChecksEvenIfNotHealthy=True)


def after(built, minutes):
    """A pass so many minutes later, by whoever finds nothing but the status."""
    built.now = lambda: NOW + timedelta(minutes=minutes)
    for known in (built.facts, built.restarts, built.refused):
        known.clear()
    return reconcile(KEY, built)


def test_a_no_to_all_is_heard_for_ten_minutes_whoever_asks_and_then_one_restarts(built, machines):
    going_on(built)
    machines.refusals = dict.fromkeys(range(3), WHY)

    assert after(built, 0).step is None
    assert built.statuses.status["storage"]["restartsRefusedSince"] == "2030-01-02T03:04:05Z"
    assert "restarts all the same in 1 min" in after(built, 9).plan.blocked[0].message
    assert machines.restarted == []
    after(built, 10)
    assert machines.restarted == [(0,)]


def test_the_next_one_is_heard_for_as_long(built, machines):
    going_on(built)
    machines.refusals = dict.fromkeys(range(3), WHY)
    for minutes in (0, 10, 11, 19):
        after(built, minutes)
    assert machines.restarted == [(0,)]

    after(built, 20)
    assert machines.restarted == [(0,), (1,)]


def test_a_yes_in_between_ends_the_count(built, machines):
    going_on(built)
    machines.refusals = dict.fromkeys(range(3), WHY)
    after(built, 0)
    machines.refusals = {1: WHY, 2: WHY}
    after(built, 5)
    assert machines.restarted == [(0,)]

    after(built, 14)
    assert machines.restarted == [(0,)]


def test_c37_new_osds_come_before_the_question(built, machines):
    machines.refusals = dict.fromkeys(range(3), WHY)
    machines.machines["store-2"].disks.append(Disk("sdz"))

    first, second = passes(built, 2)

    assert machines.runs == ["facts.yml", "osd.yml", "facts.yml"]
    assert [change.action for change in first.step.changes] == ["prepare"]
    assert machines.restarted == []
    assert [reason.code for reason in second.plan.blocked] == ["NotOkToStop"]


def test_a_plan_shows_restarts_behind_other_steps_too(built, machines):
    machines.machines["store-2"].disks.append(Disk("sdz"))
    facts, _ = observed(KEY, built, None)

    _, plan = planned(built.specs.cluster, built, facts, thorough=True)

    assert [len(step.hosts) for step in plan.steps] == [1, 1]
    assert machines.runs == ["facts.yml", "facts.yml"]


def test_c37_a_question_that_found_nobody_restarts_nothing(built, machines, monkeypatch):
    facts, _ = observed(KEY, built, None)
    broken = Outcome(ok=False, run="1", playbook="facts.yml", canceled=True)
    monkeypatch.setattr(type(machines), "observe", lambda *_: broken)

    _, plan = planned(built.specs.cluster, built, facts)

    assert (plan.steps, plan.asks) == ((), True)
