"""Ratios and verdicts of the benchmark."""

from bench import report
from bench.report import Round

PLANNING = {
    "plan_1000_hosts_seconds": 0.51234,
    "plan_1000_hosts_mb": 101.0,
    "selection_1000x60_seconds": 2.5,
}
ROUNDS = [
    Round(floor=10, create=20, noop=2, plan=1, discovery=0.4),
    Round(floor=20, create=22, noop=4, plan=3, discovery=0.9),
    Round(floor=11, create=90, noop=3, plan=2, discovery=0.7),
]


def test_ratios_are_of_medians():
    numbers = report.summary(ROUNDS, PLANNING)

    assert numbers["floor_seconds"] == 11
    assert numbers["create_ratio"] == 2.0
    assert numbers["noop_ratio"] == 0.273
    assert numbers["plan_ratio"] == 0.182
    assert numbers["plan_1000_hosts_seconds"] == 0.512
    assert numbers["discovery_seconds"] == 0.7
    assert "discovery_ratio" not in numbers


def test_every_limit_is_of_a_number_that_is_measured():
    assert set(report.LIMITS) <= set(report.summary(ROUNDS, PLANNING))


def test_what_is_too_slow_is_named():
    numbers = report.summary([Round(floor=10, create=26, noop=1, plan=4, discovery=1.6)], PLANNING)

    assert report.too_slow(numbers) == ["create_ratio", "plan_ratio", "discovery_seconds"]
    assert "create_ratio                  2.600   at most 2.5: TOO SLOW" in report.table(numbers)
    assert "noop_ratio                    0.100   at most 0.3: ok" in report.table(numbers)
