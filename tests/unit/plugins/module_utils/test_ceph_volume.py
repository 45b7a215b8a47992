"""Running ceph-volume: a program in its place that writes, fails, logs keys or is slow."""

import os
import stat
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_volume,
    managed_file,
    program,
)

KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="
FAILED = """Running command: /usr/bin/ceph -i - osd new cb5c1ebe-35a9-4f40-b663-4ca94e5324cf
Running command: /usr/bin/chown -R ceph:ceph /dev/sdb
Running command: /usr/bin/ceph-osd --mkfs -i 1
 stderr: the disk is on fire
--> Was unable to complete a new OSD, will rollback changes
Running command: /usr/bin/ceph osd purge-new osd.1 --yes-i-really-mean-it
 stderr: Error EACCES: access denied
"""


class Program:
    def __init__(self, root: Path) -> None:
        self.bin, self.log, self.private = root / "bin", root / "log", root / "run"
        self.output = root / "output"
        self.bin.mkdir()
        self.log.mkdir()

    def says(self, script: str) -> None:
        path = self.bin / "ceph-volume"
        path.write_text("#!/bin/sh\n" + textwrap.dedent(script))
        path.chmod(0o755)

    def prepare(self, **environment: str) -> None:
        ceph_volume.prepare(["raw", "prepare"], environment, self.output, [])


@pytest.fixture
def volume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    made = Program(tmp_path)
    monkeypatch.setattr(program, "_PATH", f"{made.bin}:/usr/bin:/bin")
    monkeypatch.setenv("PATH", f"{made.bin}:/usr/bin:/bin")
    monkeypatch.setattr(ceph_volume, "_LOG", made.log / "ceph-volume.log")
    monkeypatch.setattr(ceph_volume, "_PRIVATE", made.private)
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (-1, -1))
    monkeypatch.setattr(ceph_volume, "mounts", Counter)
    return made


def test_its_words_are_in_the_file(volume: Program) -> None:
    volume.says('echo "$@"; echo "$LOOP" >&2')
    volume.prepare(LOOP="1")
    words = volume.output.read_text()
    assert words.startswith("--log-path ")
    assert words.endswith(" raw prepare\n1\n")
    assert stat.S_IMODE(volume.output.stat().st_mode) == 0o600


def test_its_words_are_on_the_disk_while_it_runs(
    volume: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        synced.append(volume.output.read_text())

    monkeypatch.setattr(os, "fsync", fsync)
    volume.says("echo osd new; sleep 0.3; echo more; sleep 0.1")
    volume.prepare()
    assert synced[0] == "osd new\n"


def test_a_failure_tells_the_last_command_and_what_went_wrong(volume: Program) -> None:
    volume.says(f"cat <<'END'\n{FAILED}END\nexit 1")
    with pytest.raises(ceph_volume.CephVolumeError) as caught:
        volume.prepare()
    assert str(caught.value) == (
        "ceph-volume could not prepare it: Running command: /usr/bin/ceph-osd --mkfs -i 1\n"
        " stderr: the disk is on fire"
    )


def test_a_failure_without_commands(volume: Program) -> None:
    assert ceph_volume.essence("\nusage: ceph-volume\n") == "usage: ceph-volume"


def test_its_log_is_kept_without_keys(volume: Program) -> None:
    volume.says(f'echo "stdout {KEY}" > "$2/ceph-volume.log"')
    volume.prepare()
    volume.prepare()
    log = volume.log / "ceph-volume.log"
    assert log.read_text() == "stdout ********\n" * 2
    assert stat.S_IMODE(log.stat().st_mode) == 0o640
    assert list(volume.private.iterdir()) == []
    assert stat.S_IMODE(volume.private.stat().st_mode) == 0o700


def test_the_log_of_a_run_that_was_cut_off_is_swept(volume: Program) -> None:
    left = volume.private / "log-abc"
    left.mkdir(parents=True)
    (left / "ceph-volume.log").write_text(f"key {KEY}\n")
    ceph_volume.sweep()
    assert KEY not in (volume.log / "ceph-volume.log").read_text()
    assert not left.exists()


def test_one_that_never_ends_is_ended(volume: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceph_volume, "_SECONDS", 0.1)
    volume.says("exec sleep 60")
    with pytest.raises(ceph_volume.CephVolumeError, match="not finished after"):
        volume.prepare()


def test_it_keeps_what_it_inherits(volume: Program, tmp_path: Path) -> None:
    lock = (tmp_path / "lock").open("w")
    volume.says(f"readlink /proc/self/fd/{lock.fileno()}")
    with lock:
        ceph_volume.prepare([], {}, volume.output, [lock.fileno()])
    assert volume.output.read_text().strip() == str(tmp_path / "lock")


def test_a_report_is_standard_output_alone(volume: Program) -> None:
    volume.says("echo '[]'; echo warning >&2")
    assert ceph_volume.report(["lvm", "batch", "--report"], {}) == "[]\n"


@pytest.mark.parametrize("before", [[], ["/var/lib/ceph/osd/ceph-0", "/var/lib/ceph/osd/ceph-1"]])
def test_the_tmpfs_that_it_leaves_is_unmounted(
    volume: Program, monkeypatch: pytest.MonkeyPatch, before: list[str]
) -> None:
    states = iter([Counter(before), Counter([*before, "/var/lib/ceph/osd/ceph-1"])])
    unmounted: list[tuple[str, ...]] = []
    monkeypatch.setattr(ceph_volume, "mounts", lambda: next(states))
    monkeypatch.setattr(ceph_volume, "unmount", lambda *words: unmounted.append(words))
    volume.says("exit 0")
    volume.prepare()
    assert unmounted == [("/var/lib/ceph/osd/ceph-1", "--lazy")]


def test_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "tmpfs /var/lib/ceph/osd/ceph-1 tmpfs rw 0 0\n"
        "tmpfs /var/lib/ceph/osd/ceph-1 tmpfs rw 0 0\n"
        "/dev/sda /var/lib/ceph/osd/ceph-2 ext4 rw 0 0\ntmpfs /run tmpfs rw 0 0\n"
    )
    monkeypatch.setattr(managed_file, "read", lambda _path: text)
    assert ceph_volume.mounts() == {"/var/lib/ceph/osd/ceph-1": 2}
