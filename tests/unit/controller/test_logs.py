"""Logs: one JSON object a line, with what was bound, and without anybody's variables."""

import json
import logging

import pytest
import structlog

from orchestrator.controller import logs


@pytest.fixture(autouse=True)
def _put_back():
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_has_what_was_bound(capsys):
    logs.set_up("INFO")
    with structlog.contextvars.bound_contextvars(cluster="ns/c", generation=3):
        structlog.get_logger().info("step begins", step="osd")

    (line,) = lines(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "step begins",
        "level": "info",
        "cluster": "ns/c",
        "generation": 3,
        "step": "osd",
    }


def test_what_libraries_log_is_json_too(capsys):
    logs.set_up("INFO")
    logging.getLogger("some.library").warning("careful: %s", "x")

    assert [one["event"] for one in lines(capsys)] == ["careful: x"]


def test_a_traceback_shows_no_variables(capsys):
    logs.set_up("INFO")
    secret = "marker" * 4
    try:
        {}[len(secret)]
    except KeyError:
        structlog.get_logger().exception("the pass broke")

    (line,) = lines(capsys)
    assert line["exception"].endswith("KeyError: 24")
    assert secret not in json.dumps(line)


@pytest.mark.parametrize(("level", "events"), [("debug", 2), ("INFO", 1), ("odd", 1), ("ERROR", 0)])
def test_the_level_counts(capsys, level, events):
    logs.set_up(level)
    structlog.get_logger().debug("small")
    structlog.get_logger().info("large")

    assert len(lines(capsys)) == events
