"""What is read of an operator's process and its artifacts."""

import json
import os

import pytest

from bench import operators


def test_memory_and_time_are_those_of_the_process():
    before = operators._cpu_seconds(os.getpid())
    while operators._cpu_seconds(os.getpid()) == before:
        sum(range(10_000))

    assert 5 < operators._resident_megabytes(os.getpid()) < 5000


@pytest.mark.parametrize(("jobs", "expected"), [([], False), ([{"kind": "Job"}], True)])
def test_the_first_task_is_the_first_job_of_the_last_cluster(monkeypatch, tmp_path, jobs, expected):
    asked = []
    monkeypatch.setattr(
        operators.kubectl, "get", lambda _config, *words: asked.append(words) or {"items": jobs}
    )

    assert operators._has_first_task(tmp_path) is expected
    assert asked == [("jobs", "--namespace", "bench-10")]


def test_passes_are_counted_in_the_log(tmp_path):
    lines = [{"event": "pass ended"}, {"event": "step begins"}, {"event": "pass ended"}]
    (tmp_path / "log").write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert operators._logged(tmp_path, "pass ended") == 2


@pytest.mark.parametrize(("labels", "expected"), [({}, {}), (operators.HANDS_OFF,) * 2])
def test_a_cluster_is_left_alone_or_worked_on(labels, expected):
    assert operators._cluster(3, labels)["metadata"]["labels"] == expected
