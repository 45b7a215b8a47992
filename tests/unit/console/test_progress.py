"""What is going on, on a terminal, in a log and for programs."""

import io
import json

import pytest
from rich.console import Console

from orchestrator.ansible.events import Progress
from orchestrator.console import progress
from orchestrator.model.plan import Action, Change, OsdStep, Plan
from tests.fakes.facts import MONS, OURS

FOUR = [f"prepare osd {n} on store-{n}" for n in range(4)]


def step(count):
    changes = tuple(
        Change(action=Action.PREPARE, subject=f"osd {n}", host=f"store-{n}", reason="r")
        for n in range(count)
    )
    return OsdStep(changes=changes, hosts=(), fsid=OURS, mons=MONS, admin_host="store-a")


def event(kind, **values):
    return Progress(run="1", playbook="osd.yml", kind=kind, **{"task": "Make OSDs", **values})


@pytest.mark.parametrize(
    ("changes", "steps", "expected"),
    [
        (1, 1, "run osd: prepare osd 0 on store-0"),
        (2, 2, "run osd: prepare osd 0 on store-0, prepare osd 1 on store-1; 1 more run planned"),
        (
            6,
            3,
            f"run osd: {', '.join(FOUR)} and 2 more; 2 more runs planned",
        ),
    ],
)
def test_a_step_is_one_line(changes, steps, expected):
    one = step(changes)

    assert progress.step_line(Plan(steps=(one,) * steps), one) == expected


@pytest.mark.parametrize(
    ("one", "lines"),
    [
        (event("task"), ["osd: Make OSDs"]),
        (event("ok", host="store-1"), []),
        (
            event("ok", host="store-1", changed=True, seconds=1.25),
            ["osd: store-1: changed (1.2 s)"],
        ),
        (event("failed", host="store-1", message="busy"), ["osd: store-1: failed: busy"]),
        (
            event("unreachable", host="store-1", message="timed out"),
            ["osd: store-1: unreachable: timed out"],
        ),
    ],
)
def test_a_log_gets_plain_lines(one, lines):
    said = []
    watcher = progress.Plain(said.append)

    with watcher.watching():
        watcher.on_progress(one)

    assert said == lines


def test_programs_get_one_json_object_a_line():
    said = []
    watcher = progress.Json(said.append)

    with watcher.watching():
        watcher.on_step(Plan(), step(1))
        watcher.on_progress(event("ok", host="store-1"))

    assert [json.loads(line)["event"] for line in said] == ["change", "progress"]
    assert json.loads(said[0])["subject"] == "osd 0"
    assert json.loads(said[1])["host"] == "store-1"


def terminal():
    out = io.StringIO()
    return progress.Terminal(Console(file=out, force_terminal=True, width=100)), out


def test_a_terminal_shows_the_step_and_what_changed_or_failed():
    watcher, out = terminal()

    with watcher.watching():
        watcher.on_step(Plan(), step(1))
        watcher.on_progress(event("task"))
        watcher.on_progress(event("ok", host="store-1", changed=True, seconds=2.0))
        watcher.on_progress(event("failed", host="store-2", message="[red]busy[/red]"))

    text = out.getvalue()
    assert "run osd: prepare osd 0 on store-0" in text
    assert "store-1: Make OSDs (2.0 s)" in text
    assert "store-2: failed: [red]busy[/red]" in text


def test_a_terminal_says_what_is_waited_for():
    watcher, _ = terminal()

    assert "starting Ansible" in str(watcher._line().text)
    watcher.on_progress(event("task"))
    for number in (1, 2):
        watcher.on_progress(event("start", host=f"store-{number}"))
    watcher.on_progress(event("ok", host="store-1"))

    line = str(watcher._line().text)
    assert line.startswith("osd: Make OSDs  0 s")
    assert line.endswith("waiting for store-2")
