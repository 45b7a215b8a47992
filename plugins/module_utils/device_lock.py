"""Locks of devices as BlueStore takes them: an OSD that runs is known by the one that it holds.

Not every release of Ceph opens its devices with O_EXCL, by which the kernel keeps others away. The
lock is one of the open file (OFD), in older releases one of flock(2). Of the latter a shared one is
taken here: udev may have that at any time, and an OSD never.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

_GETLK, _SETLK = 36, 37  # F_OFD_*: Python has the names since 3.9
_FLOCK = struct.Struct("hhqqi4x")  # struct flock: type, whence, start, length, pid
_HELD = frozenset({errno.EAGAIN, errno.EACCES})


def opened(device: str) -> int:
    """Open a device to write it, with nobody else at it; HostError when that cannot be had."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise HostError(f"{device}: something has it open for itself, so it stays") from None
        raise HostError(f"{device}: cannot be opened: {error.strerror}") from None
    try:
        _lock(descriptor, device)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, device: str) -> None:
    """Take the locks that an OSD would need; they end with the descriptor."""
    try:
        fcntl.fcntl(descriptor, _SETLK, _whole_device())
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            raise HostError(f"{device}: an OSD runs on it, so it stays") from None
        raise HostError(f"{device}: cannot be locked: {error.strerror}") from None


def is_held(descriptor: int) -> bool:
    """Say whether somebody else has locked it as an OSD does."""
    answer = fcntl.fcntl(descriptor, _GETLK, _whole_device())
    if _FLOCK.unpack(answer)[0] != fcntl.F_UNLCK:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def is_running(device: str) -> bool:
    """Say whether an OSD runs on a device; on one that is not there none does."""
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return is_held(descriptor)
        finally:
            os.close(descriptor)
    return False


def _whole_device() -> bytes:
    return _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
