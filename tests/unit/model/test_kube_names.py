"""CASES C21: very long node names."""

import pytest

from orchestrator.model import kube_names

PREPARE = "rook-ceph-osd-prepare-{}"
LONG = "ip-10-20-130-244.eu-north-1.compute.internal"
LONGER = "worker-07.storage-pool-b.cluster-eu-west-2.prod.infra.example.com"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("k8s01", "rook-ceph-osd-prepare-k8s01"),
        (
            "store-node-0042.pool-b.example.test",
            "rook-ceph-osd-prepare-9acf3faceb3182face5dd62fd9e48074",
        ),
        (LONG, "rook-ceph-osd-prepare-32001910e4b25bece464887a9f353b1d"),
    ],
)
def test_c21_jobs(node: str, expected: str) -> None:
    assert kube_names.job_name(PREPARE, node) == expected


@pytest.mark.parametrize(
    ("template", "node", "expected"),
    [
        (PREPARE, "k8s01", "rook-ceph-osd-prepare-k8s01"),
        (
            PREPARE,
            "store-node-0042.pool-b.example.test",
            "rook-ceph-osd-prepare-store-node-0042.pool-b.example.test",
        ),
        (PREPARE, LONG, "rook-ceph-osd-prepare-32001910e4b25bece464887a9f353b1d"),
        (
            "rook-ceph-crashcollector-{}",
            LONGER,
            "rook-ceph-crashcollector-19375f5882abec3de89c2b6d47d75eb4",
        ),
    ],
)
def test_c21_objects(template: str, node: str, expected: str) -> None:
    assert kube_names.object_name(template, node) == expected


def test_c21_label_values_are_cut_and_end_in_an_alphanumeric() -> None:
    assert kube_names.label_value("a" * 62 + ".b") == "a" * 62
    assert kube_names.label_value("store-a") == "store-a"
