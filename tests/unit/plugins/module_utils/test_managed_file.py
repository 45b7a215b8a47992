from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import managed_file
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import (
    HostError,
    ManagedFile,
)


@pytest.fixture(autouse=True)
def any_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status = tmp_path.stat()
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (status.st_uid, status.st_gid))


def test_a_file_differs_by_absence_text_or_mode(tmp_path: Path) -> None:
    file = ManagedFile(str(tmp_path / "deep" / "x"), "text\n", 0o640)
    assert managed_file.difference([file]) == [file]
    managed_file.write(file)
    assert managed_file.difference([file]) == []
    Path(file.path).chmod(0o600)
    assert managed_file.difference([file]) == [file]
    managed_file.write(file)
    Path(file.path).write_text("other\n")
    assert managed_file.difference([file]) == [file]


def test_a_password_of_others_in_a_file_is_in_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "ceph.conf"
    path.write_text("[client.rgw]\nrgw_keystone_admin_password = hunter2\n")
    changes = [managed_file.conf_file(str(path), {"global": {"fsid": "f"}})]
    (shown,) = managed_file.diff(changes)
    assert "hunter2" not in str(shown)
    assert (shown["before"] == shown["after"], "fsid = f" in shown["after"]) == (False, True)
    managed_file.write(changes[0])
    assert "rgw_keystone_admin_password = hunter2\n" in path.read_text()


def test_no_half_written_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    monkeypatch.setattr(managed_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        managed_file.write(ManagedFile(str(path), "new"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["x"]
    assert path.read_text() == "old"


def test_mode_of_a_kept_file_is_its_owner_s_affair(tmp_path: Path) -> None:
    path = tmp_path / "ceph.conf"
    path.write_text("[global]\n")
    path.chmod(0o640)
    file = managed_file.conf_file(str(path), {"global": {"fsid": "f"}})
    managed_file.write(file)
    assert path.stat().st_mode & 0o777 == 0o640
    assert managed_file.difference([file]) == []


def test_a_setting_without_a_value_leaves_its_line_alone(tmp_path: Path) -> None:
    path = tmp_path / "ceph.conf"
    path.write_text("[global]\npublic_network = 192.0.2.0/24\n")
    settings = {"global": {"public_network": "", "fsid": "f"}, "osd": None}
    text = managed_file.conf_file(str(path), settings).content
    assert text == "[global]\npublic_network = 192.0.2.0/24\nfsid = f\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[osd]\ncrush_location = root=default host=a\n"),
        ("[osd]\ncrush location = root=default host=a zone=z\n", None),
        ("[osd]\nnote = 1\n", "[osd]\nnote = 1\ncrush_location = root=default host=a\n"),
    ],
    ids=["no-file", "another", "no-line"],
)
def test_a_default_is_written_where_nothing_else_is_said(
    tmp_path: Path, before: str, after: str | None
) -> None:
    path = tmp_path / "ceph.conf"
    path.write_text(before)
    defaults = {"osd": {"crush_location": "root=default host=a"}}
    found = managed_file.conf_file(str(path), {"osd": {"crush_location": ""}}, defaults).content
    assert found == (before if after is None else after)


def test_an_existing_folder_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    managed_file.make_folder(str(tmp_path), "ceph", 0o750)
    assert tmp_path.stat().st_mode & 0o777 == 0o711


def test_a_missing_user_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(HostError, match="install the package ceph-common"):
        managed_file.ids("nobody-of-that-name")


def test_the_diff_hides_keys(tmp_path: Path) -> None:
    path = tmp_path / "keyring"
    path.write_text("key = AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA==\n")
    shown = managed_file.diff([ManagedFile(str(path), path.read_text().replace("AQ", "Ag"))])
    assert "SYNTHETIC" not in str(shown)
