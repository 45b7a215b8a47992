"""Disks are looked into while mons are made: neither waits for the other, nor fails with it."""

import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from orchestrator.ansible.kubernetes import runner
from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome
from tests.fakes.runners import cluster_runner

NODE = HostName("node-1")
MONS = Variables(playbook=runner.FORM, targets=(), hosts={}, extra={})
PATIENCE_SECONDS = 60.0


class Machine:
    """A step and a look; each of the two begins only when the other one has."""

    def __init__(self, tmp_path, monkeypatch):
        self.began = {runner.FORM: threading.Event(), runner.LOOK: threading.Event()}
        self.heard = []
        self.refused = ""
        self.runner = cluster_runner(tmp_path)
        self.runner._soon = [NODE]
        self.runner._disks = SimpleNamespace(reached=self.reached, looked_into=self.looked_into)
        for name, value in {
            "_ran": self.ran,
            "_grounds": lambda _found: {},
            "_nodes": tuple,
            "_note": lambda outcome, _grounds: self.heard.append(outcome.playbook),
            "_reported": lambda outcome, _variables, _grounds: outcome,
        }.items():
            monkeypatch.setattr(self.runner, name, value)

    @contextmanager
    def reached(self, _names, _purpose):
        yield {}

    @contextmanager
    def looked_into(self, names):
        if self.refused:
            self.began[runner.LOOK].set()
            raise OSError(self.refused)
        yield {name: f"pod-of-{name}" for name in names}

    def ran(self, variables, _pods, watch=None, *, check=False):
        self.began[variables.playbook].set()
        assert (watch is None) is (variables.playbook != runner.LOOK)
        if not check:
            assert all(one.wait(PATIENCE_SECONDS) for one in self.began.values())
        return Outcome(ok=True, run="", playbook=variables.playbook)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    return Machine(tmp_path, monkeypatch)


def test_the_look_is_noted_before_the_step_ends_and_the_step_alone_is_told(machine):
    assert machine.runner.apply(MONS).ok
    assert machine.heard == [runner.LOOK]


def test_a_look_that_fails_is_no_failure_of_the_mons(machine):
    machine.refused = "no Job may be made"
    assert machine.runner.apply(MONS).ok
    assert machine.heard == []


@pytest.mark.parametrize("playbook", ["mgr.yml", "config.yml"])
def test_it_is_with_the_mons_alone(machine, playbook):
    machine.began = {playbook: threading.Event()}
    other = Variables(playbook=playbook, targets=(), hosts={}, extra={})
    assert machine.runner.apply(other).ok
    assert machine.heard == []


def test_a_rehearsal_makes_no_pod(machine):
    assert machine.runner.apply(MONS, check=True).ok
    assert not machine.began[runner.LOOK].is_set()
