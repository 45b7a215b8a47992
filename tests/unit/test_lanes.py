"""Tests that share a lab never run side by side."""

import pytest

from tests.lanes import lane


@pytest.mark.parametrize(
    ("nodeid", "expected"),
    [
        ("tests/e2e/test_cluster.py::test_x[ceph20]", "ceph20"),
        ("tests/e2e/test_cluster.py::test_x[ceph16-files]", "ceph16"),
        ("tests/e2e/test_config.py::test_y[ceph20]", "ceph20"),
        ("tests/e2e/test_mons.py::test_z", "tests/e2e/test_mons.py"),
        ("tests/e2e/test_mons.py::test_z[grow]", "tests/e2e/test_mons.py"),
        ("tests/kubernetes/test_docs.py::test_z", "tests/kubernetes/"),
        ("tests/kubernetes/test_outage.py::test_z[grow]", "tests/kubernetes/"),
    ],
)
def test_a_lane_is_a_lab(nodeid: str, expected: str) -> None:
    assert lane(nodeid) == expected
