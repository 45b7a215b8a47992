"""The Molecule scenario whose hosts are nodes; it has a Kubernetes of its own."""

import pytest

from tests.contract.paths import ROOT
from tests.e2e.test_molecule import molecule, seen_through

pytestmark = [
    pytest.mark.kubernetes,
    pytest.mark.long,
    pytest.mark.timeout(1800),
]


def test_the_playbooks_and_verify_of_hosts_serve_nodes_as_they_are() -> None:
    seen_through("kubernetes", molecule("test", "--scenario-name", "kubernetes"))
    assert not (ROOT / ".lab-molecule-kubernetes").exists()
