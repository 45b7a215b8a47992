"""Plans and results as plain documents, for `-o json` and `-o yaml`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import yaml

from orchestrator.ansible import variables
from orchestrator.console import links
from orchestrator.model.plan import Change, Plan, Reason, Step
from orchestrator.reconcile import Result


def plan_document(plan: Plan) -> dict[str, Any]:
    """`{fsid, steps: [{playbook, changes}], blocked, notices}`, enumerations as their words."""
    return {
        "fsid": plan.fsid,
        "steps": [
            {"playbook": playbook(step), "changes": [_change(one) for one in step.changes]}
            for step in plan.steps
        ],
        "blocked": [_reason(one) for one in plan.blocked],
        "notices": [_reason(one) for one in plan.notices],
    }


def result_document(result: Result) -> dict[str, Any]:
    """How a run ended: what failed, and the plan of what is still to be done."""
    outcome = result.outcome
    return {
        "ok": not result.failed and result.plan.converged,
        "canceled": bool(outcome and outcome.canceled),
        "run": outcome.run if outcome else None,
        "failures": [asdict(failure) for failure in outcome.failures] if outcome else [],
        **plan_document(result.plan),
    }


def playbook(step: Step) -> str:
    """The name of the playbook that a step runs, without its ending."""
    return variables.playbook(step).removesuffix(".yml")


def _change(change: Change) -> dict[str, Any]:
    return {
        "action": str(change.action),
        "subject": change.subject,
        "host": change.host,
        "reason": change.reason,
    }


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "code": reason.code,
        "host": reason.host,
        "message": reason.message,
        "help": links.help_link(reason.code),
    }


def dumps(document: Mapping[str, Any] | Sequence[Any], form: str) -> str:
    """The document as `json` or `yaml` text."""
    if form == "json":
        return json.dumps(document, indent=2)
    return yaml.safe_dump(document, sort_keys=False).rstrip("\n")


def event_line(kind: str, event: Any) -> str:  # noqa: ANN401 - any of our frozen values
    """One event as one line of JSON, its kind first."""
    return json.dumps({"event": kind, **asdict(event)}, default=str)


def dumps_line(kind: str, document: Mapping[str, Any]) -> str:
    """A document as one line of JSON, its kind first."""
    return json.dumps({"event": kind, **document})
