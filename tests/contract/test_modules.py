"""What a module documents is what it takes, down to the defaults of its suboptions."""

import ast
import importlib
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from tests.contract.paths import ROOT

PLUGINS = "ansible_collections.ceph_orchestrator.ceph.plugins"
NAMES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("ceph_*.py"))
COMPARED = ("type", "elements", "default", "required", "choices")


class CapturedError(Exception):
    """Carries what a module gave to AnsibleModule."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self.arguments = arguments


def constant(path: str, name: str) -> Any:
    for node in ast.walk(ast.parse((ROOT / "plugins" / path).read_text())):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return yaml.safe_load(ast.literal_eval(node.value))
    raise AssertionError(f"{path} has no {name}")


def documented(name: str, part: str) -> dict[str, Any]:
    """What a module and its fragments say, as Ansible merges them: the module's words win."""
    text = constant(f"modules/{name}.py", "DOCUMENTATION")
    entries = dict(text.get(part, {}))
    for fragment in text.get("extends_documentation_fragment", []):
        path = f"doc_fragments/{fragment.rpartition('.')[2]}.py"
        for key, entry in constant(path, "DOCUMENTATION").get(part, {}).items():
            entries[key] = {**entry, **entries.get(key, {})}
    return entries


def taken(name: str, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Any]:
    module = importlib.import_module(f"{PLUGINS}.modules.{name}")

    def capture(**arguments: Any) -> None:
        raise CapturedError(**arguments)

    monkeypatch.setattr(module, "AnsibleModule", capture)
    with pytest.raises(CapturedError) as caught:
        module.main()
    return caught.value.arguments


def plain(options: Mapping[str, Any], inner: str) -> dict[str, Any]:
    return {
        name: {
            **{key: option[key] for key in COMPARED if option.get(key) not in (None, False)},
            **({"inside": plain(option[inner], inner)} if option.get(inner) else {}),
        }
        for name, option in options.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_options_are_the_documented_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = taken(name, monkeypatch)
    options = documented(name, "options")
    assert plain(arguments["argument_spec"], "options") == plain(options, "suboptions")


@pytest.mark.parametrize("name", NAMES)
def test_every_module_has_check_mode_and_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert taken(name, monkeypatch)["supports_check_mode"] is True
    attributes = documented(name, "attributes")
    assert attributes["check_mode"]["support"] == "full"
    assert attributes["diff_mode"]["support"] in ("full", "none")


@pytest.mark.parametrize("name", NAMES)
def test_every_result_has_a_sample(name: str) -> None:
    for key, result in constant(f"modules/{name}.py", "RETURN").items():
        if "contains" not in result:
            assert "sample" in result, key
