"""`orchestrator run`: exit codes, and what is said where."""

import json
import os

import pytest

from orchestrator.stores import files
from tests.fakes.commands import KEY, MANIFEST, home


@pytest.fixture
def two_runs(orchestrator, tmp_path):
    """The command with a manifest whose dashboard is set up after the cluster was made."""
    (tmp_path / "cluster.yaml").write_text(f"{MANIFEST}  dashboard: {{enabled: true}}\n")
    return orchestrator


def test_a_run_that_converges_is_0_and_told_in_plain_lines(two_runs, fake):
    result = two_runs("run", "-f", "F", "-i", "I")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        "facts: Do it",
        (
            "run site: create mon.a on store-1, create mon.b on store-2, create mon.c on store-3, "
            "set config global/auth_allow_insecure_global_id_reclaim and 11 more; "
            "1 more run planned"
        ),
        "site: Do it",
    ]
    assert "mgr: store-3: changed (1.0 s)" in lines
    assert result.stderr == "rook-ceph/test: converged, HEALTH_OK\n"


def test_a_second_run_looks_once_and_changes_nothing(built, fake):
    fake.machines.runs.clear()

    result = built("run", "-f", "F", "-i", "I")

    assert (result.exit_code, fake.machines.runs) == (0, ["facts.yml"])


def test_a_run_as_json_is_one_object_a_line(orchestrator):
    result = orchestrator("run", "-f", "F", "-i", "I", "-o", "json")

    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert {event["event"] for event in events} == {"change", "progress", "result"}
    assert events[-1]["event"] == "result"
    assert (events[-1]["ok"], events[-1]["steps"], events[-1]["failures"]) == (True, [], [])


def test_a_run_that_fails_is_1_and_says_where_to_read_on(orchestrator, fake, tmp_path):
    fake.machines.cut_after = 1

    result = orchestrator("run", "-f", "F", "-i", "I")

    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        'failed: store-1: task "cut": interrupted',
        (f"Ansible's own output: {tmp_path}/state/orchestrator/rook-ceph/test/runs/2/stdout"),
    ]


def test_a_failure_is_in_the_json_as_well(orchestrator, fake):
    fake.machines.cut_after = 1

    result = orchestrator("run", "-f", "F", "-i", "I", "-o", "json")

    last = json.loads(result.stdout.splitlines()[-1])
    assert (result.exit_code, last["ok"]) == (1, False)
    assert last["failures"] == [
        {"host": "store-1", "task": "cut", "message": "interrupted", "unreachable": False}
    ]


def test_a_blocked_run_is_3_with_its_reasons(orchestrator, fake):
    fake.machines.machines["store-2"].reachable = False

    result = orchestrator("run", "-f", "F", "-i", "I")

    assert result.exit_code == 3
    assert result.stderr.startswith(
        "blocked: ClusterStateUnknown: store-2: cluster state unknown: this host may hold a mon"
    )


def test_a_run_that_meets_another_is_3(built, tmp_path):
    with files.FileLock(home(tmp_path)).hold(KEY):
        result = built("run", "-f", "F", "-i", "I")

    assert result.exit_code == 3
    assert result.stderr == (
        f"Error: rook-ceph/test: the orchestrator with pid {os.getpid()} is working on this "
        "cluster\n"
    )


@pytest.mark.parametrize("words", [("plan", "--diff"), ("run", "--check")])
def test_a_rehearsal_is_10_and_changes_nothing(two_runs, fake, tmp_path, words):
    result = two_runs(*words, "-f", "F", "-i", "I")

    assert result.exit_code == 10
    assert fake.machines.runs == ["facts.yml", "site.yml --check", "mgr.yml --check"]
    assert "rook-ceph/test: 16 changes in 2 runs" in result.stdout
    assert "run 2: mgr\nno file and no option differs" in result.stdout
    assert not home(tmp_path).root.exists()


def test_a_rehearsal_of_a_converged_cluster_is_0(built, fake):
    fake.machines.runs.clear()

    assert built("run", "--check", "-f", "F", "-i", "I", "-o", "json").exit_code == 0
    assert fake.machines.runs == ["facts.yml"]


def test_ctrl_c_between_two_runs_stops_before_the_next(two_runs, fake):
    fake.interrupt = "mgr.yml"

    result = two_runs("run", "-f", "F", "-i", "I")

    assert result.exit_code == 130
    assert fake.machines.runs == ["facts.yml", "site.yml"]


def test_a_watch_runs_until_it_is_ended(two_runs, fake):
    fake.interrupt = "mgr.yml"

    result = two_runs("run", "--watch", "-f", "F", "-i", "I")

    assert result.exit_code == 130
    assert fake.machines.runs == ["facts.yml", "site.yml"]
    assert "rook-ceph/test: interrupted; what is there stays" in result.stderr


@pytest.mark.parametrize("more", [("--check",), ("--interval", "0")])
def test_a_watch_refuses_what_makes_no_sense_with_it(orchestrator, fake, more):
    result = orchestrator("run", "--watch", "-f", "F", "-i", "I", *more)

    assert (result.exit_code, fake.machines.runs) == (2, [])


def test_a_watch_of_a_bad_manifest_is_refused_as_a_run_is(orchestrator, tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(path.read_text().replace("count: 3", "count: many"))

    watched = orchestrator("run", "--watch", "-f", "F", "-i", "I")

    assert watched.exit_code == 2
    assert watched.stderr == orchestrator("run", "-f", "F", "-i", "I").stderr
