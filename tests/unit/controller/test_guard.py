"""Before each phase is asked whether the pass may go on."""

from dataclasses import dataclass, field

import pytest

from orchestrator.ansible.variables import Variables
from orchestrator.controller.guard import Guarded, UntilCanceled
from orchestrator.controller.tokens import CanceledError, Rights
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from tests.fakes.stores import Statuses

KEY = ClusterKey("ns", "c")
VARIABLES = Variables(playbook="osd.yml", targets=(), hosts={}, extra={})


@dataclass
class Inner:
    asked: list[str] = field(default_factory=list)

    def members(self):
        return ()

    def observe(self, restarts=None):
        self.asked.append("observe")
        return Outcome(ok=True, run="1", playbook="facts.yml")

    def apply(self, variables, *, check=False):
        self.asked.append("apply")
        return Outcome(ok=True, run="2", playbook=variables.playbook)

    def release(self, variables):
        self.asked.append("release")
        return Outcome(ok=True, run="3", playbook="lock.yml")

    def health(self):
        return None


def no_lease():
    raise CanceledError("the Lease is not held")


@pytest.fixture
def inner():
    return Inner()


@pytest.fixture
def rights():
    return Rights()


def guarded(inner, rights, *, sure=lambda: None, told=lambda _outcome: None):
    return Guarded(inner=inner, may=rights.check, sure=sure, told=told)


def test_runs_pass_through_and_are_told(inner, rights):
    seen = []
    ansible = guarded(inner, rights, told=seen.append)

    assert ansible.observe().run == "1"
    assert ansible.apply(VARIABLES).run == "2"

    assert [one.playbook for one in seen] == ["facts.yml", "osd.yml"]


def test_a_cancelled_pass_starts_no_playbook(inner, rights):
    rights.token.cancel("edited")
    ansible = guarded(inner, rights)

    for run in (ansible.observe, lambda: ansible.apply(VARIABLES)):
        with pytest.raises(CanceledError, match="edited"):
            run()
    assert inner.asked == []


def test_without_the_lease_nothing_is_changed_but_looking_is_free(inner, rights):
    ansible = guarded(inner, rights, sure=no_lease)

    ansible.observe()
    with pytest.raises(CanceledError, match="Lease"):
        ansible.apply(VARIABLES)
    assert inner.asked == ["observe"]


def test_a_lock_can_always_be_let_go(inner, rights):
    rights.token.cancel("edited")

    guarded(inner, rights, sure=no_lease).release(VARIABLES)

    assert inner.asked == ["release"]


def test_a_cancelled_pass_writes_no_status(rights):
    inner = Statuses(status={"phase": "Ready"})
    statuses = UntilCanceled(inner=inner, canceled=rights.canceled)
    statuses.put(KEY, {"phase": "Progressing"})
    rights.token.cancel("edited")
    statuses.put(KEY, {"phase": "Progressing", "state": "Error", "message": "canceled"})

    assert statuses.get(KEY) == {"phase": "Progressing"}
