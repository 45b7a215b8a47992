"""What roles and modules say of their options is what they do with them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.paths import ROOT

ROLES = ROOT / "roles"
NAMES = sorted(role.name for role in ROLES.iterdir())
# What Ansible itself, or the caller's inventory, brings along.
GIVEN = {"ceph_orchestrator", "ceph_targets"}


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text()) if path.exists() else {}


def options(role: str) -> Mapping[str, Mapping[str, Any]]:
    """Those of all entry points; one that several have is documented alike."""
    specs = read(ROLES / role / "meta" / "argument_specs.yml")["argument_specs"]
    found: dict[str, Mapping[str, Any]] = {}
    for entry in specs.values():
        for name, option in entry.get("options", {}).items():
            comparable = ("type", "elements", "default", "choices", "required")
            known = found.setdefault(name, option)
            assert [known.get(key) for key in comparable] == [option.get(key) for key in comparable]
    return found


@pytest.mark.parametrize("role", NAMES)
def test_defaults_are_the_documented_ones(role: str) -> None:
    documented = {
        name: option["default"] for name, option in options(role).items() if "default" in option
    }
    assert (read(ROLES / role / "defaults" / "main.yml") or {}) == documented


@pytest.mark.parametrize("role", NAMES)
def test_every_option_has_a_type_and_a_description(role: str) -> None:
    for name, option in options(role).items():
        assert option.get("type"), name
        assert option.get("description"), name


@pytest.mark.parametrize("role", NAMES)
def test_every_variable_that_a_role_reads_is_an_option(role: str) -> None:
    texts = [path.read_text() for path in (ROLES / role).rglob("*.yml") if "meta" not in path.parts]
    code = "\n".join(line.split("#")[0] for text in texts for line in text.splitlines())
    code = re.sub(r"ceph_orchestrator\.ceph\.\w+|--[a-z-]+|/[\w/.{}-]+", "", code)
    code = re.sub(r"^\s*- \{section.*$", "", code, flags=re.MULTILINE)
    words = set(re.findall(r"(?<![\w.'\"-])((?:ceph|%s)_\w+)\b(?!:)" % role, code))  # noqa: UP031
    tags = {f"{role}_{intent}" for intent in ("preflight", "prepare", "run")}
    results = set(re.findall(r"register: (\w+)", code))
    assert words - GIVEN - tags - results <= set(options(role))


def test_only_the_role_daemon_knows_the_supervisor() -> None:
    folders = [ROOT / "roles", ROOT / "playbooks", ROOT / "plugins"]
    files = [path for folder in folders for path in folder.rglob("*.yml")]
    named = {path for path in files if "daemon_supervisor" in path.read_text()}
    assert {path.relative_to(ROLES).parts[0] for path in named} == {"daemon"}


def test_each_role_has_the_shape_of_all_roles() -> None:
    for role in NAMES:
        for part in ("README.md", "defaults/main.yml", "meta/main.yml", "tasks/main.yml"):
            assert (ROLES / role / part).is_file(), f"{role}/{part}"
