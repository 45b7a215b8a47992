from decimal import Decimal

import pytest

from orchestrator.model import durations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "0"),
        ("0", "0"),
        ("45s", "45"),
        ("1h30m", "5400"),
        ("1.5m", "90"),
        (".5s", "0.5"),
        ("500ms", "0.5"),
        ("2us", "0.000002"),
        ("-10s", "-10"),
    ],
)
def test_go_s_durations(text, expected):
    assert durations.seconds(text) == Decimal(expected)
