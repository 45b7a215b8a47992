"""The command line with simulated machines behind it."""

import pytest
from click.testing import CliRunner

from orchestrator import app, cli
from tests.fakes.clusters import room
from tests.fakes.commands import MANIFEST, Runner


@pytest.fixture
def fake(monkeypatch):
    found = type("FakeRunner", (Runner,), {"machines": room(3, 1)})
    monkeypatch.setattr(app, "Runner", found)
    return found


@pytest.fixture
def orchestrator(tmp_path, monkeypatch, fake):
    """The command with a manifest and an inventory at hand, and a home of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "cluster.yaml").write_text(MANIFEST)
    (tmp_path / "hosts.yml").write_text("")
    places = {"F": str(tmp_path / "cluster.yaml"), "I": str(tmp_path / "hosts.yml")}

    def call(*words):
        return CliRunner().invoke(cli.cli, [places.get(word, word) for word in words])

    return call


@pytest.fixture
def built(orchestrator):
    """The same after a run that converged."""
    assert orchestrator("run", "-f", "F", "-i", "I").exit_code == 0
    return orchestrator
