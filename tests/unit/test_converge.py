"""Passes until nothing is left to do, with an end for everything that has none."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.converge import Patience, converge
from orchestrator.model.facts import Lock
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import CreationStep
from tests.fakes.clusters import cluster, room
from tests.fakes.machines import daemons
from tests.fakes.stores import world

KEY = ClusterKey("rook-ceph", "test")


class Naps:
    """Sleep that counts, and lets something happen meanwhile."""

    def __init__(self, seconds=10.0, after=None):
        self.taken = []
        self.after = after
        self.patience = Patience(seconds=seconds, sleep=self._sleep)

    def _sleep(self, seconds):
        self.taken.append(seconds)
        if self.after:
            self.after(len(self.taken))


@pytest.fixture
def machines():
    return room(3, 1)


@pytest.fixture
def the_world(machines):
    return world(cluster(mon={"count": 3}, mgr={"count": 2}), machines)


def test_a_new_cluster_takes_one_look_and_one_run(the_world, machines):
    naps = Naps()

    result = converge(KEY, the_world, naps.patience)

    assert result.plan.converged
    assert machines.runs == ["facts.yml", "site.yml"]
    assert naps.taken == []


def test_a_failure_that_no_host_is_named_for_ends_it(the_world, machines):
    failure = Failure(host="localhost", task="", message="ERROR! no such playbook")
    outcome = Outcome(ok=False, run="2", playbook="mon.yml", failures=(failure,))
    the_world.ansible = SimpleNamespace(
        members=machines.members,
        observe=machines.observe,
        apply=lambda _variables: outcome,
        release=machines.release,
    )

    assert converge(KEY, the_world, Naps().patience).failed
    assert machines.runs == ["facts.yml", "unlock.yml"]


def test_a_failed_host_does_not_stop_the_work_on_the_others(the_world, machines):
    machines.broken = {"store-3"}
    the_world.specs.cluster = cluster(mon={"count": 1}, mgr={"count": 1})

    result = converge(KEY, the_world, Naps().patience)

    assert machines.runs == ["facts.yml", "site.yml", "facts.yml", "unlock.yml"]
    assert machines.lock is None
    assert len(machines.osds) == 2
    assert [str(one) for one in result.outcome.failures] == [
        'store-3: task "Prepare": exit code 1: no space left'
    ]
    assert result.failed
    assert [(one.code, one.host) for one in result.plan.blocked] == [("HostFailed", "store-3")]


def test_what_comes_after_a_failed_host_is_done_without_it(the_world, machines):
    the_world.specs.cluster = cluster(mon={"count": 1}, mgr={"count": 2})
    machines.broken = {"store-2"}

    result = converge(KEY, the_world, Naps().patience)

    assert result.failed
    assert len(machines.osds) == 2
    machines.broken = set()
    assert converge(KEY, the_world, Naps().patience).plan.converged
    assert len(machines.osds) == 3


def test_a_mon_host_that_fails_first_begins_no_second_cluster(the_world, machines):
    machines.broken = {"store-1"}

    result = converge(KEY, the_world, Naps().patience)

    assert result.failed
    assert len(machines.fsids) == 1


def test_what_stands_in_the_way_for_good_is_not_waited_for(the_world, machines):
    machines.machines["store-1"].reachable = False
    naps = Naps()

    result = converge(KEY, the_world, naps.patience)

    assert [one.code for one in result.plan.blocked] == ["ClusterStateUnknown"]
    assert naps.taken == []


def silence(machines, monkeypatch):
    monkeypatch.setattr(type(machines), "speaker", lambda _self, _names: "")


def test_mons_that_are_electing_are_waited_for(the_world, machines, monkeypatch):
    converge(KEY, the_world, Naps().patience)
    the_world.facts.clear()
    silence(machines, monkeypatch)
    naps = Naps(after=lambda count: monkeypatch.undo() if count == 2 else None)

    result = converge(KEY, the_world, naps.patience)

    assert result.plan.converged
    assert naps.taken == [2.0, 2.0]


def test_patience_ends(the_world, machines, monkeypatch):
    converge(KEY, the_world, Naps().patience)
    the_world.facts.clear()
    silence(machines, monkeypatch)
    naps = Naps(seconds=5)

    result = converge(KEY, the_world, naps.patience)

    assert [one.code for one in result.plan.blocked] == ["NoQuorum"]
    assert naps.taken == [2.0, 2.0, 2.0]


def crashing(monkeypatch, states):
    """A mgr that a run starts and that is down again at once."""
    real = daemons.start

    def start(ceph, machine, kind, name, record):
        real(ceph, machine, kind, name, record)
        if (kind, name) == ("mgr", "b"):
            machine.units["mgr.b"].active = next(states)

    monkeypatch.setattr(daemons, "start", start)


def test_work_without_effect_ends_after_a_second_try(the_world, machines, monkeypatch):
    crashing(monkeypatch, iter(["failed", "activating", "failed", "activating"]))

    result = converge(KEY, the_world, Naps().patience)

    assert result.failed
    assert machines.runs == ["facts.yml", "site.yml", "mgr.yml", "facts.yml", "mgr.yml"]
    assert [str(failure) for failure in result.outcome.failures] == [
        "store-2: the run succeeded, yet start mgr.b is still needed: ceph-mgr@b is failed"
    ]


THEIRS = {"owner": "root@there", "id": "theirs", "seconds_left": 250.0}


def test_the_lock_of_another_is_waited_for(the_world, machines):
    machines.lock = dict(THEIRS)
    waited = []
    the_world.on_wait = lambda reason: waited.append(reason.code)

    def end(naps):
        machines.lock = None if naps == 2 else machines.lock

    result = converge(KEY, the_world, Naps(after=end).patience)

    assert result.plan.converged
    assert waited == ["Locked", "Locked"]
    assert machines.runs[:3] == ["facts.yml"] * 3
    assert machines.lock is None


def test_a_lock_that_does_not_end_is_a_refusal_with_its_owners_name(the_world, machines):
    machines.lock = dict(THEIRS)

    result = converge(KEY, the_world, Naps(seconds=2.0).patience)

    assert machines.runs == ["facts.yml", "facts.yml"]
    assert [one.code for one in result.plan.blocked] == ["Locked"]
    assert "root@there is working on this cluster" in result.plan.blocked[0].message
    assert not result.failed


def test_slow_looks_count_as_waiting(the_world, machines):
    machines.lock = dict(THEIRS)
    clock = iter(range(0, 1000, 30))
    naps = Naps(seconds=120.0)

    converge(KEY, the_world, replace(naps.patience, clock=lambda: next(clock)))

    assert len(naps.taken) == 4


def test_who_is_quicker_between_look_and_run_is_waited_for_too(the_world, machines):
    the_world.on_step = lambda _plan, _step: setattr(machines, "lock", dict(THEIRS))
    naps = Naps(seconds=2.0)

    result = converge(KEY, the_world, naps.patience)

    assert not machines.fsids
    assert [one.code for one in result.plan.blocked] == ["Locked"]
    assert the_world.identities.stored is None  # the other's cluster has another fsid
    the_world.on_step = lambda _plan, _step: None
    machines.lock = None
    assert converge(KEY, the_world, Naps().patience).plan.converged


def test_a_run_whose_lock_was_taken_over_waits_and_keeps_the_identity(
    the_world, machines, monkeypatch
):
    apply = type(machines).apply
    other = Lock(**THEIRS)

    def taken_over(self, found):
        self.cut_after = 2
        outcome = apply(self, found)
        self.lock = dict(THEIRS)
        return replace(outcome, ok=False, canceled=True, holder=other)

    monkeypatch.setattr(type(machines), "apply", taken_over)
    result = converge(KEY, the_world, Naps(seconds=2.0).patience)
    monkeypatch.undo()

    assert [one.code for one in result.plan.blocked] == ["Locked"]
    assert machines.lock == THEIRS
    assert the_world.identities.stored is not None  # hosts may have its fsid already
    machines.lock = None
    assert converge(KEY, the_world, Naps().patience).plan.converged
    assert len(machines.fsids) == 1


def test_a_cut_run_keeps_its_lock_and_goes_on_with_it_at_once(the_world, machines, monkeypatch):
    machines.cut_after = 2
    apply = type(machines).apply
    cut = lambda self, found: replace(apply(self, found), canceled=True)  # noqa: E731
    monkeypatch.setattr(type(machines), "apply", cut)

    assert converge(KEY, the_world, Naps().patience).failed
    assert machines.lock["id"] == "ours"
    monkeypatch.undo()
    assert converge(KEY, the_world, Naps().patience).plan.converged
    assert machines.lock is None


def test_a_failed_run_lets_others_work(the_world, machines):
    machines.cut_after = 2

    assert converge(KEY, the_world, Naps().patience).failed
    assert machines.runs == ["facts.yml", "site.yml", "facts.yml", "unlock.yml"]
    assert machines.lock is None


def test_a_run_that_ends_blocked_lets_others_work(the_world, machines, monkeypatch):
    the_world.specs.cluster = cluster(mon={"count": 3}, dashboard={"enabled": True})
    silent = lambda _plan, step: isinstance(step, CreationStep) and silence(machines, monkeypatch)  # noqa: E731
    the_world.on_step = silent

    result = converge(KEY, the_world, Naps(seconds=2).patience)

    assert [one.code for one in result.plan.blocked] == ["NoQuorum"]
    assert machines.runs == ["facts.yml", "site.yml", "facts.yml", "unlock.yml"]
    assert machines.lock is None


def test_a_run_that_was_cut_between_its_steps_lets_others_work(the_world, machines, monkeypatch):
    the_world.specs.cluster = cluster(mon={"count": 3}, dashboard={"enabled": True})
    silence(machines, monkeypatch)
    cut = Outcome(ok=False, run="3", playbook="facts.yml", canceled=True)
    end = lambda _count: monkeypatch.setattr(type(machines), "observe", lambda *_: cut)  # noqa: E731
    naps = Naps(after=end)

    result = converge(KEY, the_world, naps.patience)

    assert result.outcome == cut
    assert machines.runs == ["facts.yml", "site.yml", "unlock.yml"]
    assert machines.lock is None


def test_a_mon_that_leads_on_a_host_that_left_moves_as_any_other():
    machines = room(4, 1)
    the_world = world(cluster(mon={"count": 3}), machines)
    converge(KEY, the_world, Naps().patience)
    machines.machines[machines.leader()].listed = False
    the_world.facts.clear()

    assert converge(KEY, the_world, Naps().patience).plan.converged
    assert sorted(machines.members_in_map) == ["b", "c", "d"]
    assert len(machines.quorum()) == 3
