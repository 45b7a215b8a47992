"""Plans, results and events for programs."""

import json

import yaml

from orchestrator.ansible.events import Progress
from orchestrator.console import documents
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import Action, Change, ConfigSetting, ConfigStep, Plan, Reason
from orchestrator.reconcile import Result
from tests.fakes.facts import MONS, OURS

STEP = ConfigStep(
    changes=(Change(action=Action.SET, subject="config mon/x", reason="1 instead of 2"),),
    settings=(ConfigSetting(section="mon", name="x", value="1"),),
    fsid=OURS,
    mons=MONS,
    admin_host="store-a",
)
PLAN = Plan(
    steps=(STEP,),
    blocked=(Reason(code="HostUnreachable", host="store-c", message="timed out"),),
    fsid=OURS,
)
HELP = "docs/troubleshooting.md#hostunreachable"
DOCUMENT = {
    "fsid": OURS,
    "steps": [
        {
            "playbook": "config",
            "changes": [
                {
                    "action": "set",
                    "subject": "config mon/x",
                    "host": None,
                    "reason": "1 instead of 2",
                }
            ],
        }
    ],
    "blocked": [
        {"code": "HostUnreachable", "host": "store-c", "message": "timed out", "help": HELP}
    ],
    "notices": [],
}


def test_a_plan_is_a_document():
    assert documents.plan_document(PLAN) == DOCUMENT


def test_a_document_is_json_or_yaml():
    assert json.loads(documents.dumps(DOCUMENT, "json")) == DOCUMENT
    assert yaml.safe_load(documents.dumps(DOCUMENT, "yaml")) == DOCUMENT
    assert documents.dumps({"b": 1, "a": 2}, "yaml") == "b: 1\na: 2"


def test_a_result_tells_what_failed():
    failure = Failure(host="store-a", task="Make the mon", message="no quorum")
    outcome = Outcome(ok=False, run="7", playbook="mon.yml", failures=(failure,))

    assert documents.result_document(Result(plan=PLAN, outcome=outcome)) == {
        "ok": False,
        "canceled": False,
        "run": "7",
        "failures": [
            {
                "host": "store-a",
                "task": "Make the mon",
                "message": "no quorum",
                "unreachable": False,
            }
        ],
        **DOCUMENT,
    }


def test_a_result_without_a_run_is_fine_when_the_plan_is_empty():
    found = documents.result_document(Result(plan=Plan()))

    assert (found["ok"], found["run"], found["failures"]) == (True, None, [])


def test_an_event_is_one_line_with_its_kind_first():
    line = documents.event_line(
        "progress", Progress(run="1", playbook="mon.yml", kind="ok", message="a\nb")
    )

    assert "\n" not in line
    assert line.startswith('{"event": "progress", ')
    assert json.loads(line)["message"] == "a\nb"


def test_a_document_on_one_line():
    assert documents.dumps_line("result", {"ok": True}) == '{"event": "result", "ok": true}'
