"""A look in a process of its own: what it gives, and what ends it."""

import time

import pytest

from orchestrator.ansible.kubernetes import ClusterRunner, looking
from orchestrator.ansible.kubernetes.looking import Looker, LookError
from tests.fakes.runners import cluster_runner

ECHO = "import json, sys, time; time.sleep(0.3); print(json.dumps({'got': json.load(sys.stdin)}))"
BULKY = "import json, sys; sys.stdin.read(); print(json.dumps({'a': 'x' * 10**6}))"
SILENT = "import time; time.sleep(600)"


@pytest.fixture
def looker(monkeypatch, tmp_path):
    """Makes a looker whose program is the given text."""

    def made(text):
        (tmp_path / "a_look.py").write_text(text)
        monkeypatch.setattr(looking.content, "importable", lambda _path: tmp_path)
        monkeypatch.setattr(looking, "MODULE", "a_look")
        monkeypatch.setattr(looking, "PAUSE_SECONDS", 0.02)
        return Looker(tmp_path, {})

    return made


def test_it_is_asked_and_answers(looker):
    big = {"nodes": ["n" * 100] * 10_000}
    assert looker(ECHO).look(big) == {"got": big}


def test_an_answer_of_any_size_is_taken(looker):
    assert len(looker(BULKY).look({})["a"]) == 10**6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sys; sys.exit('no keyring')", "no keyring"),
        ("raise SystemExit(3)", "without a word"),
        ('print(\'{"error": "refused"}\')', "refused"),
    ],
)
def test_why_there_is_no_answer_is_told(looker, text, words):
    with pytest.raises(LookError, match=words):
        looker(text).look({})


def test_a_cancel_ends_it_at_once(looker):
    asked = []
    began = time.monotonic()
    with pytest.raises(LookError, match="cancelled"):
        looker(SILENT).look({}, lambda: bool(asked.append(1)) or len(asked) > 3)

    assert time.monotonic() - began < 30


def test_it_is_waited_for_no_longer_than_its_limits_say(looker, monkeypatch):
    monkeypatch.setattr(looking, "GRACE_SECONDS", 0.1)
    with pytest.raises(LookError, match="nothing came in"):
        looker(SILENT).look({"timeout": 0.01})


@pytest.mark.parametrize("canceled", [True, False])
def test_a_pass_whose_look_was_cut_off_was_cancelled_and_has_not_failed(
    monkeypatch, tmp_path, canceled
):
    one = cluster_runner(tmp_path)
    monkeypatch.setattr(one, "_alone", lambda: False)
    monkeypatch.setattr(one, "_canceled", lambda: canceled)

    def cut_off(_self, _restarts):
        raise LookError("the look was cancelled")

    monkeypatch.setattr(ClusterRunner, "_complete", cut_off)
    outcome = one.observe()

    assert (outcome.ok, outcome.canceled) == (False, canceled)
