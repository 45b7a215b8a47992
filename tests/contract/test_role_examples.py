"""The example of each role's README is a play that Ansible reads, with the role's own options."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from tests.contract.paths import ROOT
from tests.packaging.conftest import BIN

ROLES = ROOT / "roles"
NAMES = sorted(role.name for role in ROLES.iterdir())
FENCE = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
PREFIX = "ceph_orchestrator.ceph."
# What any role may be given, as the inventory gives it.
CLUSTER = "ceph_"


def example(role: str) -> list[dict[str, Any]]:
    """The plays of the README; a task alone counts as one of a play for all hosts."""
    (text,) = FENCE.findall((ROLES / role / "README.md").read_text())
    found: list[dict[str, Any]] = yaml.safe_load(text)
    return [one if "hosts" in one else {"hosts": "all", "tasks": [one]} for one in found]


def given(role: str) -> Iterator[Mapping[str, Any]]:
    """The variables with which the example uses its role."""
    for play in example(role):
        for one in play.get("roles", ()):
            if one["role"] == PREFIX + role:
                yield {**play.get("vars", {}), **one.get("vars", {})}
        for task in play.get("tasks", ()):
            if task.get("ansible.builtin.include_role", {}).get("name") == PREFIX + role:
                yield {**play.get("vars", {}), **task.get("vars", {})}


def options(role: str) -> dict[str, Any]:
    specs = yaml.safe_load((ROLES / role / "meta" / "argument_specs.yml").read_text())
    found: dict[str, Any] = specs["argument_specs"]["main"].get("options", {})
    return found


@pytest.mark.parametrize("role", NAMES)
def test_it_uses_the_role_as_its_options_say(role: str) -> None:
    uses = list(given(role))
    assert uses, "the example does not use the role"
    for variables in uses:
        unknown = set(variables) - set(options(role))
        assert not {name for name in unknown if not name.startswith(CLUSTER)}
        known = {name: value for name, value in variables.items() if name not in unknown}
        found = ArgumentSpecValidator(options(role)).validate(known)
        assert not found.error_messages


def test_a_wrong_example_would_be_seen() -> None:
    wrong = {"osd_devices": [{"device_class": "hdd"}]}
    assert ArgumentSpecValidator(options("osd")).validate(wrong).error_messages


def test_ansible_reads_all_of_them(tmp_path: Path) -> None:
    plays = [play for role in NAMES for play in example(role)]
    (tmp_path / "examples.yml").write_text(yaml.safe_dump(plays))
    words = ("--syntax-check", "-i", "store-1,", str(tmp_path / "examples.yml"))
    done = subprocess.run(
        [str(BIN / "ansible-playbook"), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
