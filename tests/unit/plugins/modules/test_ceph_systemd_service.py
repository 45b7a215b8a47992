import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import program, systemd
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_systemd_service

UNIT = "ceph-crash.service"
CRASH = {"name": "crash", "unit": UNIT, "record": "r"}


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> dict[str, systemd.Unit]:
    units = {UNIT: systemd.Unit(UNIT, loaded=True, active="inactive")}
    monkeypatch.setattr(systemd, "show", lambda names: {name: units[name] for name in names})
    monkeypatch.setattr(program, "require", lambda _names: None)
    return units


def test_check_mode_says_what_would_be_done(run) -> None:
    result = run(ceph_systemd_service, check=True, services=[CRASH])
    assert result["changed"] is True
    assert result["actions"] == [
        f"enable {UNIT}",
        f"start {UNIT}",
        "write /var/lib/ceph-orchestrator/service.crash.json",
    ]
    assert result["diff"][-1] == {"before": {UNIT: "inactive"}, "after": {UNIT: "running"}}


def test_a_unit_that_nobody_knows_is_refused(run, host) -> None:
    host[UNIT] = systemd.Unit(UNIT)
    result = run(ceph_systemd_service, services=[CRASH])
    assert result["msg"] == f"systemd knows no {UNIT}: is the package ceph-base installed?"


def test_what_is_not_there_need_not_go(run, host) -> None:
    host[UNIT] = systemd.Unit(UNIT)
    result = run(ceph_systemd_service, services=[{**CRASH, "state": "absent"}])
    assert (result["changed"], result["actions"]) == (False, [])
