"""When the next run is due."""

import pytest

from orchestrator.watching.pace import Pace


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(0, 300), (1, 10), (2, 20), (3, 40), (5, 160), (6, 300), (1000, 300)],
)
def test_a_failure_is_tried_soon_and_then_less_often(failures, seconds):
    assert Pace(interval=300).delay(failures, 0.5) == pytest.approx(seconds)


@pytest.mark.parametrize(("chance", "seconds"), [(0.0, 270), (0.5, 300), (1.0, 330)])
def test_runs_of_many_clusters_drift_apart(chance, seconds):
    assert Pace(interval=300).delay(0, chance) == pytest.approx(seconds)


def test_a_retry_never_waits_longer_than_the_interval():
    assert Pace(interval=5).delay(1, 0.5) == 5
