"""Lists and numbers as sentences have them."""

import pytest

from orchestrator.model import wording


@pytest.mark.parametrize(
    ("names", "expected"),
    [((), ""), (("a", "b"), "a, b"), (("a", "b", "c", "d"), "a, b and 2 more")],
)
def test_names_beyond_the_most_are_only_counted(names, expected):
    assert wording.some(names, 2) == expected


@pytest.mark.parametrize(("number", "expected"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs")])
def test_one_is_no_plural(number, expected):
    assert wording.counted(number, "run") == expected
