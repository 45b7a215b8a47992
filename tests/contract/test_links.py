"""One text in two places is a symbolic link; a copy that lost its link holds a path as its text."""

import pytest

from tests.contract.paths import ROOT

LINKS = {
    ".config/molecule/config.yml": "molecule/shared/base.yml",
    "deploy/helm/ceph-orchestrator/crds": "deploy/crds",
    "tests/kubernetes/manifests/toolbox.yaml": "examples/toolbox.yaml",
}


@pytest.mark.parametrize(("link", "target"), LINKS.items())
def test_a_link_leads_to_its_target(link: str, target: str) -> None:
    assert (ROOT / link).is_symlink()
    assert (ROOT / link).resolve() == (ROOT / target).resolve()
