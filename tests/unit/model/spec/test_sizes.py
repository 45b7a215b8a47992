"""Sizes as cephadm's drive groups write them."""

import pytest

from orchestrator.model.spec import sizes

GB = 10**9


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("480G", (480103981056, 479_500_000_000), (479_499_999_999, 481 * GB)),
        ("480GB", (480103981056,), (500 * GB,)),
        ("1.92T", (1920383410176,), (1_900 * GB, 1_930 * GB)),
        ("10G:40G", (10 * GB, 40 * GB), (10 * GB - 1, 40 * GB + 1)),
        (":10G", (0, 10 * GB), (10 * GB + 1,)),
        ("40G:", (40 * GB, 10**18), (40 * GB - 1,)),
        ("1.5M:1.5M", (1_500_000,), (1_500_001,)),
        ("0G:1K", (0, 1000), (1001,)),
    ],
)
def test_a_size_or_range_holds_what_it_should(text, inside, outside):
    found = sizes.parse(text)

    assert all(found.holds(size) for size in inside)
    assert not any(found.holds(size) for size in outside)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("10", "is not a size"),
        ("10g", "is not a size"),
        ("10GiB", "is not a size"),
        ("-1G", "is not a size"),
        ("1G:2G:3G", "is not a size"),
        ("ten", "is not a size"),
        ("", "is not a size"),
        (":", "has neither a lowest nor a highest size"),
        ("40G:10G", "has a lowest size above the highest"),
    ],
)
def test_what_is_no_size_says_why(text, reason):
    with pytest.raises(sizes.SizeError, match=reason):
        sizes.parse(text)
