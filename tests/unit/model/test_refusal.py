"""Since when no OSD may restart: noted in the status, and read from it by a later run."""

from datetime import UTC, datetime

import pytest

from orchestrator.model import refusal

SINCE = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
BEFORE = {"phase": "Progressing", "storage": {"deviceClasses": [{"name": "ssd"}]}}


def test_what_is_noted_is_read_again():
    status = refusal.with_note(BEFORE, SINCE)
    assert status["storage"]["restartsRefusedSince"] == "2030-01-02T03:04:05Z"
    assert refusal.noted(status) == SINCE


def test_a_note_that_ends_leaves_all_else():
    assert refusal.with_note(refusal.with_note(BEFORE, SINCE), None) == BEFORE
    assert refusal.with_note({"phase": "Ready"}, None) == {"phase": "Ready"}


@pytest.mark.parametrize("text", [None, 7, "yesterday", "2030-01-02T03:04:05"])
def test_what_cannot_be_read_was_not_noted(text):
    assert refusal.noted({"storage": {"restartsRefusedSince": text}}) is None
    assert refusal.noted({"storage": text}) is None
    assert refusal.noted({}) is None
