"""Nodes of which a look told nothing: each says why, and its disks are not taken for blank."""

import pytest

from orchestrator.ansible.kubernetes import reports
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure, Outcome

ONE, TWO = HostName("node-1"), HostName("node-2")
TOLD = Failure(host=ONE, task="Look at the host", message="lvs failed")
WHOLE = Failure(host=HostName("localhost"), task="", message="no such playbook")


@pytest.mark.parametrize(
    ("failures", "seen", "wanted"),
    [
        ((TOLD,), {TWO: {}}, {ONE: "lvs failed"}),
        ((WHOLE,), {}, {ONE: "no such playbook", TWO: "no such playbook"}),
        ((), {ONE: {}}, {TWO: "no answer"}),
        ((), {ONE: {}, TWO: {}}, {}),
    ],
)
def test_whoever_gave_no_report_was_not_seen(failures, seen, wanted):
    outcome = Outcome(ok=False, run="", playbook="facts.yml", failures=failures, reports=seen)
    found = reports.unseen([ONE, TWO], outcome)
    assert {failure.host: failure.message for failure in found} == wanted


def test_a_node_whose_disks_were_not_seen_is_left_alone_and_not_taken_for_empty():
    seen = {ONE: {"host": {"daemons": ["mon.a"]}, "cluster": {"fsid": "x"}}, TWO: {"host": {}}}
    outcome = Outcome(ok=True, run="", playbook="facts.yml", reports=seen)

    found = reports.with_doubts(outcome, (TOLD,))

    assert (found.ok, found.failures) == (False, (TOLD,))
    assert found.reports == {
        ONE: {
            "host": {
                "daemons": ["mon.a"],
                "reachable": False,
                "error": "its disks are not known: lvs failed",
                "refusal": "HostFailed",
            },
            "cluster": {"fsid": "x"},
        },
        TWO: {"host": {}},
    }


def test_a_look_that_missed_nobody_is_as_it_was():
    outcome = Outcome(ok=True, run="", playbook="facts.yml", reports={ONE: {"host": {}}})

    assert reports.with_doubts(outcome, ()) == outcome
