"""Quantities, in the manner of Kubernetes' own table."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.planning import quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (0, 0),
        (1500, 1500),
        ("4Gi", 4294967296),
        ("0.5Gi", 536870912),
        ("500Mi", 524288000),
        ("1Ki", 1024),
        ("2Ti", 2199023255552),
        ("500M", 500000000),
        ("2k", 2000),
        ("2G", 2000000000),
        ("1E", 10**18),
        ("1e3", 1000),
        ("1E3", 1000),
        ("12e-1", 2),
        ("100m", 1),
        ("1n", 1),
        (".5k", 500),
        ("5.", 5),
        ("+5", 5),
    ],
)
def test_whole_units_are_rounded_up(text, expected):
    assert quantities.whole(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("500m", 500), (1, 1000), ("1.5", 1500), ("100u", 1), ("2k", 2000000)]
)
def test_thousandths(text, expected):
    assert quantities.thousandths(text) == expected


@given(
    st.integers(min_value=0, max_value=10**6), st.sampled_from(("Ki", "Mi", "Gi", "k", "M", "G"))
)
def test_a_suffix_is_a_factor(number, suffix):
    factor = (1024 if suffix.endswith("i") else 1000) ** ("kmg".index(suffix[0].lower()) + 1)

    assert quantities.exact(f"{number}{suffix}") == Decimal(number * factor)


def test_an_absurd_exponent_costs_nothing_and_a_text_is_refused():
    assert quantities.whole("1e999999999") == 10**30
    with pytest.raises(ValueError, match="'much' is no quantity"):
        quantities.exact("much")
