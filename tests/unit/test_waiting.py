"""The helper that most waiting tests stand on: it ends, and says what it last saw."""

import pytest

from tests.waiting import eventually


def test_the_first_good_answer_is_given():
    answers = iter([0, 0, 7, 8])

    assert eventually(lambda: next(answers), pause=0) == 7


def test_what_is_good_is_the_tests_own():
    answers = iter([7, 8, 9])

    assert eventually(lambda: next(answers), good=lambda found: found == 8, pause=0) == 8


def test_what_never_comes_is_a_failure_with_the_last_answer():
    with pytest.raises(AssertionError, match=r"not within 0\.01 s: still no OSD"):
        eventually(lambda: "no OSD", 0.01, good=lambda _: False, tell="still {}".format, pause=0)
