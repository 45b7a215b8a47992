from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, units

SHOWN = """\
Id=ceph-mon@a.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled
ExecMainStartTimestampMonotonic=120500000

Id=ceph-osd@3.service
LoadState=loaded
ActiveState=failed
UnitFileState=disabled

Id=ceph-mgr@b.service
LoadState=not-found
ActiveState=inactive
UnitFileState=

Id=ssh.service
ActiveState=active
"""


def test_states() -> None:
    found = units.parse(SHOWN)
    assert found == {
        "ceph-mon@a.service": units.Unit(active="active", enabled=True, started=120.5),
        "ceph-osd@3.service": units.Unit(active="failed", enabled=False),
        "ceph-mgr@b.service": units.Unit(active="inactive", enabled=False),
    }
    assert [unit.wanted for unit in found.values()] == [True, True, False]


def test_how_long_a_unit_has_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units.time, "monotonic", lambda: 180.75)
    assert units.Unit("active", enabled=True, started=120.5).running_seconds() == 60.2
    assert units.Unit("failed", enabled=True, started=120.5).running_seconds() == -1
    assert units.Unit("active", enabled=True).running_seconds() == -1


def test_nothing_loaded_is_no_unit() -> None:
    assert units.parse("") == {}


def test_names_and_identities() -> None:
    assert units.identity(units.name("osd", "12")) == ("osd", "12")
    assert units.identity("ceph-mon@host-a.example.service") == ("mon", "host-a.example")
    assert units.identity("ceph-mon.target") is None
    assert units.identity("ceph-crash@x.service") is None


def test_enabled_units_are_seen_without_systemd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wants = tmp_path / "ceph-mon.target.wants"
    wants.mkdir()
    (wants / "ceph-mon@a.service").symlink_to("/nowhere")
    (wants / "ceph-crash@a.service").symlink_to("/nowhere")
    monkeypatch.setattr(units, "ETC", tmp_path)
    assert units.enabled_names() == {"ceph-mon@a.service"}


def test_one_question_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def output(command: list[str], _seconds: float) -> tuple[int, str, str]:
        asked.append(command)
        return 0, SHOWN, ""

    monkeypatch.setattr(child, "output", output)
    assert len(units.show(["ceph-mon@a.service", "ceph-osd@3.service"])) == 3
    (command,) = asked
    assert command[-5:] == [
        "ceph-mon@a.service",
        "ceph-osd@3.service",
        "ceph-mon@*.service",
        "ceph-mgr@*.service",
        "ceph-osd@*.service",
    ]


@pytest.mark.parametrize("failure", ["missing", "hangs", "refuses"])
def test_not_to_be_asked_is_not_inactive(monkeypatch: pytest.MonkeyPatch, failure: str) -> None:
    def output(_command: list[str], _seconds: float) -> tuple[int, str, str]:
        if failure == "missing":
            raise FileNotFoundError(2, "No such file", "systemctl")
        if failure == "hangs":
            raise TimeoutError("no answer within 10 s")
        return 1, "", "System has not been booted with systemd as init system"

    monkeypatch.setattr(child, "output", output)
    with pytest.raises(units.UnitsError, match="systemctl"):
        units.show([])
