"""Processes of a run whose orchestrator is gone, found by what was noted and never by a name."""

import json
import os
import subprocess
import sys

import pytest

from orchestrator.ansible import processes
from orchestrator.ansible.processes import TOKEN, Processes, Run
from tests.waiting import eventually

SLEEP = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]


@pytest.fixture
def notes(tmp_path):
    return Processes(tmp_path / "processes")


def begun(run, *, session=False, note=True):
    """A process of the run, perhaps in a session of its own as Ansible's workers are."""
    command = run.command(SLEEP) if note else SLEEP
    environment = {**os.environ, TOKEN: run.token}
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, start_new_session=session
    )
    assert child.stdout.readline() == b"up\n"
    return child


def parent(run, **values):
    path = run.folder / "parent.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def orphaned(notes):
    """A run whose orchestrator was killed: its note names a process that is not there."""
    run = notes._begin("20300102T030405.000-osd")
    parent(run, parent={"pid": os.getpid(), "started": 1})
    return run


def ended(child):
    try:
        return child.wait(timeout=10) == -9
    finally:
        child.stdout.close()


def test_a_process_notes_itself_and_becomes_what_was_asked_for(notes):
    with notes.noted("one") as run:
        done = subprocess.run(run.command(["echo", "a b", "$c"]), capture_output=True, check=True)

        assert done.stdout == b"a b $c\n"
        assert run._main().started > 0
    assert not run.folder.exists()


def test_c51_all_that_a_killed_orchestrator_left_is_ended(notes):
    run = orphaned(notes)
    main, worker = begun(run), begun(run, session=True, note=False)

    assert notes.end_leftovers() == 2
    assert ended(main)
    assert ended(worker)
    assert not run.folder.exists()


@pytest.mark.parametrize(("name", "left"), [("ceph-orchestrator-x", False), ("home", True)])
def test_c55_the_private_directory_of_a_killed_run_is_removed_and_no_other(
    notes, tmp_path, name, left
):
    private = tmp_path / name
    private.mkdir()
    (private / "extravars").touch()
    run = notes._begin("20300102T030405.000-osd", private)
    parent(run, parent={"pid": os.getpid(), "started": 1})

    notes.end_leftovers()

    assert private.exists() is left
    assert not run.folder.exists()


def test_the_main_process_is_found_without_its_environment(notes, monkeypatch):
    run = orphaned(notes)
    main = begun(run)
    monkeypatch.setattr(processes, "TOKEN", "ANOTHER_NAME")

    assert notes.end_leftovers() == 1
    assert ended(main)


def test_c51_a_pid_that_is_another_process_by_now_is_left_alone(notes):
    run = orphaned(notes)
    other = subprocess.Popen(SLEEP, stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"up\n"
    found = processes.of(other.pid)
    text = f"{other.pid} (sh) S 1 " + " ".join(["0"] * 17) + f" {found.started - 1} 0"
    (run.folder / "main").write_text(text)

    assert notes.end_leftovers() == 0
    assert other.poll() is None
    other.kill()
    ended(other)


def test_a_run_whose_orchestrator_lives_is_left_alone(notes):
    with notes.noted("one") as run:
        child = begun(run)

        assert notes.end_leftovers() == 0
        assert child.poll() is None
        run.end()
    assert ended(child)


def test_a_pid_of_an_earlier_boot_is_another_process(notes):
    run = orphaned(notes)
    child = begun(run)
    parent(run, boot="another")

    assert run._main() is None
    assert run.abandoned()
    run.end()
    assert ended(child)  # by its token, which no other process can have


def failing(notes, children):
    with notes.noted("one") as run:
        children.append(begun(run))
        raise ValueError("bug")


def test_a_run_that_an_error_ends_leaves_no_process(notes):
    children = []
    with pytest.raises(ValueError, match="bug"):
        failing(notes, children)
    assert ended(children[0])
    assert list(notes._folder.iterdir()) == []


def test_a_process_that_ended_and_was_not_waited_for_is_gone():
    child = subprocess.Popen(["true"])

    eventually(lambda: processes.of(child.pid) is None, 10)
    child.wait()


@pytest.mark.parametrize("text", ["", "12", "12 (a b) c) S 1 2", "x"])
def test_half_a_note_is_no_process(text, notes):
    run = notes._begin("one")
    (run.folder / "main").write_text(text)

    assert run._main() is None
    run.forget()


def test_no_notes_are_no_leftovers(notes):
    assert notes.end_leftovers() == 0
    assert Run(notes._folder / "x").abandoned()
