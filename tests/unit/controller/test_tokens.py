"""The right of a pass to go on."""

import pytest

from orchestrator.controller.tokens import CanceledError, Rights, Token


def test_the_first_reason_counts():
    token = Token()
    token.check()
    token.cancel("edited")
    token.cancel("gone")

    with pytest.raises(CanceledError, match=r"^edited$"):
        token.check()


def test_a_sleep_ends_with_the_right():
    token = Token()
    token.cancel("edited")

    token.sleep(3600)

    assert token.canceled


def test_a_new_pass_has_a_new_right():
    rights = Rights()
    first = rights.begin()
    first.cancel("edited")
    assert rights.canceled()

    second = rights.begin()

    assert not rights.canceled()
    assert first.canceled
    rights.check()
    assert second is rights.token


def test_once_all_have_ended_no_pass_begins():
    rights = Rights()
    rights.end("the operator ends")

    assert rights.begin().canceled
    with pytest.raises(CanceledError, match="the operator ends"):
        rights.check()


def test_cancelling_one_cluster_stops_no_other():
    first, second = Rights(), Rights()
    first.begin()
    second.begin()
    first.token.cancel("edited")

    assert not second.canceled()
