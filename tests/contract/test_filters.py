"""Every filter has its documentation, and its example gives the documented sample."""

import importlib.util
from pathlib import Path
from typing import Any

import jinja2.nativetypes
import pytest
import yaml

from tests.contract.paths import ROOT

FOLDER = ROOT / "plugins" / "filter"


def filters() -> dict[str, Any]:
    """The collection's filters by name."""
    spec = importlib.util.spec_from_file_location("collection_filters", FOLDER / "ceph.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Any] = module.FilterModule().filters()
    return found


FILTERS = filters()


def documented(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yml").read_text())
    return found


def test_filters_and_their_documents_are_the_same() -> None:
    assert {path.stem for path in Path(FOLDER).glob("*.yml")} == set(FILTERS)


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_a_document_is_complete(name: str) -> None:
    found = documented(name)
    about = found["DOCUMENTATION"]
    assert about["name"] == name
    assert about["short_description"]
    assert about["description"]
    assert all(one["description"] and one["type"] for one in about["options"].values())


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_the_example_gives_the_sample(name: str) -> None:
    found = documented(name)
    (task,) = yaml.safe_load(found["EXAMPLES"])
    example = task["ansible.builtin.debug"]["msg"]
    assert f"ceph_orchestrator.ceph.{name}" in example
    environment = jinja2.nativetypes.NativeEnvironment()
    environment.filters.update({f"ceph_orchestrator.ceph.{one}": FILTERS[one] for one in FILTERS})
    assert environment.from_string(example).render() == found["RETURN"]["_value"]["sample"]
