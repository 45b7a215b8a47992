"""What systemd's supervisor would do, from what a host has."""

import dataclasses
import json
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import daemon, supervision

from tests.fakes.descriptions import entry

ENTRY = entry("mgr", "a")


def described(record: str) -> daemon.Daemon:
    return daemon.parse({**ENTRY, "record": record})


@pytest.fixture
def limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> daemon.Daemon:
    """A daemon that an orchestrator set up here, with limits."""
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path))
    limits = {"memory_limit": 3 << 30, "cpu_limit": 0}
    told = {"POD_MEMORY_LIMIT": str(3 << 30)}
    one = daemon.parse({**ENTRY, "record": "r", "resources": limits, "environment": told})
    (tmp_path / "mgr.a.json").write_text(one.record_file().content)
    return one


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


def test_a_run_by_hand_keeps_what_the_daemon_was_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path))
    one = dataclasses.replace(described("r.n"), restart_on="public=192.0.2.0/24")
    (tmp_path / "mgr.a.json").write_text(one.record_file().content)
    assert supervision.keeping_record(described("")) == one


@pytest.mark.parametrize(
    ("given", "record", "limit"),
    [({}, "r", "3221225472"), ({"memory_limit": 3221225472}, "r", "3221225472")],
    ids=["nothing", "the-same"],
)
def test_a_run_by_hand_keeps_limits_and_environment(
    limited: daemon.Daemon, given: dict[str, int], record: str, limit: str
) -> None:
    by_hand = daemon.parse({**ENTRY, "resources": {"memory_limit": 0, "cpu_limit": 0, **given}})
    found = supervision.keeping_record(by_hand)
    assert (found.record, dict(found.resources)["memory_limit"]) == (record, limit)
    assert found.process == limited.process
    assert found.drop_in() == limited.drop_in()


def test_the_record_does_not_stand_for_other_limits_than_its_own(limited: daemon.Daemon) -> None:
    by_hand = daemon.parse({**ENTRY, "resources": {"memory_limit": 1 << 30, "cpu_limit": 0}})
    found = supervision.keeping_record(by_hand)
    assert (found.record, dict(found.resources)) == ("", {"memory_limit": str(1 << 30)})
    assert found.environment == limited.environment


def test_what_was_set_up_by_hand_alone_can_be_taken_back_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path))
    limited = daemon.parse({**ENTRY, "resources": {"memory_limit": 1 << 30}})
    (tmp_path / "mgr.a.json").write_text(limited.record_file().content)
    assert supervision.keeping_record(described("")).resources == ()


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


def with_init(folder: Path, script: str) -> daemon.Daemon:
    step = daemon.Step(("sh", "-c", script), str(folder / "store.db"), str(folder / ".mkfs"))
    return dataclasses.replace(described(""), data_dir=str(folder), init=(step,))


@pytest.fixture
def any_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status = tmp_path.stat()
    ids = (status.st_uid, status.st_gid)
    monkeypatch.setattr(supervision.managed_file, "ids", lambda _owner: ids)
    monkeypatch.setattr(supervision, "_supervise", lambda _changes: None)


def made(one: daemon.Daemon) -> supervision.Changes:
    missing = frozenset({step.creates for step in one.init})
    changes = supervision.difference(state(one, missing=missing), [one])
    supervision.apply(changes, [one], 0)
    return changes


@pytest.mark.usefixtures("any_owner")
def test_data_made_aside_is_moved_into_its_place(tmp_path: Path) -> None:
    made(with_init(tmp_path, f"cd {tmp_path}/.mkfs && mkdir store.db && echo k > keyring"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keyring", "store.db"]


@pytest.mark.usefixtures("any_owner")
def test_data_whose_making_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / ".mkfs").mkdir()
    (tmp_path / ".mkfs" / "half").touch()
    with pytest.raises(supervision.HostError, match="rc 1"):
        made(with_init(tmp_path, f"touch {tmp_path}/.mkfs/store.db; exit 1"))
    assert not (tmp_path / "store.db").exists()
    made(with_init(tmp_path, f"touch {tmp_path}/.mkfs/store.db"))
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


def test_what_goes_before_a_start_runs_at_once_only_under_a_running_daemon(tmp_path: Path) -> None:
    step = daemon.Step(("true",), str(tmp_path / "keyring"))
    one = dataclasses.replace(described(""), before_start=(step,))
    missing = frozenset({step.creates})
    running = supervision.difference(state(one, missing=missing), [one])
    assert running.steps == [(one, step)]
    units = {one.unit: unit(active="inactive"), one.target: unit(), "ceph.target": unit()}
    stopped = supervision.difference(state(one, missing=missing, units=units), [one])
    assert stopped.steps == []


def test_a_unit_that_the_package_did_not_bring_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervision.program, "require", lambda _programs: None)
    one = described("")
    units = {one.unit: dataclasses.replace(unit(), loaded=False)}
    with pytest.raises(supervision.HostError, match=r"ceph-mgr@a\.service"):
        supervision.check(state(one, units=units), [one])


def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, active: str) -> None:
    """The daemon runs, or not, by an older description."""
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path))
    (tmp_path / "mgr.a.json").write_text('{"record": "old", "process": "old"}')
    shown = {described("").unit: unit(active)}
    monkeypatch.setattr(supervision.systemd, "show", lambda names: shown if names else {})


@pytest.mark.parametrize(
    ("active", "restart", "waits"),
    [("active", False, True), ("active", True, False), ("inactive", False, False)],
)
def test_only_one_that_runs_and_may_not_be_started_again_waits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    active: str,
    restart: bool,  # noqa: FBT001
    waits: bool,  # noqa: FBT001
) -> None:
    noted(tmp_path, monkeypatch, active)
    one = dataclasses.replace(described("new"), restart=restart)
    assert supervision.waiting([one]) == ([one] if waits else [])


def test_one_of_which_nothing_is_known_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "RECORDS", str(tmp_path))
    assert supervision.waiting([dataclasses.replace(described("new"), restart=False)]) == []
