"""`orchestrator operator`: its options, the environment, and what is said where packages lack."""

import builtins

import pytest
from click.testing import CliRunner

from orchestrator import cli
from orchestrator import operator as composition


@pytest.fixture
def served(monkeypatch):
    seen = []
    monkeypatch.setattr(composition, "serve", lambda settings, _runner: seen.append(settings))
    for name in ("POD_NAMESPACE", "ROOK_CURRENT_NAMESPACE_ONLY", "ROOK_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    return seen


def invoke(*words, **environment):
    return CliRunner().invoke(cli.cli, ["operator", *words], env=environment)


def test_without_a_word_all_namespaces_are_managed(served):
    assert invoke().exit_code == 0

    (settings,) = served
    assert (settings.namespace, settings.operator_namespace) == ("", "rook-ceph")
    assert settings.listen == ("", 8080)
    assert (settings.level, settings.resync_seconds) == ("INFO", 600)


def test_rooks_environment_is_heard(served):
    environment = {
        "POD_NAMESPACE": "storage",
        "ROOK_CURRENT_NAMESPACE_ONLY": "true",
        "ROOK_LOG_LEVEL": "debug",
    }
    assert invoke(**environment).exit_code == 0

    (settings,) = served
    assert (settings.namespace, settings.operator_namespace) == ("storage", "storage")
    assert settings.level == "DEBUG"


def test_options_win_over_the_environment(served):
    words = ("--namespace", "one", "--operator-namespace", "two", "--listen", "[::1]:9000")
    assert invoke(*words, POD_NAMESPACE="storage").exit_code == 0

    (settings,) = served
    assert (settings.namespace, settings.operator_namespace) == ("one", "two")
    assert settings.listen == ("::1", 9000)


@pytest.mark.parametrize("text", ["8080x", "", ":", "localhost", ":70000"])
def test_an_address_that_is_none_is_refused(served, text):
    done = invoke("--listen", text)

    assert done.exit_code == 2
    assert "is no [ADDRESS]:PORT" in done.output
    assert served == []


def test_where_the_packages_lack_it_is_said_what_to_install(monkeypatch):
    real = builtins.__import__

    def lacking(name, *rest):
        if name == "orchestrator" and rest[2] == ("operator",):
            raise ModuleNotFoundError("no kubernetes", name="kubernetes")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", lacking)
    done = invoke()

    assert done.exit_code == 1
    assert "kubernetes is missing" in done.output
    assert "pip install 'ceph-orchestrator[kubernetes]'" in done.output
