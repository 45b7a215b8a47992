"""A module in Ansible's own process does and tells what it does in one of its own."""

import json
import sys
from pathlib import Path

import pytest
import yaml

from orchestrator.ansible import content
from orchestrator.ansible.kubernetes.runner import IN_PROCESS
from orchestrator.ansible.run import Order, Runner
from tests.contract.paths import ROOT

CLUSTER = {"metadata": {"name": "c", "namespace": "n", "uid": "u"}, "spec": {}}
KEYRING = {"entity": "mgr.a", "path": "/x", "key": "a-secret-key"}
TASKS = [
    {"ceph_orchestrator.ceph.ceph_ready_info": {"wait": 0}},
    {"ceph_orchestrator.ceph.ceph_ready_info": {"wait": "soon"}},
    {
        "ceph_orchestrator.ceph.ceph_kubernetes_keyring": {
            "cluster": CLUSTER,
            "keyrings": [KEYRING],
        },
        "no_log": True,
    },
]


def played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str, environment: dict[str, str]
) -> list:
    """What Ansible says of each task on the machine itself, where there is no Ceph."""
    tasks = [{**task, "ignore_errors": True, "name": str(i)} for i, task in enumerate(TASKS)]
    play = {"hosts": "all", "gather_facts": False, "tasks": tasks}
    path = tmp_path / "play.yml"
    path.write_text(yaml.safe_dump([play]))
    inventory = tmp_path / "inventory.yml"
    values = {"ansible_connection": "local", "ansible_python_interpreter": python}
    inventory.write_text(yaml.safe_dump({"all": {"hosts": {"here": values}}}))
    monkeypatch.setattr(content, "playbook", lambda _name: path)
    runner = Runner(
        inventories=(inventory,),
        artifacts=tmp_path / "runs",
        on_progress=lambda _progress: None,
        canceled=lambda: False,
        environment={"KUBECONFIG": str(tmp_path / "none"), **environment},
    )
    outcome = runner.run(Order(playbook="play.yml", extra={}, forks=5))
    assert outcome.ok
    return results(tmp_path / "runs" / outcome.run)


def results(run: Path) -> list:
    events = [json.loads(path.read_text()) for path in (run / "job_events").glob("*.json")]
    ended = [one["event_data"] for one in events if one["event"].startswith("runner_on_fail")]
    told = {one["task"]: one["res"] for one in ended}
    kept = ("msg", "changed", "errno", "censored")
    return [{name: told[task].get(name) for name in kept} for task in sorted(told)]


def test_results_are_the_same_and_secrets_stay_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = played(tmp_path, monkeypatch, sys.executable, {})
    together = played(tmp_path, monkeypatch, "/no/python/is/started", {IN_PROCESS: "1"})
    assert together == apart
    assert "argument 'wait' is of type" in apart[1]["msg"]
    assert "hidden" in apart[2]["censored"]
    said = [path.read_text() for path in (tmp_path / "runs").rglob("*") if path.is_file()]
    assert not [text for text in said if KEYRING["key"] in text]


def test_the_wish_has_one_name() -> None:
    text = (ROOT / "plugins" / "plugin_utils" / "in_process.py").read_text()
    assert f'ASKED = "{IN_PROCESS}"' in text
