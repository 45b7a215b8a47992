"""The first bytes of a device: where whatever uses it begins, whether a tool knows its mark or not.

A device without a known signature may still hold something: a database on a raw disk, a file system
of another system, a container with a hidden header. Only zeros are blank. ceph-volume's own zap
clears more than this.
"""

from __future__ import annotations

import os

SIZE = 4 << 20
UNKNOWN = "data of no known kind"
_CHUNK = 1 << 18


def is_zero(path: str) -> bool:
    """Tell whether nothing but zeros is there; OSError when it cannot be read."""
    zeros = bytes(_CHUNK)
    with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - unbuffered
        for _turn in range(SIZE // _CHUNK):
            chunk = stream.read(_CHUNK)
            if chunk != zeros[: len(chunk)]:
                return False
    return True


def clear(descriptor: int) -> None:
    """Write zeros over it; whoever calls has proven that what is there is its own."""
    end = min(SIZE, os.lseek(descriptor, 0, os.SEEK_END))
    position = 0
    while position < end:
        zeros = bytes(min(_CHUNK, end - position))
        position += os.pwrite(descriptor, zeros, position)
    os.fsync(descriptor)
