"""Clears a device that holds an OSD of one cluster, and no other: Rook's sanitizeDisks.

The label at the head is the proof whose data this is, so it goes last: a clearing that was cut off
anywhere is begun again by whoever finds the label. It is read on the very descriptor that is then
written, which nobody else gets meanwhile: the kernel keeps off who asks for the device alone, and
BlueStore's own lock an OSD.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    device_lock,
    label_copies,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator

QUICK, COMPLETE = "quick", "complete"
ZERO, RANDOM = "zero", "random"
_HEAD = 10 << 20
_TAIL = 1 << 20
_CHUNK = 4 << 20


@dataclass(frozen=True)
class Owner:
    """Whose labels may be cleared: those of a cluster, and half-made ones that name none yet."""

    fsid: str
    unfinished: frozenset[str] = frozenset()  # uuids that our own preparations asked Ceph for

    def owns(self, label: bluestore_label.Label) -> bool:
        if not label.fsid:  # as of a DB's device: to have no fsid is nobody's mark
            return label.osd_uuid in self.unfinished
        return label.fsid == self.fsid


@dataclass(frozen=True)
class Way:
    """How a device is cleared: as a whole or where it matters, with what, how many times."""

    method: str = QUICK
    data_source: str = ZERO
    iteration: int = 1


@dataclass(frozen=True)
class Verdict:
    """What is to be done with a device: cleared, nothing (it is clear), or why not."""

    path: str
    device: str
    clear: bool = False
    refusal: str = ""


def judge(seen: blank.Look, owner: Owner) -> Verdict:
    """Pure: only a device that says itself that it is an OSD of the owner is cleared."""
    if seen.problem:
        return Verdict(seen.path, seen.device, refusal=seen.problem)
    if seen.label is None:
        held = blank.refusal(seen, allow_loop=True)
        refusal = f"it shows no OSD of the cluster {owner.fsid}: {held}" if held else ""
        return Verdict(seen.path, seen.device, refusal=refusal)
    refusal = next(_hindrances(seen, owner), "")
    return Verdict(seen.path, seen.device, clear=not refusal, refusal=refusal)


def _hindrances(seen: blank.Look, owner: Owner) -> Iterator[str]:
    if seen.label and not owner.owns(seen.label):
        whose = f"of the cluster {seen.label.fsid}" if seen.label.fsid else "of no cluster"
        yield f"it holds the OSD {seen.label.osd_uuid} {whose}, not of {owner.fsid}"
    yield from blank.taken(seen)


def clear(device: str, owner: Owner, way: Way) -> None:
    """Overwrite the device; HostError when it is not what it was judged to be, or is in use."""
    descriptor = device_lock.opened(device)
    try:
        _make_sure(descriptor, device, owner)
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if way.method == COMPLETE:
            for _turn in range(max(1, way.iteration)):
                _fill(descriptor, bluestore_label.BLOCK, size, way.data_source)
        for start, end in _marks(size):
            _fill(descriptor, start, end, ZERO)
        _fill(descriptor, 0, min(bluestore_label.BLOCK, size), ZERO)
    except OSError as error:
        raise HostError(f"{device}: cannot be cleared: {error.strerror}") from None
    finally:
        os.close(descriptor)


def _make_sure(descriptor: int, device: str, owner: Owner) -> None:
    try:
        label = bluestore_label.parse(os.pread(descriptor, bluestore_label.BLOCK, 0))
    except bluestore_label.LabelError as error:
        raise HostError(f"{device}: {error}, so it stays") from None
    if label is None or not owner.owns(label):
        found = f"is of {label.fsid or 'no cluster'}" if label else "is gone"
        raise HostError(f"{device}: its label {found} now, not of {owner.fsid}, so it stays")


def _marks(size: int) -> Iterator[tuple[int, int]]:
    """Where signatures and labels stand, but for the first of them."""
    for position in label_copies.POSITIONS:
        if position < size:
            yield position, min(position + bluestore_label.BLOCK, size)
    if size > _TAIL:
        yield size - _TAIL, size
    yield bluestore_label.BLOCK, min(_HEAD, size)


def _fill(descriptor: int, start: int, end: int, source: str) -> None:
    zeros = bytes(_CHUNK)
    position = start
    while position < end:
        count = min(_CHUNK, end - position)
        data = os.urandom(count) if source == RANDOM else zeros[:count]
        position += os.pwrite(descriptor, data, position)
    os.fsync(descriptor)
