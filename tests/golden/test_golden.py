"""Whole plans as text: from a manifest and what the hosts said to plan, variables and status.

Each folder is a case. `UPDATE_GOLDEN=1 pytest tests/golden` writes what comes out; read the
difference as an admin would before committing it.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from orchestrator import planning, status
from orchestrator.ansible import facts as answers
from orchestrator.ansible import inventory, variables
from orchestrator.ansible.facts import Member
from orchestrator.ansible.host_labels import taints
from orchestrator.console.documents import dumps
from orchestrator.console.placements import placements_text
from orchestrator.console.plans import plan_text
from orchestrator.model.facts import StoredIdentity
from orchestrator.model.manifest import parse_manifest
from orchestrator.model.names import Fsid
from orchestrator.model.outcome import Failure, Outcome
from tests.fakes.stores import NOW

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/cluster.yaml"))
NEW_FSID = Fsid("77777777-0000-4000-8000-000000000000")
"""What the store would choose for a new cluster."""


def observed(raw):
    """What a look at these hosts would have ended in."""
    failures = tuple(
        Failure(host=name, task="", message=text, unreachable=True)
        for name, text in raw.get("unreachable", {}).items()
    )
    reports = {name: {"host": host, "cluster": None} for name, host in raw["hosts"].items()}
    if raw.get("cluster"):
        next(iter(reports.values()))["cluster"] = raw["cluster"]
    return Outcome(
        ok=not failures, run="1", playbook="facts.yml", failures=failures, reports=reports
    )


def known(raw):
    members = [_member(member) for member in raw["members"]]
    stored = raw.get("identity")
    identity = StoredIdentity(**stored) if stored else None
    return replace(answers.gathered(members, observed(raw)), identity=identity)


def _member(raw):
    return Member(**{**raw, "taints": taints({"ceph_taints": raw.get("taints")})})


def runs(plan, facts):
    """Every step as Ansible gets it; later ones as if nothing changed until then."""
    found = [variables.for_step(step, facts, step.fsid or NEW_FSID) for step in plan.steps]
    return [
        {
            "playbook": one.playbook,
            "extra": dict(one.extra),
            "inventory": inventory.overlay(one),
        }
        for one in found
    ]


def _plan_text(cluster, plan, facts):
    """Where the manifest places daemons, the reason for each host belongs to the plan."""
    text = plan_text(cluster.key, plan)
    if not cluster.spec.placement:
        return text
    return f"{text}\n{placements_text(planning.explain(cluster.spec, facts, plan))}"


def outputs(folder):
    cluster = parse_manifest((folder / "cluster.yaml").read_text(), source="cluster.yaml").cluster
    raw = yaml.safe_load((folder / "facts.yaml").read_text())
    facts = known(raw)
    plan = planning.plan(cluster.spec, facts, deleting=cluster.deleting)
    condition = status.ended(plan, None, deleting=cluster.deleting)
    found = status.summarise(cluster, facts, condition, raw.get("previous") or {}, NOW)
    found = status.with_devices(found, plan.devices)
    return {
        "plan.txt": _plan_text(cluster, plan, facts) + "\n",
        "variables.yaml": dumps(runs(plan, facts), "yaml") + "\n",
        "status.yaml": dumps(found, "yaml") + "\n",
    }


@pytest.mark.parametrize("case", CASES)
def test_the_outcome_is_as_reviewed(case):
    folder = HERE / case
    found = outputs(folder)

    if os.environ.get("UPDATE_GOLDEN"):
        for name, text in found.items():
            (folder / name).write_text(text)
    assert {name: (folder / name).read_text() for name in found} == found


def test_every_case_is_here():
    assert len(CASES) >= 13
