import math

import pytest

from orchestrator.model.manifest import scalars


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("Yes", True),
        ("OFF", False),
        ("nO", "nO"),
        ("y", "y"),
        ("3", 3),
        ("-1", -1),
        ("1_000", 1000),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 15),
        ("0b101", 5),
        ("089", 89.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("2030-01-01", "2030-01-01"),
        ("12:30", "12:30"),
        ("10.0.0.1", "10.0.0.1"),
        ("yes-really-destroy-data", "yes-really-destroy-data"),
        ("0x_", "0x_"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_plain_words_mean_what_kubectl_takes_them_for(text, value):
    resolved = scalars.resolve(text)

    assert (resolved, type(resolved)) == (value, type(value))


def test_special_numbers():
    assert scalars.resolve("-.inf") == -math.inf
    assert math.isnan(scalars.resolve(".nan"))
