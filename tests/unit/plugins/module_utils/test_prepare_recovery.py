"""Settling an attempt: on files in the place of devices, each step cut off once."""

import os
from collections import Counter
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    ceph_volume,
    managed_file,
    prepare_records,
    prepare_recovery,
    prepare_verdict,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

from tests.unit.plugins.module_utils.test_bluestore_label import FSID, UUID, label

GIB = 1 << 30
SIZE = 2 * GIB
OTHER = "99999999-0000-4000-8000-000000000009"
META = {"ceph_fsid": FSID, "whoami": "4"}
UNFINISHED = label(META)
FINISHED = label({**META, "ready": "ready"})


class Osds:
    """A map that forgets what is purged."""

    def __init__(self, **known: prepare_verdict.Known) -> None:
        self.osds = {UUID: known["ours"]} if "ours" in known else {}
        self.purged: list[int] = []

    def known(self) -> dict[str, prepare_verdict.Known]:
        return dict(self.osds)

    def purge_new(self, osd_id: int) -> None:
        self.purged.append(osd_id)
        self.osds = {uuid: osd for uuid, osd in self.osds.items() if osd.id != osd_id}


class Host:
    def __init__(self, root: Path) -> None:
        self.disk, self.osds = root / "disk", root / "osd"
        self.osds.mkdir()
        self.disk.touch()
        os.truncate(self.disk, SIZE)
        self.record = prepare_records.write(str(self.disk), str(self.disk), SIZE, FSID, "raw")
        self.record.output.write_text(f"Running command: ceph -i - osd new {UUID}\n")

    def write(self, head: bytes, copy: bytes = b"") -> None:
        with self.disk.open("r+b") as stream:
            stream.write(head)
            stream.seek(GIB)
            stream.write(copy)

    def labels(self) -> tuple[bool, bool]:
        with self.disk.open("rb") as stream:
            head = any(stream.read(4096))
            stream.seek(GIB)
            return head, any(stream.read(4096))

    def folder(self, osd_id: int, uuid: str = "") -> Path:
        folder = self.osds / f"ceph-{osd_id}"
        folder.mkdir()
        (folder / "block").symlink_to(self.disk)
        if uuid:
            (folder / "fsid").write_text(uuid + "\n")
        return folder

    @property
    def is_forgotten(self) -> bool:
        return prepare_records.all_records() == []


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    monkeypatch.setattr(prepare_records, "FOLDER", tmp_path / "prepare")
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (-1, -1))
    monkeypatch.setattr(prepare_recovery, "OSDS", tmp_path / "osd")
    monkeypatch.setattr(prepare_recovery, "_SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(prepare_recovery.stat, "S_ISBLK", lambda _mode: True)
    monkeypatch.setattr(blank, "look", lambda path: blank.Look(path, path, type="disk", size=SIZE))
    monkeypatch.setattr(ceph_volume, "mounts", Counter)
    monkeypatch.setattr(program, "run", lambda *_arguments: "")
    return Host(tmp_path)


NEW = prepare_verdict.Known(4, new=True)


def test_a_cut_mkfs_is_cleared_away(host: Host) -> None:
    host.write(UNFINISHED, UNFINISHED)
    folder = host.folder(4)
    osds = Osds(ours=NEW)
    assert "was cut off" in prepare_recovery.settle(host.record, osds)
    assert osds.purged == [4]
    assert host.labels() == (False, False)
    assert not folder.exists()
    assert host.is_forgotten


def test_a_whole_osd_is_kept(host: Host) -> None:
    host.write(FINISHED, FINISHED)
    folder = host.folder(4, UUID)
    osds = Osds(ours=NEW)
    assert prepare_recovery.settle(host.record, osds) == "osd.4 is complete"
    assert osds.purged == []
    assert host.labels() == (True, True)
    assert folder.exists()
    assert host.is_forgotten


@pytest.mark.parametrize(
    ("head", "copy", "left"),
    [
        (UNFINISHED[:200].ljust(4096, b"\0"), b"", (False, False)),  # torn: the uuid still tells
        (bytes(4096), UNFINISHED, (False, False)),  # only a copy is left
        (UNFINISHED, label(uuid=OTHER), (False, True)),  # a copy of an older OSD
    ],
)
def test_what_bears_our_uuid_goes_and_nothing_else(
    host: Host, head: bytes, copy: bytes, left: tuple[bool, bool]
) -> None:
    host.write(head, copy)
    prepare_recovery.settle(host.record, Osds(ours=NEW))
    assert host.labels() == left


@pytest.mark.parametrize("head", [label(uuid=OTHER), label(META, uuid=OTHER), b"\x53\xef" * 2048])
def test_foreign_bytes_stay(host: Host, head: bytes) -> None:
    host.write(head)
    before = host.disk.stat().st_mtime_ns
    osds = Osds(ours=NEW)
    prepare_recovery.settle(host.record, osds)
    assert osds.purged == [4]
    assert host.disk.stat().st_mtime_ns == before


def test_another_size_is_another_disk(host: Host) -> None:
    host.write(UNFINISHED)
    os.truncate(host.disk, SIZE * 2)
    osds = Osds(ours=NEW)
    assert prepare_recovery.settle(host.record, osds) == "its device is not here"
    assert (osds.purged, host.labels(), host.is_forgotten) == ([], (True, False), False)


def test_a_disk_that_was_pulled_is_waited_for(host: Host) -> None:
    host.disk.unlink()
    assert prepare_recovery.settle(host.record, Osds(ours=NEW)) == "its device is not here"
    assert not host.is_forgotten


def test_a_cut_at_any_step_is_made_up_for(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.write(UNFINISHED, UNFINISHED)
    osds = Osds(ours=NEW)
    real, writes = os.pwrite, []

    def cut(descriptor: int, data: bytes, position: int) -> int:
        writes.append(position)
        if len(writes) == 2:
            raise KeyboardInterrupt
        return real(descriptor, data, position)

    monkeypatch.setattr(os, "pwrite", cut)
    with pytest.raises(KeyboardInterrupt):
        prepare_recovery.settle(host.record, osds)
    assert writes == [GIB, 0]  # the head is the proof for the copies: it goes last
    assert (host.labels(), host.is_forgotten) == ((True, False), False)
    prepare_recovery.settle(host.record, osds)
    assert (osds.purged, host.labels(), host.is_forgotten) == ([4], (False, False), True)


def test_a_device_in_use_is_left(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.write(UNFINISHED)

    def busy(*_arguments: object) -> int:
        raise OSError(16, "Device or resource busy")

    (told,) = _recover_with(host, monkeypatch, busy)
    assert told.endswith("something has it open for itself, so it stays")
    assert (host.labels()[0], host.is_forgotten) == (True, False)


def test_a_device_that_cannot_be_read_is_told_and_left(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_device: str) -> tuple[str, bool]:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(prepare_recovery, "_label", fail)
    (told,) = prepare_recovery.recover(FSID, Osds(ours=NEW), [host.record])
    assert told == f"{host.disk}: [Errno 5] Input/output error"
    assert not host.is_forgotten


def _recover_with(host: Host, monkeypatch: pytest.MonkeyPatch, refuse: object) -> list[str]:
    real = os.open
    with monkeypatch.context() as patch:
        patch.setattr(
            os,
            "open",
            lambda path, flags, *rest: (refuse if flags & os.O_EXCL else real)(path, flags, *rest),
        )
        return prepare_recovery.recover(FSID, Osds(ours=NEW), [host.record])


def test_an_attempt_of_another_cluster_is_not_ours_to_settle(host: Host) -> None:
    host.write(UNFINISHED)
    assert prepare_recovery.recover(OTHER, Osds(ours=NEW), [host.record]) == []
    assert not host.is_forgotten


def test_what_still_runs_is_waited_for(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = tmp_path / "proc" / "77"
    process.mkdir(parents=True)
    (process / "cmdline").write_bytes(b"/usr/bin/ceph-osd\0--mkfs\0--osd-uuid\0" + UUID.encode())
    monkeypatch.setattr(prepare_recovery, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(prepare_recovery, "_BUSY_SECONDS", 0.0)
    monkeypatch.setattr(prepare_recovery, "_PAUSE", 0.01)
    with pytest.raises(HostError, match=r"still runs: ceph-osd \(77\)"):
        prepare_recovery.settle(host.record, Osds(ours=NEW))


def test_folders_of_others_stay(host: Host) -> None:
    mine, other, plain = host.folder(4, UUID), host.folder(5, OTHER), host.osds / "ceph-6"
    plain.mkdir()
    prepare_recovery.clear_folders([UUID], [UUID], str(host.disk))
    assert (mine.exists(), other.exists(), plain.exists()) == (False, True, True)


def test_a_tmpfs_is_unmounted_first(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = host.folder(4, UUID)
    unmounted: list[str] = []
    monkeypatch.setattr(ceph_volume, "mounts", lambda: Counter([str(folder)]))
    monkeypatch.setattr(ceph_volume, "unmount", lambda path, *_options: unmounted.append(path))
    prepare_recovery.clear_folders([UUID], [], str(host.disk))
    assert unmounted == [str(folder)]
    assert folder.exists()  # the OSD is whole: its start fills the folder anew
