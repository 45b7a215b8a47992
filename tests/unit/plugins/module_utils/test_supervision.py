"""What systemd's supervisor would do, from what a host has."""

import json
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import daemon, supervision


def described(record: str) -> daemon.Daemon:
    return daemon.parse(
        {
            "type": "mgr",
            "id": "a",
            "record": record,
            "program": "",
            "data_dir": "/var/lib/ceph/mgr/ceph-a",
            "owner": "ceph",
            "init": [],
            "before_start": [],
            "environment": {},
            "settings": {},
        }
    )


@pytest.mark.parametrize(
    ("given", "noted", "expected"),
    [
        ("", {"record": "5f1d0c2a"}, "5f1d0c2a"),
        ("77aa01b3", {"record": "5f1d0c2a"}, "77aa01b3"),
        ("", None, ""),
        ("", ["not", "an", "object"], ""),
    ],
    ids=["kept", "replaced", "none", "odd"],
)
def test_a_record_is_kept_when_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, noted: object, expected: str
) -> None:
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path))
    if noted is not None:
        (tmp_path / "mgr.a.json").write_text(json.dumps(noted))
    assert supervision.keeping_record(described(given)).record == expected


def unit(active: str = "active") -> supervision.systemd.Unit:
    return supervision.systemd.Unit(
        name="", loaded=True, active=active, sub="running", enabled=True
    )


def state(one: daemon.Daemon, **changes: object) -> supervision.State:
    values: dict[str, object] = {
        "units": {one.unit: unit(), one.target: unit(), "ceph.target": unit()},
        "files": [],
        "records": [],
        "processes": {one.name: one.process},
        "missing": frozenset(),
    }
    return supervision.State(**{**values, **changes})  # type: ignore[arg-type]


def test_nothing_is_done_for_a_daemon_that_runs_as_described() -> None:
    one = described("5f1d0c2a")
    assert supervision.difference(state(one), [one]).actions() == []


def test_a_stopped_daemon_is_started_and_a_failed_one_reset_before() -> None:
    one = described("5f1d0c2a")
    units = {one.unit: unit(active="failed"), one.target: unit(), "ceph.target": unit()}
    changes = supervision.difference(state(one, units=units), [one])
    assert (changes.reset, changes.start, changes.restart) == ([one.unit], [one.unit], [])


def test_a_written_file_alone_restarts_nothing() -> None:
    one = described("5f1d0c2a")
    changes = supervision.difference(state(one, files=[one.drop_in()]), [one])
    assert (changes.reload, changes.restart, changes.start) == (True, [], [])


def test_only_what_a_restart_brings_in_restarts() -> None:
    one = described("5f1d0c2a")
    changes = supervision.difference(state(one, processes={one.name: "another"}), [one])
    assert changes.restart == [one.unit]
