"""Only zeros are blank, the end has to be readable, and clearing changes the head alone."""

import os
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import device_head


@pytest.mark.parametrize("size", [0, 4096, 4 << 20, 9 << 20])
def test_zeros_of_any_length_are_blank(tmp_path: Path, size: int) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(size))
    assert device_head.is_zero(str(path))


@pytest.mark.parametrize("size", [4096, 9 << 20])
def test_clearing_covers_the_head_alone(tmp_path: Path, size: int) -> None:
    path = tmp_path / "disk"
    path.write_bytes(b"\xff" * size)
    descriptor = os.open(path, os.O_RDWR)
    device_head.clear(descriptor)
    os.close(descriptor)
    head = min(size, 4 << 20)
    assert path.read_bytes() == bytes(head) + b"\xff" * (size - head)


def test_a_device_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        device_head.is_zero(str(tmp_path / "none"))


@pytest.mark.parametrize("size", [0, 4096, 4 << 20, (4 << 20) + 512])
def test_an_end_that_can_be_read(tmp_path: Path, size: int) -> None:
    path = tmp_path / "disk"
    path.write_bytes(b"\xff" * size)
    device_head.read_end(str(path))


@pytest.mark.parametrize("broken", [(8 << 20) - 512, (7 << 20), (7 << 20) + 4096])
def test_an_end_that_cannot_be_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    """A disk of 8 MiB with one bad sector, at any place of its last MiB."""
    path = tmp_path / "disk"
    path.touch()
    os.truncate(path, 8 << 20)
    whole = os.pread

    def pread(descriptor: int, count: int, position: int) -> bytes:
        if position <= broken < position + count:
            raise OSError(5, "Input/output error")
        return whole(descriptor, count, position)

    monkeypatch.setattr(os, "pread", pread)
    with pytest.raises(OSError, match="Input/output error"):
        device_head.read_end(str(path))


def test_an_end_that_gives_nothing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "disk"
    path.write_bytes(bytes(4096))
    monkeypatch.setattr(os, "pread", lambda *_arguments: b"")
    with pytest.raises(OSError, match="its end cannot be read: nothing at byte 0"):
        device_head.read_end(str(path))
