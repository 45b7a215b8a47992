"""The version stands in `orchestrator/__init__.py`; what cannot read it from there repeats it."""

import re
import tomllib

import yaml

from orchestrator import __version__
from tests.contract.paths import ROOT


def test_the_package_reads_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "orchestrator/__init__.py"


def test_the_collection_repeats_it() -> None:
    assert yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"] == __version__


def test_it_is_a_version_that_both_registries_take() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)


def test_the_oldest_ansible_is_the_same_for_package_and_collection() -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (core,) = (one for one in dependencies if one.startswith("ansible-core"))
    required = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["requires_ansible"]
    assert f"{core.removeprefix('ansible-core')}.0" == required
