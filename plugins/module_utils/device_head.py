"""Both ends of a device: where whatever uses it leaves its mark, whether a tool knows that or not.

A device without a known signature may still hold something: a database on a raw disk, a file system
of another system, a container with a hidden header. Only zeros are blank at its beginning.
ceph-volume's own zap clears more than this.

At its end RAID, ZFS and GPT keep what tells of them. Tools that cannot read it find nothing there
and call that success, so it is read here: what it holds is theirs to say, but it must be readable.
"""

from __future__ import annotations

import errno
import os

SIZE = 4 << 20
END = 1 << 20
UNKNOWN = "data of no known kind"
_CHUNK = 1 << 18


def forget(descriptor: int) -> None:
    """Have the next read come from the device, not from what the kernel remembers of it.

    It remembers as long as anybody has the device open, and does not hear what is written beneath:
    by another path to the same disk, by another host, by LVM.
    """
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def is_zero(path: str) -> bool:
    """Tell whether nothing but zeros is there; OSError when it cannot be read."""
    zeros = bytes(_CHUNK)
    with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - unbuffered
        for _turn in range(SIZE // _CHUNK):
            chunk = stream.read(_CHUNK)
            if chunk != zeros[: len(chunk)]:
                return False
    return True


def read_end(path: str) -> None:
    """Read what is there once; OSError when any of it cannot be read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        position = max(0, size - END)
        while position < size:
            chunk = os.pread(descriptor, min(_CHUNK, size - position), position)
            if not chunk:
                raise OSError(errno.EIO, f"its end cannot be read: nothing at byte {position}")
            position += len(chunk)
    finally:
        os.close(descriptor)


def clear(descriptor: int) -> None:
    """Write zeros over it; whoever calls has proven that what is there is its own."""
    end = min(SIZE, os.lseek(descriptor, 0, os.SEEK_END))
    position = 0
    while position < end:
        zeros = bytes(min(_CHUNK, end - position))
        position += os.pwrite(descriptor, zeros, position)
    os.fsync(descriptor)
