"""How long mons have been out of quorum, with and without an earlier look."""

from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.model import outages
from tests.fakes import facts

NOW = datetime(2030, 1, 2, 12, 0, 0, tzinfo=UTC)


def ago(seconds):
    return NOW - timedelta(seconds=seconds)


def text(seconds):
    return ago(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def noted(since, looked, name="c"):
    return {"outOfQuorum": [{"name": name, "since": text(since)}], "lastChecked": text(looked)}


def seconds(age, notes=None, quorum=("a", "b")):
    status = {} if age is None else {"quorum_age": age}
    view = facts.view(quorum_names=quorum, status=status)
    found = outages.measured(view, notes or {}, NOW)
    return {name: one.seconds for name, one in found.items()}


@pytest.mark.parametrize(
    ("age", "notes", "expected"),
    [
        # The quorum alone tells, to a workstation that never saw this cluster.
        (7200, {}, 7200),
        (None, {}, 0),
        ("odd", {}, 0),
        (True, {}, 0),
        (-5, {}, 0),
        (1e300, {}, 0),
        (float("inf"), {}, 0),
        (float("nan"), {}, 0),
        # Noted, and nothing changed since that look.
        (7200, noted(9000, 3600), 9000),
        # Another mon came or went between two looks hours apart: c may have been back.
        (1800, noted(9000, 3600), 1800),
        # The same between two looks a moment apart, as our own failover does.
        (5, noted(9000, 30), 9000),
        # The other mon was noted, c was not.
        (5, noted(9000, 30, name="b"), 5),
        (40, noted(20, 30), 40),
    ],
)
def test_the_longer_of_what_ceph_says_and_what_was_noted_counts(age, notes, expected):
    assert seconds(age, notes) == {"c": expected}


def test_c29_a_mon_that_came_back_is_forgotten():
    assert seconds(5, noted(9000, 30), quorum=("a", "b", "c")) == {}


@pytest.mark.parametrize(
    "odd",
    [
        {"outOfQuorum": "c", "lastChecked": text(5)},
        {"outOfQuorum": ["c", {"name": "c"}], "lastChecked": text(5)},
        {"outOfQuorum": [{"name": "c", "since": "yesterday"}], "lastChecked": text(5)},
        {"outOfQuorum": [{"name": "c", "since": text(9000)}], "lastChecked": None},
    ],
)
def test_a_note_that_cannot_be_read_is_none(odd):
    assert seconds(7, odd) == {"c": 7}


def test_without_a_quorum_nothing_is_measured():
    assert outages.measured(None, noted(9000, 5), NOW) == {}


def test_a_note_reads_back():
    found = outages.measured(facts.view(quorum_names=("a",), status={"quorum_age": 90}), {}, NOW)

    note = outages.note(found, NOW)

    assert [one["name"] for one in note["outOfQuorum"]] == ["b", "c"]
    later = facts.view(quorum_names=("a",), status={"quorum_age": 5})
    again = outages.measured(later, note, NOW + timedelta(seconds=10))
    assert {name: one.seconds for name, one in again.items()} == {"b": 100.0, "c": 100.0}
    assert outages.note({}, NOW) == {}
