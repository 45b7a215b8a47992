"""Counts of mons as Rook takes them, times that are none, and ranges that fit no daemon."""

import pytest

from tests.fakes.manifests import SPEC, parse, refusals, warnings

REST = "  storage: {useAllNodes: true}\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("  mon: {count: 0}\n", 3),
        ("  mon: {count: null}\n", 3),
        ("  mon: null\n", 3),
        ("  mon: {}\n", 3),
        ("", 3),
        ("  mon: {count: 1}\n", 1),
        ("  mon: {count: 5}\n", 5),
        ("  mon: {count: 9}\n", 9),
    ],
)
def test_no_count_is_three_and_odd_ones_are_taken_as_they_are(text, count):
    found = parse(SPEC + text + REST)

    assert found.cluster.spec.mon.count == count
    assert found.warnings == ()


@pytest.mark.parametrize("count", [2, 4, 8])
def test_an_even_count_is_taken_with_a_warning(count):
    text = f"{SPEC}  mon: {{count: {count}}}\n{REST}"

    assert parse(text).cluster.spec.mon.count == count
    assert any(f"spec.mon.count: {count}: is even" in one for one in warnings(text))


@pytest.mark.parametrize("value", ["abc", "10", "-5m"])
@pytest.mark.parametrize("name", ["mon", "osd", "status"])
def test_c29_a_timeout_that_is_no_time_is_warned_of_and_has_the_default(name, value):
    text = f'{SPEC}  healthCheck: {{daemonHealth: {{{name}: {{timeout: "{value}"}}}}}}\n{REST}'

    found = [one for one in warnings(text) if "is no duration" in one]

    assert len(found) == 1
    assert f'spec.healthCheck.daemonHealth.{name}.timeout: "{value}"' in found[0]


@pytest.mark.parametrize("value", ["0", "0s", "10m", "1h30m", ""])
def test_c29_a_timeout_is_taken_without_a_word(value):
    text = f'{SPEC}  healthCheck: {{daemonHealth: {{mon: {{timeout: "{value}"}}}}}}\n{REST}'

    assert warnings(text) == []


@pytest.mark.parametrize(
    ("network", "problem"),
    [
        (
            "ipFamily: IPv6, addressRanges: {public: [192.0.2.0/24]}",
            "addressRanges.public: has no range of IPv6",
        ),
        (
            "ipFamily: IPv4, addressRanges: {cluster: ['fd00::/64']}",
            "addressRanges.cluster: has no range of IPv4",
        ),
        (
            "dualStack: true, addressRanges: {public: [192.0.2.0/24]}",
            "addressRanges.public: has no range of IPv6",
        ),
    ],
)
def test_ranges_without_the_family_that_is_asked_for_are_refused(network, problem):
    (found,) = refusals(f"{SPEC}  network: {{{network}}}\n{REST}")

    assert problem in found


@pytest.mark.parametrize(
    "network",
    [
        "addressRanges: {public: [192.0.2.0/24], cluster: ['fd00::/64']}",
        "ipFamily: IPv6, addressRanges: {public: ['fd00::/64']}",
        "ipFamily: IPv6, addressRanges: {public: ['fd00::/64', 192.0.2.0/24]}",
        "dualStack: true, addressRanges: {public: ['fd00::/64', 192.0.2.0/24]}",
        "dualStack: true",
    ],
)
def test_ranges_that_fit_are_taken(network):
    assert parse(f"{SPEC}  network: {{{network}}}\n{REST}").warnings == ()
