from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    keyring,
    managed_file,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_keyring

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="


@pytest.fixture(autouse=True)
def any_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status = tmp_path.stat()
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (status.st_uid, status.st_gid))


def entry(folder: Path, **more: str) -> dict[str, str]:
    return {"path": str(folder / "ceph-a" / "keyring"), "entity": "mgr.a", "key": KEY, **more}


def test_file_and_folder_are_made_and_then_left_alone(run, tmp_path: Path) -> None:
    result = run(ceph_keyring, keyrings=[entry(tmp_path)])
    path = tmp_path / "ceph-a" / "keyring"
    assert result["written"] == [str(path)]
    assert keyring.key_of(path.read_text(), "mgr.a") == KEY
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o750
    assert run(ceph_keyring, keyrings=[entry(tmp_path)])["changed"] is False


def test_a_mode_that_others_can_read_is_repaired(run, tmp_path: Path) -> None:
    run(ceph_keyring, keyrings=[entry(tmp_path)])
    path = tmp_path / "ceph-a" / "keyring"
    path.chmod(0o644)
    assert run(ceph_keyring, keyrings=[entry(tmp_path)])["changed"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_keys_are_neither_in_the_diff_nor_in_the_result(run, tmp_path: Path) -> None:
    path = tmp_path / "ceph-a" / "keyring"
    path.parent.mkdir()
    path.write_text(keyring.render("mgr.a", KEY.replace("MARKER", "BEFORE")))
    result = run(ceph_keyring, keyrings=[entry(tmp_path)])
    assert result["changed"]
    assert "SYNTHETIC" not in str(result)


def test_a_file_that_must_go(run, tmp_path: Path) -> None:
    run(ceph_keyring, keyrings=[entry(tmp_path)])
    absent = [entry(tmp_path, state="absent", key="")]
    assert run(ceph_keyring, keyrings=absent)["removed"] == [entry(tmp_path)["path"]]
    assert run(ceph_keyring, keyrings=absent)["changed"] is False


def test_check_mode_takes_a_key_that_is_not_made_yet(run, tmp_path: Path) -> None:
    assert run(ceph_keyring, check=True, keyrings=[entry(tmp_path, key="")])["changed"]
    assert list(tmp_path.iterdir()) == []


def test_without_a_key_nothing_is_written(run, tmp_path: Path) -> None:
    assert "no key given" in run(ceph_keyring, keyrings=[entry(tmp_path, key="")])["msg"]


def test_a_missing_program_stops_it(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_PATH", str(tmp_path))
    result = run(ceph_keyring, keyrings=[entry(tmp_path)], programs=["ceph-mgr"])
    assert "install ceph-mgr" in result["msg"]
    assert list(tmp_path.iterdir()) == []
