from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_install, child


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ceph_install, "_PATH", str(tmp_path))
    return tmp_path


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_the_release_stands_in_the_ceph_script(programs: Path) -> None:
    put(
        programs,
        "ceph",
        '#!/usr/bin/python3\nCEPH_GIT_VER = "7f79"\nCEPH_GIT_NICE_VER = "20.2.4"\n',
    )
    assert ceph_install.version([]) == "20.2.4"
    assert ceph_install.programs() == ["ceph"]


def test_a_script_without_release_makes_a_daemon_tell(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(programs, "ceph", 'CEPH_GIT_NICE_VER = "Development"\n')
    put(programs, "ceph-mon", "")
    said = "ceph version 16.2.15 (618f) pacific (stable)\n"
    monkeypatch.setattr(child, "output", lambda _command, _seconds: (0, said, ""))
    assert ceph_install.version([]) == "16.2.15"


def test_nothing_installed(programs: Path) -> None:
    assert (ceph_install.version([]), ceph_install.programs()) == ("", [])


def test_the_conf_names_the_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conf, errors = tmp_path / "ceph.conf", []
    monkeypatch.setattr(ceph_install, "CONF", conf)
    nothing = {"fsid": "", "mon_host": "", "crush_location": "", "present": False}
    assert ceph_install.conf(errors) == nothing
    conf.write_bytes(b"[global]\nfsid = x\nmon host = 10.0.0.1\nnote = \xff\n")
    named = {"fsid": "x", "mon_host": "10.0.0.1", "present": True}
    assert ceph_install.conf(errors) == {**nothing, **named}
    conf.write_text("[osd]\ncrush location = root=default host=a\n")
    placed = {**nothing, "present": True, "crush_location": "root=default host=a"}
    assert ceph_install.conf(errors) == placed
    assert errors == []


def test_an_unreadable_conf_is_not_an_absent_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[str] = []
    monkeypatch.setattr(ceph_install, "CONF", tmp_path)
    found = ceph_install.conf(errors)
    assert (found["present"], found["crush_location"]) == (True, None)
    assert errors == [f"{tmp_path}: Is a directory"]


def test_a_program_that_hangs_is_named(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def output(_command: list[str], _seconds: float) -> tuple[int, str, str]:
        raise TimeoutError("no answer within 5 s")

    errors: list[str] = []
    put(programs, "ceph-osd", "")
    monkeypatch.setattr(child, "output", output)
    assert ceph_install.version(errors) == ""
    assert errors == ["version of Ceph: no answer within 5 s"]
