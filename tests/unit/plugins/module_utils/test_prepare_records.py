"""Records of preparations, and what ceph-volume's own words tell."""

import json
import stat
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    managed_file,
    prepare_records,
)

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
UUID = "cb5c1ebe-35a9-4f40-b663-4ca94e5324cf"
GROUP = "ceph-6f2b1c1e-7d5f-4a53-b1c3-cc9e4d9be7a1"

# As Ceph 20 and, with less of the last, Ceph 16 write it.
RAW = f"""Running command: /usr/bin/ceph --cluster ceph --name client.bootstrap-osd \
--keyring /var/lib/ceph/bootstrap-osd/ceph.keyring -i - osd new {UUID}
Running command: /usr/bin/mount -t tmpfs tmpfs /var/lib/ceph/osd/ceph-1
Running command: /usr/bin/ln -s /dev/loop42 /var/lib/ceph/osd/ceph-1/block
"""
LVM = f"""{RAW}Running command: nsenter --mount=/rootfs/proc/1/ns/mnt /usr/sbin/vgcreate --force \
--yes {GROUP} /dev/sdb
 stdout: Physical volume "/dev/sdb" successfully created.
Running command: lvcreate --yes -l 76799 -n osd-block-{UUID} {GROUP}
Running command: lvcreate --yes -l 100 -n osd-db-77777777-0000-4000-8000-000000000007 ceph-db
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(prepare_records, "FOLDER", tmp_path / "prepare")
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (-1, -1))
    return tmp_path / "prepare"


def record() -> prepare_records.Record:
    return prepare_records.write("/dev/disk/by-id/x", "/dev/sdb", 6 << 30, FSID, "raw")


def test_a_record_is_read_as_it_was_written(folder: Path) -> None:
    written = record()
    assert prepare_records.all_records() == [written]
    assert stat.S_IMODE(written.path.stat().st_mode) == 0o600
    assert json.loads(json.dumps(written.result()))["uuids"] == []


def test_the_osd_is_known_from_the_words(folder: Path) -> None:
    written = record()
    written.output.write_text(RAW)
    assert written.uuids() == (UUID,)
    assert (written.groups(), written.volumes()) == ((), ())


def test_groups_and_volumes_are_known_from_the_words(folder: Path) -> None:
    written = record()
    written.output.write_text(LVM)
    assert written.groups() == (GROUP,)
    assert written.volumes() == (
        f"{GROUP}/osd-block-{UUID}",
        "ceph-db/osd-db-77777777-0000-4000-8000-000000000007",
    )


def test_words_that_were_cut_off_name_nothing(folder: Path) -> None:
    written = record()
    written.output.write_text(RAW[: RAW.index(UUID) + 20])
    assert written.uuids() == ()


def test_forgetting_leaves_nothing(folder: Path) -> None:
    written = record()
    written.output.write_text(RAW)
    prepare_records.forget(written)
    prepare_records.forget(written)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"by_id": "x", "size": "y"}'])
def test_what_is_no_record_says_nothing(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "odd.json").write_text(text)
    assert prepare_records.all_records() == []


def test_the_device_is_what_the_link_leads_to_now(tmp_path: Path) -> None:
    (tmp_path / "sdc").touch()
    (tmp_path / "link").symlink_to(tmp_path / "sdc")
    moved = prepare_records.Record("x", str(tmp_path / "link"), "/dev/sdb", 1, FSID)
    assert moved.device_now() == str(tmp_path / "sdc")
