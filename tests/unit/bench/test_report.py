"""Ratios and verdicts of the benchmark."""

from bench import report
from bench.report import Round

OTHERS = {
    "plan_1000_hosts_seconds": 0.51234,
    "plan_1000_hosts_mb": 101.0,
    "selection_1000x60_seconds": 2.5,
    "k8s_first_task_seconds": 1.5,
    "k8s_idle_percent": 0.2,
    "k8s_operator_mb": 80.0,
    "k8s_image_start_seconds": 3.0,
    "k8s_create_seconds": 25.0,
    "k8s_noop_seconds": 1.2,
}
ROUNDS = [
    Round(floor=10, create=20, noop=2, plan=1, discovery=0.4),
    Round(floor=20, create=22, noop=4, plan=3, discovery=0.9),
    Round(floor=11, create=90, noop=3, plan=2, discovery=0.7),
]


def test_ratios_are_of_medians():
    numbers = report.summary(ROUNDS, OTHERS)

    assert numbers["floor_seconds"] == 11
    assert numbers["create_ratio"] == 2.0
    assert numbers["noop_ratio"] == 0.273
    assert numbers["plan_ratio"] == 0.182
    assert numbers["plan_1000_hosts_seconds"] == 0.512
    assert numbers["discovery_seconds"] == 0.7
    assert "discovery_ratio" not in numbers


def test_the_start_of_an_image_is_not_counted_against_the_making_in_kubernetes():
    assert report.summary(ROUNDS, OTHERS)["k8s_create_ratio"] == 2.0


def test_every_limit_is_of_a_number_that_is_measured():
    assert set(report.LIMITS) <= set(report.summary(ROUNDS, OTHERS))


def test_what_is_too_slow_is_named():
    numbers = report.summary([Round(floor=10, create=26, noop=1, plan=4, discovery=1.6)], OTHERS)

    assert report.too_slow(numbers) == ["create_ratio", "plan_ratio", "discovery_seconds"]
    assert "create_ratio                  2.600   at most 2.5: TOO SLOW" in report.table(numbers)
    assert "noop_ratio                    0.100   at most 0.3: ok" in report.table(numbers)
