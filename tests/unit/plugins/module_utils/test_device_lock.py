"""A device on which an OSD runs is known by BlueStore's lock, here one of another descriptor."""

import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import device_lock
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    (tmp_path / "sdb").write_bytes(b"data")
    return tmp_path / "sdb"


@pytest.fixture(params=["OFD", "flock"])
def osd(request: pytest.FixtureRequest, disk: Path) -> Iterator[int]:
    """What KernelDevice::_lock of Ceph does, new and old."""
    descriptor = os.open(disk, os.O_RDWR)
    if request.param == "OFD":
        whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, whole)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    yield descriptor
    os.close(descriptor)


def test_a_device_of_nobody_is_had(disk: Path) -> None:
    assert not device_lock.is_running(str(disk))
    descriptor = device_lock.opened(str(disk))
    assert device_lock.is_running(str(disk))
    os.close(descriptor)
    assert not device_lock.is_running(str(disk))


@pytest.mark.usefixtures("osd")
def test_a_device_on_which_an_osd_runs_is_not(disk: Path) -> None:
    assert device_lock.is_running(str(disk))
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(HostError, match="sdb: an OSD runs on it, so it stays"):
        device_lock.opened(str(disk))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_udev_that_reads_a_device_is_no_osd(disk: Path) -> None:
    udev = os.open(disk, os.O_RDONLY)
    fcntl.flock(udev, fcntl.LOCK_SH)
    assert not device_lock.is_running(str(disk))
    os.close(device_lock.opened(str(disk)))
    os.close(udev)


def test_nothing_runs_on_a_device_that_is_not_there(tmp_path: Path) -> None:
    assert not device_lock.is_running(str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (16, "something has it open for itself, so it stays"),
        (30, "cannot be opened: Read-only file system"),
    ],
)
def test_what_the_kernel_refuses(monkeypatch: pytest.MonkeyPatch, number: int, words: str) -> None:
    def refuse(*_arguments: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(HostError, match=words):
        device_lock.opened("/dev/sdb")


def test_a_lock_that_cannot_be_asked_for_is_no_leave_to_write(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> bytes:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with pytest.raises(HostError, match="cannot be locked: Invalid argument"):
        device_lock.opened(str(disk))
    with pytest.raises(OSError, match="Invalid argument"):
        device_lock.is_running(str(disk))
