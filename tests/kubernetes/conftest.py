"""Three nodes with the operator, or the Kubernetes that KUBECONFIG names; one for all tests.

Each file leaves the example's cluster behind, healthy, as the next one expects it.
LAB_KUBERNETES names the folder of a lab to use, and to leave up: `LAB_KUBERNETES=.lab pytest …`.
"""

import os
from collections.abc import Iterator

import pytest

from lab.kubernetes import cluster, demo
from lab.kubernetes.cluster import Cluster
from tests.contract.paths import ROOT
from tests.kubernetes.site import MANIFESTS, TOOLBOX, Site

FIRST = "test_birth.py"
"""It makes the cluster, as nodes without one ask for; the others find it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name != FIRST)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A Kubernetes on whose nodes the operator of this clone runs, and no cluster yet."""
    kept = os.environ.get("LAB_KUBERNETES", "")
    made = cluster.Cluster((ROOT / (kept or ".lab-kubernetes")).absolute())
    theirs = demo.given()
    try:
        found = Site(demo.prepare(made), None if theirs else made)
        yield found
    finally:
        if theirs:
            demo.remove(theirs)
        elif not kept:
            cluster.down(made)


@pytest.fixture(scope="session")
def built(site: Site) -> Site:
    """The example's cluster, healthy, and a toolbox beside it."""
    demo.build(site.kubeconfig)
    site.kubectl("apply", "--filename", str(MANIFESTS / "toolbox.yaml"))
    site.kubectl("rollout", "status", TOOLBOX, "--timeout=360s", timeout=400)
    return site


@pytest.fixture(scope="session")
def lab(built: Site) -> Cluster:
    """The lab's own nodes; tests that need them are left out where KUBECONFIG names others."""
    if built.cluster is None:
        pytest.skip("the lab's nodes alone can be killed, added to and looked into")
    return built.cluster
