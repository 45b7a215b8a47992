from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import systemd
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.systemd import Unit

SHOWN = """\
Id=ceph-osd@1.service
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
NeedDaemonReload=yes
NRestarts=3
Result=success
"""
UP = Unit(name="u", loaded=True, active="active", sub="running")
STARTING = replace(UP, active="activating", sub="start-pre")
RETRYING = replace(UP, active="activating", sub="auto-restart")


def test_what_systemd_says_is_read() -> None:
    unit = systemd.parse(SHOWN)
    assert (unit.running, unit.enabled, unit.stale, unit.restarts) == (True, True, True, 3)


def test_a_target_runs_without_a_process() -> None:
    assert systemd.parse("Id=ceph.target\nActiveState=active\nSubState=active\n").running


def test_a_process_between_two_tries_does_not_run() -> None:
    assert not RETRYING.running


def test_odd_answers_are_no_crash() -> None:
    assert systemd.parse("Id=x\nNRestarts=[not set]\n").restarts == 0


class Script:
    """Shows one state after another, the last for ever."""

    def __init__(self, *states: Unit) -> None:
        self._states = list(states)

    def __call__(self, units: Sequence[str]) -> Mapping[str, Unit]:
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        return dict.fromkeys(units, state)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systemd, "_PAUSE", 0)


def test_it_waits_for_a_start_that_takes_time() -> None:
    assert systemd.wait_running(["u"], 5, Script(STARTING, STARTING, UP)) == {}


def test_one_failed_start_may_be_bad_luck() -> None:
    assert systemd.wait_running(["u"], 5, Script(STARTING, RETRYING, replace(UP, restarts=1))) == {}


def test_two_are_an_answer() -> None:
    twice = replace(RETRYING, restarts=2)
    assert systemd.wait_running(["u"], 60, Script(STARTING, twice)) == {"u": twice}


def test_restarts_of_before_do_not_count() -> None:
    assert systemd.wait_running(["u"], 5, Script(replace(STARTING, restarts=7), UP)) == {}


def test_a_failed_unit_is_not_waited_for() -> None:
    failed = replace(UP, active="failed", sub="failed")
    assert systemd.wait_running(["u"], 60, Script(failed)) == {"u": failed}


def test_the_time_is_limited() -> None:
    assert systemd.wait_running(["u"], 0.05, Script(STARTING)) == {"u": STARTING}
