"""One pass: look, plan, one step, look again, and the status at every stage."""

from dataclasses import replace
from datetime import timedelta

import pytest

from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import CreationStep, MgrStep
from orchestrator.reconcile import (
    GONE,
    asked_nobody,
    look,
    reconcile,
    rehearse,
)
from tests.fakes.clusters import cluster, room
from tests.fakes.stores import NOW, world

KEY = ClusterKey("rook-ceph", "test")
THREE = {"mon": {"count": 3}, "mgr": {"count": 2}}
DASHBOARD = {"dashboard": {"enabled": True}}
"""Needs an active mgr, so it comes in a run after that which makes the cluster."""


@pytest.fixture
def machines():
    return room(3, 1)


@pytest.fixture
def the_world(machines):
    return world(cluster(**THREE), machines)


def passes(the_world, count):
    return [reconcile(KEY, the_world) for _ in range(count)]


def phases(the_world):
    return [(one["phase"], one["message"]) for one in the_world.statuses.history]


@pytest.fixture
def with_dashboard(machines):
    return world(cluster(**THREE, **DASHBOARD), machines)


def test_a_pass_runs_one_step_and_plans_again(with_dashboard, machines):
    (result,) = passes(with_dashboard, 1)

    assert isinstance(result.step, CreationStep)
    assert isinstance(result.plan.first, MgrStep)
    assert machines.runs == ["facts.yml", "site.yml"]
    assert len(machines.quorum()) == 3


def test_facts_of_a_run_are_enough_for_the_next_pass(with_dashboard, machines):
    results = passes(with_dashboard, 3)

    assert machines.runs == ["facts.yml", "site.yml", "mgr.yml"]
    assert results[2].plan.converged
    assert results[2].step is None


def test_the_status_is_written_before_and_after_each_step(with_dashboard):
    passes(with_dashboard, 3)

    assert phases(with_dashboard) == [
        ("Progressing", "Configuring the Ceph cluster"),
        ("Progressing", "Configuring Ceph Mgr(s)"),
        ("Progressing", "Configuring Ceph Mgr(s)"),
        ("Ready", "Cluster created successfully"),
        ("Ready", "Cluster created successfully"),
    ]


def test_steps_are_announced_before_they_run(with_dashboard, machines):
    seen = []
    with_dashboard.on_step = lambda plan, step: seen.append(
        (len(plan.steps), type(step), machines.runs[-1])
    )

    passes(with_dashboard, 2)

    assert seen == [(2, CreationStep, "facts.yml"), (1, MgrStep, "site.yml")]


def test_an_identity_is_made_for_a_new_cluster_and_established_by_its_quorum(the_world):
    passes(the_world, 1)

    identities = the_world.identities
    assert identities.made == 1
    assert identities.stored.established


def test_an_empty_workstation_reads_the_identity_back_from_the_hosts(the_world, machines):
    passes(the_world, 4)
    again = world(cluster(**THREE), machines)

    result = reconcile(KEY, again)

    assert result.plan.converged
    assert again.identities.stored.fsid == next(iter(machines.fsids))
    assert again.identities.made == 0


def test_another_clusters_stored_identity_is_not_written_over(the_world, machines):
    passes(the_world, 4)
    again = world(cluster(**THREE), machines)
    again.identities.stored = StoredIdentity(fsid="ffffffff", established=False)

    result = reconcile(KEY, again)

    assert [one.code for one in result.plan.blocked] == ["FsidMismatch"]
    assert again.identities.stored == StoredIdentity(fsid="ffffffff", established=False)


def test_a_failed_run_is_told_and_looked_at_again(the_world, machines):
    machines.cut_after = 2

    (result,) = passes(the_world, 1)

    assert result.failed
    assert KEY not in the_world.facts
    last = the_world.statuses.status
    assert (last["phase"], last["state"]) == ("Progressing", "Error")
    assert last["message"] == 'store-1: task "cut": interrupted'
    assert len(result.plan.steps) == 1

    assert not passes(the_world, 1)[0].failed
    assert machines.runs == ["facts.yml", "site.yml", "facts.yml", "site.yml"]
    assert len(machines.fsids) == 1


def test_ready_survives_a_later_failure(the_world, machines):
    passes(the_world, 4)
    machines.machines["store-1"].units["mgr.a"].active = "failed"
    the_world.facts.clear()
    machines.cut_after = 0

    passes(the_world, 1)

    assert [(one["type"], one["status"]) for one in the_world.statuses.status["conditions"]] == [
        ("Healthy", "True"),
        ("Ready", "True"),
        ("UpToDate", "False"),
        ("Progressing", "False"),
    ]


