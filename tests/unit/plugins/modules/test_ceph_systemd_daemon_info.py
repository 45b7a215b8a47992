import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import systemd
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.systemd import Unit
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_systemd_daemon_info

UNITS = {
    "ceph-mgr@a.service": Unit("ceph-mgr@a.service", active="active", sub="running"),
    "ceph-osd@1.service": Unit("ceph-osd@1.service", active="activating", restarts=3),
}


def test_state_and_last_words_of_each_are_one_text(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systemd, "show", lambda units: {name: UNITS[name] for name in units})
    monkeypatch.setattr(systemd, "last_words", lambda unit: f"{unit} says no")
    daemons = [{"type": "mgr", "id": "a"}, {"type": "osd", "id": 1}]
    result = run(ceph_systemd_daemon_info, daemons=daemons)
    assert [one["unit"] for one in result["daemons"]] == list(UNITS)
    assert result["text"] == (
        "ceph-mgr@a.service (active, started again 0 times): ceph-mgr@a.service says no; "
        "ceph-osd@1.service (activating, started again 3 times): ceph-osd@1.service says no"
    )
