"""An action of the collection stands for the module of its own name, and hides no other."""

import importlib

import pytest

from tests.contract.paths import ROOT

PLUGINS = "ansible_collections.ceph_orchestrator.ceph.plugins"
NAMES = sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_an_action_runs_the_module_that_it_is_named_after(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process = importlib.import_module(f"{PLUGINS}.plugin_utils.in_process")
    monkeypatch.setenv(in_process.ASKED, "1")
    found = importlib.import_module(f"{PLUGINS}.action.{name}")
    assert importlib.reload(found).ActionModule.code.__name__ == f"{PLUGINS}.modules.{name}"


def test_there_are_actions() -> None:
    assert {"ceph_auth", "ceph_kubernetes_daemon", "ceph_ready_info"} <= set(NAMES)