def test_a_blocked_pass_runs_nothing(the_world, machines):
    machines.machines["store-2"].reachable = False

    (result,) = passes(the_world, 1)

    assert machines.runs == ["facts.yml"]
    assert [one.code for one in result.plan.blocked] == ["ClusterStateUnknown"]
    assert the_world.statuses.status["state"] == "Error"
    assert the_world.statuses.status["message"].startswith("store-2: cluster state unknown: ")


@pytest.mark.parametrize("canceled", [True, False])
def test_a_look_that_asked_nobody_plans_nothing(the_world, machines, monkeypatch, canceled):
    broken = Outcome(
        ok=False,
        run="1",
        playbook="facts.yml",
        canceled=canceled,
        failures=() if canceled else (Failure(host="localhost", task="", message="ERROR!"),),
    )
    monkeypatch.setattr(type(machines), "observe", lambda *_: broken)

    (result,) = passes(the_world, 1)

    assert result.failed
    assert result.outcome is broken
    assert result.step is None
    assert the_world.statuses.status["message"] == ("canceled" if canceled else "localhost: ERROR!")


def test_a_cluster_that_is_gone_needs_nothing(the_world, machines):
    assert reconcile(ClusterKey("a", "b"), the_world) is GONE
    assert machines.runs == []


def test_a_look_changes_nothing_but_facts_and_status(the_world, machines):
    seen = look(KEY, the_world)

    assert seen.ok
    assert machines.runs == ["facts.yml"]
    assert the_world.statuses.status["message"] == "Configuring the Ceph cluster"
    assert the_world.identities.made == 0


def test_a_look_that_was_cut_short_says_nothing_new(the_world, machines, monkeypatch):
    passes(the_world, 4)
    before = the_world.statuses.status
    the_world.facts.clear()
    seen = replace(machines.observe(), ok=False, canceled=True, reports={})
    monkeypatch.setattr(type(machines), "observe", lambda *_: seen)

    assert look(KEY, the_world) is seen
    assert the_world.statuses.status is before


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"ok": True}, False),
        ({"ok": False}, True),
        ({"ok": False, "reports": {"store-a": {}}}, False),
        (
            {
                "ok": False,
                "failures": (Failure(host="a", task="", message="x", unreachable=True),),
            },
            False,
        ),
    ],
)
def test_nobody_was_asked_when_nobody_answered_or_refused(values, expected):
    assert asked_nobody(Outcome(run="1", playbook="facts.yml", **values)) is expected


def test_c29_how_long_a_mon_is_out_is_kept_in_the_status_and_dropped_when_it_is_back(
    the_world, machines
):
    passes(the_world, 4)
    machines.machines["store-3"].reachable = False
    for minute in (0, 0.5, 1, 1.5):
        the_world.now = lambda minute=minute: NOW + timedelta(minutes=minute)
        the_world.facts.clear()
        result = reconcile(KEY, the_world)
    assert the_world.statuses.status["mon"]["outOfQuorum"] == [
        {"name": "c", "since": "2030-01-02T03:04:05Z"}
    ]
    assert result.facts.outages["c"].seconds == 90

    machines.machines["store-3"].reachable = True
    the_world.facts.clear()
    assert not reconcile(KEY, the_world).facts.outages
    assert "mon" not in the_world.statuses.status


def test_a_rehearsal_checks_each_step_and_remembers_nothing(with_dashboard, machines):
    rehearsed = [type(step) for _, step, _ in rehearse(KEY, with_dashboard)]

    assert rehearsed == [CreationStep, MgrStep]
    assert machines.runs == ["facts.yml", "site.yml --check", "mgr.yml --check"]
    assert with_dashboard.identities.stored is None
    assert with_dashboard.statuses.history == []
    assert machines.lock is None


@pytest.mark.parametrize(
    ("storage", "asked"),
    [({}, {}), ({"allowOsdCrushWeightUpdate": True}, {"facts_grown_osds": True})],
)
def test_sizes_of_osds_are_asked_for_only_where_the_manifest_needs_them(machines, storage, asked):
    given = cluster(**THREE, storage={"useAllNodes": True, "useAllDevices": True, **storage})
    look(KEY, world(given, machines))
    assert machines.asked == asked
