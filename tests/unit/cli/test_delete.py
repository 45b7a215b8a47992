"""`orchestrator delete`: shows its plan, asks, and forgets the cluster only when it is gone."""

import json

import pytest

from orchestrator.cli import delete
from orchestrator.stores import files
from tests.fakes.commands import KEY, MANIFEST, home

WORDS = "  cleanupPolicy: {confirmation: yes-really-destroy-data}\n"


@pytest.fixture
def somebody(monkeypatch):
    """A person at a terminal, who answers what a test says."""
    answers = []
    monkeypatch.setattr(delete, "_asks_somebody", lambda: True)
    monkeypatch.setattr(delete.click, "prompt", lambda *_words, **_options: answers.pop())
    return answers


def daemons(fake):
    return [unit for one in fake.machines.machines.values() for unit in one.units.values()]


def test_without_a_terminal_and_without_yes_the_plan_is_shown_and_nothing_done(built, fake):
    before = len(fake.machines.runs)

    result = built("delete", "-f", "F", "-i", "I")

    assert result.exit_code == 2
    assert "run 3: cleanup" in result.stdout
    assert "stay; `orchestrator run` brings it back." in result.stdout
    assert "--yes goes on without asking" in result.stderr
    assert fake.machines.runs[before:] == ["facts.yml"]


@pytest.mark.parametrize("answer", ["", "y", "no", "Yes please"])
def test_any_other_answer_than_yes_changes_nothing(built, fake, somebody, answer):
    somebody.append(answer)

    result = built("delete", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stderr) == (1, "nothing was changed\n")
    assert all(unit.active == "active" for unit in daemons(fake))


def test_yes_takes_the_cluster_away_and_forgets_it(built, fake, somebody, tmp_path):
    somebody.append("yes")

    result = built("delete", "-f", "F", "-i", "I")

    assert result.exit_code == 0
    assert result.stderr == "rook-ceph/test: deleted\n"
    assert not any(unit.active == "active" for unit in daemons(fake))
    left = {path.name for path in home(tmp_path).of(KEY).iterdir()}
    assert not {"identity.json", "status.json", "generation.json"} & left


def test_a_deleted_cluster_comes_back_as_it_was(built, fake):
    assert built("delete", "-f", "F", "-i", "I", "--yes").exit_code == 0

    assert built("run", "-f", "F", "-i", "I").exit_code == 0
    assert len(fake.machines.fsids) == 1
    assert all(unit.active == "active" for unit in daemons(fake))


def test_with_the_words_it_says_that_there_is_no_way_back(built, fake, tmp_path):
    (tmp_path / "cluster.yaml").write_text(MANIFEST + WORDS)

    result = built("delete", "-f", "F", "-i", "I", "-y")

    assert result.exit_code == 0
    assert "are destroyed. There is no way back." in result.stdout
    assert daemons(fake) == []


def test_nothing_to_delete_is_done_at_once(orchestrator, fake):
    result = orchestrator("delete", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stderr) == (0, "rook-ceph/test: deleted\n")


def test_a_silent_host_is_named_and_the_identity_stays(built, fake, tmp_path):
    fake.machines.machines["store-3"].reachable = False

    result = built("delete", "-f", "F", "-i", "I", "--yes")

    assert result.exit_code == 3
    assert "blocked: HostUnreachable: store-3: " in result.stderr
    assert (home(tmp_path).of(KEY) / "identity.json").exists()
    fake.machines.machines["store-3"].reachable = True
    assert built("delete", "-f", "F", "-i", "I", "--yes").exit_code == 0
    assert not (home(tmp_path).of(KEY) / "identity.json").exists()


def test_what_stands_in_the_way_of_all_is_told_once(orchestrator, fake):
    for one in fake.machines.machines.values():
        one.reachable = False

    result = orchestrator("delete", "-f", "F", "-i", "I", "--yes")

    assert result.exit_code == 3
    assert result.output.count("blocked: HostUnreachable: store-3: ") == 1


def test_a_deletion_that_was_cut_off_is_taken_back_by_a_run(built, fake, tmp_path):
    fake.machines.cut_after = 3
    assert built("delete", "-f", "F", "-i", "I", "--yes").exit_code == 1
    shown = built("status", "-f", "F", "-o", "yaml").stdout
    assert "phase: Deleting" in shown

    assert built("run", "-f", "F", "-i", "I").exit_code == 0
    assert "phase: Ready" in built("status", "-f", "F", "-o", "yaml").stdout


def test_who_takes_a_deletion_back_goes_on_with_its_generation(built, fake, tmp_path):
    path = home(tmp_path).of(KEY) / "generation.json"
    known = {**json.loads(path.read_text()), "generation": 4}
    path.write_text(json.dumps(known))
    fake.machines.cut_after = 3
    assert built("delete", "-f", "F", "-i", "I", "--yes").exit_code == 1

    assert built("run", "-f", "F", "-i", "I").exit_code == 0
    assert json.loads(path.read_text()) == known
    assert files.StatusFile(home(tmp_path)).get(KEY)["observedGeneration"] == 4


def test_a_run_that_must_wait_its_turn_takes_no_deletion_back(built, fake, tmp_path):
    fake.machines.cut_after = 3
    assert built("delete", "-f", "F", "-i", "I", "--yes").exit_code == 1
    with files.FileLock(home(tmp_path)).hold(KEY):
        before = files.StatusFile(home(tmp_path)).get(KEY)

        assert built("run", "-f", "F", "-i", "I").exit_code != 0
        assert before["phase"] == "Deleting"
        assert files.StatusFile(home(tmp_path)).get(KEY) == before


def test_a_manifest_that_is_being_deleted_is_planned_as_such_and_not_run(built, fake, tmp_path):
    stamp = 'deletionTimestamp: "2030-01-02T03:04:05Z"'
    text = MANIFEST.replace("namespace: rook-ceph}", f"namespace: rook-ceph, {stamp}}}")
    (tmp_path / "cluster.yaml").write_text(text)

    planned, ran = built("plan", "-f", "F", "-i", "I"), built("run", "-f", "F", "-i", "I")

    assert (planned.exit_code, "run 3: cleanup" in planned.stdout) == (10, True)
    assert ran.exit_code == 2
    assert "`orchestrator delete` takes the cluster away" in ran.stderr
    assert all(unit.active == "active" for unit in daemons(fake))


def test_json_is_one_object_a_line_and_the_plan_goes_beside_it(built):
    result = built("delete", "-f", "F", "-i", "I", "--yes", "-o", "json")

    assert result.exit_code == 0
    assert all(line.startswith("{") for line in result.stdout.splitlines())
    assert "run 1: absent" in result.stderr
