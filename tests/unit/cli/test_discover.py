"""`orchestrator discover` becomes the program that tells a node's disks."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from orchestrator.ansible.kubernetes import discovering
from orchestrator.cli import cli

SURROUNDINGS = {"NODE_NAME": "node-1", "POD_NAMESPACE": "rook-ceph"}


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list:
    found: list = []
    monkeypatch.setattr(os, "execve", lambda *given: found.append(given))
    return found


def run(*words: str, **environment: str):
    return CliRunner().invoke(cli, ["discover", *words], env={**SURROUNDINGS, **environment})


def test_it_is_told_its_node_and_finds_the_collection(begun: list) -> None:
    assert run(ROOK_DISCOVER_DEVICES_INTERVAL="90s").exit_code == 0
    ((program, words, environment),) = begun
    assert words == [program, "-m", discovering.MODULE, "90.0"]
    assert (environment["NODE_NAME"], environment["POD_NAMESPACE"]) == ("node-1", "rook-ceph")
    path = Path(environment["PYTHONPATH"], *discovering.MODULE.split("."))
    assert path.with_suffix(".py").is_file()


@pytest.mark.parametrize("interval", ["60m", "0"])
def test_an_hour_is_the_default(begun: list, interval: str) -> None:
    assert run("--interval", interval).exit_code == 0
    assert begun[0][1][-1] == "3600.0"


def test_without_a_node_it_does_not_begin(begun: list) -> None:
    assert run(NODE_NAME="").exit_code == 2
    assert begun == []
