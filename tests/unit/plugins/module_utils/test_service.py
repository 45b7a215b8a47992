from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import service, systemd
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

PLAIN = {
    "state": "present",
    "record": "r",
    "unit": "",
    "command": [],
    "every": 900,
    "resources": {},
    "files": [],
    "folders": [],
}
CRASH = {**PLAIN, "name": "crash", "unit": "ceph-crash.service"}
RULES = {"path": "/etc/logrotate.d/00-x", "content": "rules\n", "mode": "0644"}
LOGS = {**PLAIN, "name": "logrotate", "command": ["/usr/sbin/logrotate", "/a b"], "files": [RULES]}
DROP_IN = "/etc/systemd/system/ceph-crash.service.d/orchestrator.conf"
TIMER = "ceph-orchestrator-logrotate.timer"


def running(*names: str) -> dict[str, systemd.Unit]:
    return {
        name: systemd.Unit(name, loaded=True, active="active", sub="waiting", enabled=True)
        for name in names
    }


def changes(entry: dict[str, Any], **state: Any) -> service.Changes:
    found = service.State(**{"units": running("ceph-crash.service", TIMER), **state})
    return service.difference(found, [service.parse(entry)])


def test_a_packaged_unit_gets_a_drop_in_for_its_limits_alone() -> None:
    assert service.parse(CRASH).units() == ()
    (file,) = service.parse({**CRASH, "resources": {"memory_limit": 7, "cpu_limit": 0}}).units()
    assert file.path == DROP_IN
    assert file.content.endswith("[Service]\nMemoryMax=7\n")


def test_a_command_becomes_a_service_and_its_timer() -> None:
    run, timer = service.parse(LOGS).units()
    assert run.path == "/etc/systemd/system/ceph-orchestrator-logrotate.service"
    assert 'ExecStart="/usr/sbin/logrotate" "/a b"\n' in run.content
    assert timer.path == f"/etc/systemd/system/{TIMER}"
    assert "OnUnitInactiveSec=900\n" in timer.content


def test_a_new_service_is_written_enabled_and_started() -> None:
    one = service.parse(LOGS)
    found = changes(LOGS, units={TIMER: systemd.Unit(TIMER)}, files=one.wanted())
    assert found.files == list(one.wanted())
    assert (found.enable, found.restart, found.reload) == ([TIMER], [TIMER], True)
    assert [file.path for file in found.records] == [
        "/var/lib/ceph-orchestrator/service.logrotate.json"
    ]


def test_a_changed_timer_starts_anew_and_changed_rules_do_not() -> None:
    rules, _, timer = service.parse(LOGS).wanted()
    assert changes(LOGS, files=[timer]).restart == [TIMER]
    found = changes(LOGS, files=[rules])
    assert (found.restart, found.reload) == ([], False)


def test_limits_that_leave_take_their_drop_in_along_and_restart_nothing() -> None:
    found = changes(CRASH, present=frozenset({DROP_IN}))
    assert (found.remove, found.reload, found.restart) == ([DROP_IN], True, [])


def test_a_folder_of_somebody_else_is_given_to_ceph() -> None:
    posted = "/var/lib/ceph/crash/posted"
    entry = {**CRASH, "folders": [posted]}
    assert changes(entry, foreign=frozenset({posted})).folders == [posted]
    assert changes(entry).folders == []


def test_an_absent_service_leaves_nothing() -> None:
    one = service.parse({**LOGS, "state": "absent"})
    paths = {*one.unwanted(), one.record_path}
    found = changes({**LOGS, "state": "absent"}, present=frozenset(paths))
    assert found.stop == [TIMER]
    assert {*found.remove, *found.forget} == paths
    assert found.reload
    again = changes({**LOGS, "state": "absent"}, units={TIMER: systemd.Unit(TIMER)})
    assert again.actions() == []


def test_a_unit_that_is_not_installed_is_refused_before_anything_is_done() -> None:
    state = service.State(units={"ceph-crash.service": systemd.Unit("ceph-crash.service")})
    with pytest.raises(HostError, match=r"knows no ceph-crash\.service"):
        service.check(state, [service.parse(CRASH)])
    service.check(state, [service.parse({**CRASH, "state": "absent"})])


def test_what_is_done_is_shown() -> None:
    shown = service.diff(changes({**LOGS, "state": "absent"}, present=frozenset({"/x"})))
    assert shown == [{"before": {TIMER: "running"}, "after": {TIMER: "stopped"}}]
