"""`orchestrator plan`: shows all that would be done, and touches nothing."""

import json

import pytest
import yaml

from tests.fakes.commands import home


def test_a_plan_with_changes_is_10_and_changes_nothing(orchestrator, fake, tmp_path):
    result = orchestrator("plan", "-f", "F", "-i", "I")

    assert result.exit_code == 10
    assert not home(tmp_path).root.exists()
    assert fake.machines.runs == ["facts.yml"]
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "rook-ceph/test: 12 changes in 1 run"
    assert lines[2:5] == [
        "run 1: site",
        (
            "  create   mon.a                                                store-1  "
            "new cluster, 10.0.0.1"
        ),
        (
            "  create   mon.b                                                store-2  "
            "new cluster, 10.0.0.2"
        ),
    ]


def test_a_plan_of_a_converged_cluster_is_0(built):
    result = built("plan", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stdout) == (0, "rook-ceph/test: nothing to do\n")


def test_a_plan_that_is_blocked_is_3(orchestrator, fake):
    fake.machines.machines["store-2"].reachable = False

    result = orchestrator("plan", "-f", "F", "-i", "I")

    assert result.exit_code == 3
    assert result.stdout.startswith("rook-ceph/test: nothing can be done now\n\nblocked: ")


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_plan_is_a_document(orchestrator, form):
    result = orchestrator("plan", "-f", "F", "-i", "I", "-o", form)

    found = (json.loads if form == "json" else yaml.safe_load)(result.stdout)
    assert result.exit_code == 10
    assert [step["playbook"] for step in found["steps"]] == ["site"]
