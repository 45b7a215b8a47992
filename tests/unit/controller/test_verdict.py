"""The one switch of requeueing."""

from dataclasses import replace

import pytest

from orchestrator.controller import verdict
from orchestrator.controller.verdict import Ending, Verdict
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import Plan, Reason
from orchestrator.reconcile import Result


def outcome(**more):
    return Outcome(run="1", playbook="osd.yml", **{"ok": True, **more})


def judged(result):
    found = verdict.of(result)
    assert found.result is result
    return replace(found, result=None)


def test_a_converged_cluster_is_looked_at_again_at_the_resync():
    found = judged(Result(plan=Plan(), outcome=outcome()))

    assert found == Verdict(ending=Ending.CONVERGED, again=600.0)


@pytest.mark.parametrize(("planned", "again"), [(0.1, 5.0), (60.0, 60.0), (3600.0, 600.0)])
def test_one_that_may_be_another_soon_is_looked_at_then(planned, again):
    found = judged(Result(plan=Plan(again=planned), outcome=outcome()))

    assert found == Verdict(ending=Ending.CONVERGED, again=again)


def test_a_failed_run_backs_off_and_says_why():
    failure = Failure(host="n1", task="prepare", message="broken")

    found = judged(Result(plan=Plan(), outcome=outcome(ok=False, failures=(failure,))))

    assert found == Verdict(ending=Ending.FAILED, backoff=True, text='n1: task "prepare": broken')


def test_a_cancelled_run_is_no_failure():
    found = judged(Result(plan=Plan(), outcome=outcome(ok=False, canceled=True)))

    assert found == Verdict(ending=Ending.CANCELED)


def test_what_passes_by_itself_is_looked_at_soon_and_told_to_nobody():
    reason = Reason(code="NoQuorum", message="electing", transient=True)

    found = judged(Result(plan=Plan(blocked=(reason,))))

    assert found == Verdict(ending=Ending.BLOCKED, again=5.0)


def test_what_somebody_must_mend_is_told_and_looked_at_less_often():
    passing = Reason(code="NoQuorum", message="electing", transient=True)
    lasting = Reason(code="NoDevices", message="no disk")

    found = judged(Result(plan=Plan(blocked=(passing, lasting))))

    assert found == Verdict(ending=Ending.BLOCKED, again=60.0, text="electing; no disk")
