"""The page about a first cluster on Kubernetes, word for word, in the cluster of these tests."""

import pytest

from handbook.shown import blocks
from tests import shown
from tests.contract.paths import ROOT
from tests.kubernetes.site import Site

pytestmark = [pytest.mark.kubernetes, pytest.mark.long, pytest.mark.timeout(900)]

PAGE = ROOT / "docs" / "first-cluster-kubernetes.md"


def test_a_first_cluster_is_looked_at_broken_and_changed_as_the_page_says(built: Site) -> None:
    found = [block for block in blocks(PAGE) if block.run == "nodes"]
    assert len(found) >= 5
    shown.run(found, ROOT, KUBECONFIG=str(built.kubeconfig))
    built.healthy()
