from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    child,
    records,
    services,
)

SHOWN = """Id=ceph-crash.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled

Id=ceph-orchestrator-logrotate.timer
LoadState=not-found
ActiveState=inactive
UnitFileState=
"""


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[int, str, str]]:
    given = [(0, SHOWN, "")]
    monkeypatch.setattr(child, "output", lambda _command, _seconds: given[0])
    monkeypatch.setattr(records, "FOLDER", tmp_path)
    monkeypatch.setattr(services, "CRASH_KEYRING", tmp_path / "keyring")
    monkeypatch.setattr(services, "_has", lambda name: name == "logrotate")
    return given


def test_both_services_are_found(answer: list[tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / "service.crash.json").write_text('{"record": "r", "files": {"/nowhere": "x"}}')
    (tmp_path / "keyring").touch()
    errors: list[str] = []
    crash, logrotate = services.collect(errors)
    assert crash == {
        "name": "crash",
        "installed": True,
        "active": "active",
        "enabled": True,
        "keyring": True,
        "record": "r",
        "drifted": ["/nowhere: missing"],
    }
    assert (logrotate["installed"], logrotate["active"]) == (True, "inactive")
    assert (logrotate["enabled"], logrotate["record"]) == (False, "")
    assert errors == []


def test_a_supervisor_that_does_not_answer_is_said(answer: list[tuple[int, str, str]]) -> None:
    answer[0] = (1, "", "no bus\n")
    errors: list[str] = []
    assert services.collect(errors) == []
    assert errors == ["systemctl show failed (1): no bus"]
