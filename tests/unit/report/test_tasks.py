"""Names, times and states from ansible-runner's files, and nothing else."""

from dataclasses import fields
from pathlib import Path

import pytest

from orchestrator.report.tasks import TaskResult, TaskState, read
from tests.fakes import reports
from tests.fakes.reports import BEGIN, result


def states(found: tuple[TaskResult, ...]) -> list[tuple[str, str]]:
    return [(one.host, str(one.state)) for one in found]


def test_results_are_read_in_their_order(tmp_path: Path) -> None:
    events = [result(f"store-{number}", changed=number == 11) for number in range(12)]
    reports.write_events(tmp_path, "1-mon", events)
    found = read(tmp_path, "1-mon", "mon.yml")
    assert [one.host for one in found] == [f"store-{number}" for number in range(12)]
    assert (found[0].state, found[11].state) == (TaskState.OK, TaskState.CHANGED)
    assert (found[0].role, found[0].task) == ("mon", "Make the mon")
    assert (found[0].start - BEGIN.timestamp(), found[0].seconds) == (1.0, 0.5)


def test_states_are_those_that_a_watcher_of_the_run_saw(tmp_path: Path) -> None:
    events = [
        result("a", kind="runner_on_failed", changed=True),
        result("b", kind="runner_on_unreachable"),
        result("c", kind="runner_on_skipped"),
        result("d", "Validating arguments against arg spec main"),
        {"event": "playbook_on_stats", "event_data": {}},
        {"event": "verbose"},
    ]
    events.append(result("e", kind="runner_on_failed"))
    events[-1]["event_data"]["ignore_errors"] = True
    reports.write_events(tmp_path, "1-mon", events)
    found = read(tmp_path, "1-mon", "mon.yml")
    assert states(found) == [("a", "failed"), ("b", "unreachable")]


def test_what_a_task_returned_is_not_even_read(tmp_path: Path) -> None:
    secret = f"key = {reports.KEY}"
    events = [
        result("a", stdout=secret, msg=secret),
        result("a", kind="runner_on_failed", msg=secret),
    ]
    reports.write_events(tmp_path, "1-mon", events)
    found = read(tmp_path, "1-mon", "mon.yml")
    assert len(found) == 2
    assert reports.KEY not in repr(found)
    names = {field.name for field in fields(TaskResult)}
    assert names == {"run", "role", "task", "host", "start", "seconds", "state"}


def test_files_that_a_kill_cut_off_are_passed_over(tmp_path: Path) -> None:
    reports.write_events(tmp_path, "1-mon", [result("a")])
    directory = tmp_path / "1-mon" / "job_events"
    (directory / "2-0000-aa.json").write_text('{"event": "runner_on_ok", "event_data": {"ho')
    (directory / "3-0000-aa.json").write_bytes(b"\xff\xfe")
    (directory / "4-0000-aa.json").write_text("[]")
    (directory / "5-0000-aa-partial.json").write_text("{}")
    (directory / "6-0000-aa.json").write_text('{"event": "runner_on_ok", "event_data": null}')
    assert states(read(tmp_path, "1-mon", "mon.yml")) == [("a", "ok")]


@pytest.mark.parametrize("start", [None, "", "soon"])
def test_a_result_without_a_time_is_none(tmp_path: Path, start: str | None) -> None:
    event = result("a")
    event["event_data"]["start"] = start
    reports.write_events(tmp_path, "1-mon", [event])
    assert read(tmp_path, "1-mon", "mon.yml") == ()


def test_a_time_without_a_zone_is_utc(tmp_path: Path) -> None:
    event = result("a", after=0)
    event["event_data"]["start"] = BEGIN.replace(tzinfo=None).isoformat()
    reports.write_events(tmp_path, "1-mon", [event])
    (found,) = read(tmp_path, "1-mon", "mon.yml")
    assert found.start == BEGIN.timestamp()


def test_a_run_that_was_rotated_away_has_no_results(tmp_path: Path) -> None:
    assert read(tmp_path, "1-mon", "mon.yml") == ()
