"""Whether mons were once in quorum, as Rook notes it."""

import pytest

from orchestrator.model import mon_objects


@pytest.mark.parametrize(
    ("endpoints", "expected"),
    [
        (None, False),
        ({}, False),
        ({"data": None}, False),
        ({"data": {"data": "a=10.9.0.1:3300"}}, False),
        ({"data": {"maxMonId": "-1"}}, False),
        ({"data": {"maxMonId": "0"}}, True),
    ],
)
def test_a_quorum_was_there_once_its_highest_mon_id_is_noted(endpoints, expected):
    assert mon_objects.had_quorum(endpoints) is expected
