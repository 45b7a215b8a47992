"""Waiting for a measure: as long as it takes, and no longer than it may."""

import pytest

from bench import waiting
from lab.proc import LabError


def test_it_is_asked_until_it_is_so():
    answers = iter([False, False, True])

    waiting.until(lambda: next(answers), "the cluster", seconds=60, pause=0)

    assert next(answers, None) is None


def test_what_does_not_come_voids_the_measure():
    with pytest.raises(LabError, match="the operator was waited for in vain"):
        waiting.until(lambda: False, "the operator", seconds=0, pause=0)
