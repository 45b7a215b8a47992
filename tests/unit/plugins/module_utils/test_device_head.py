"""Only zeros are blank, and clearing leaves zeros and nothing else changed."""

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
