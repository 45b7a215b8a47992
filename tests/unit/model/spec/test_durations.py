"""Durations as Go writes them."""

import pytest

from orchestrator.model.spec import durations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("0s", 0),
        ("600s", 600),
        ("10m", 600),
        ("1h30m", 5400),
        ("1.5s", 1.5),
        (".5m", 30),
        ("250ms", 0.25),
        ("-5m", -300),
        ("+5m", 300),
        ("abc", None),
        ("", None),
        ("10", None),
        ("5 m", None),
        ("10m0", None),
    ],
)
def test_c29_a_duration_is_read_or_known_not_to_be_one(text, expected):
    assert durations.seconds(text) == (pytest.approx(expected) if expected is not None else None)
