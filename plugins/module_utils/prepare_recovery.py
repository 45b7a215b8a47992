"""Finishes or clears away a preparation that was cut off, or that failed.

The verdict is `prepare_verdict`'s; this looks, and acts in an order that can be cut off again: the
number is given back first, the head of the device goes after its copies, the record goes last.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    ceph_volume,
    device_head,
    device_lock,
    label_copies,
    managed_file,
    prepare_records,
    prepare_verdict,
    prepare_volumes,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

OSDS = Path("/var/lib/ceph/osd")
_PROC = Path("/proc")
_BUSY_SECONDS = 60.0
_PAUSE = 0.5
_SETTLE_SECONDS = 1.0
_UDEV_SECONDS = 10.0


class Map(Protocol):
    """Ceph's map of OSDs, as far as it matters here."""

    def known(self) -> dict[str, prepare_verdict.Known]:
        """Give the OSDs by uuid."""

    def purge_new(self, osd_id: int) -> None:
        """Give back a number; Ceph refuses it for an OSD that has ever been up."""


def settle(record: prepare_records.Record, osds: Map) -> str:
    """Bring one attempt to an end; give what was found, in words."""
    uuids = record.uuids()
    _wait_for_processes(uuids)
    known = _known(uuids, osds)
    if record.mode == "raw":
        verdict = prepare_verdict.decide(uuids, look(record), known)
    else:
        verdict = prepare_volumes.settled(record, known)
    for osd_id in verdict.purge:
        osds.purge_new(osd_id)
    clear_folders(uuids, verdict.dead, record.device_now())
    if verdict.wipe:
        wipe(record.device_now(), uuids)
    if not verdict.keep:
        prepare_records.forget(record)
    return verdict.why


def _known(uuids: Collection[str], osds: Map) -> dict[str, prepare_verdict.Known]:
    """Ask again when one is missing: what was asked for last may not be in the map yet."""
    known = osds.known()
    if all(uuid in known for uuid in uuids):
        return known
    time.sleep(_SETTLE_SECONDS)
    return osds.known()


def look(record: prepare_records.Record) -> prepare_verdict.Found:
    """See what is on the record's device; the device is the same if its link and size are."""
    device = record.device_now()
    try:
        if not stat.S_ISBLK(Path(device).stat().st_mode) or _size(device) != record.size:
            return prepare_verdict.Found(present=False)
    except FileNotFoundError:
        return prepare_verdict.Found(present=False)
    uuid, finished = _label(device)
    if uuid:
        return prepare_verdict.Found(uuid=uuid, finished=finished)
    seen = blank.look(device)
    return prepare_verdict.Found(blank=not blank.refusal(seen, allow_loop=True))


def _size(device: str) -> int:
    with open(device, "rb", buffering=0) as stream:  # noqa: PTH123 - unbuffered
        return stream.seek(0, os.SEEK_END)


def _label(device: str) -> tuple[str, bool]:
    """Give the uuid of the label, or else of a copy, and whether mkfs was finished."""
    with open(device, "rb", buffering=0) as stream:  # noqa: PTH123 - unbuffered
        head = stream.read(bluestore_label.BLOCK)
    uuid = bluestore_label.uuid_of(head)
    if uuid:
        with contextlib.suppress(bluestore_label.LabelError):
            label = bluestore_label.parse(head)
            return uuid, label is not None and label.finished
        return uuid, False
    for copy in label_copies.find(device):
        if copy.uuid:
            return copy.uuid, False
    return "", False


def wipe(device: str, uuids: Collection[str]) -> None:
    """Remove labels that bear one of our uuids; the head last, as it is the proof for the rest.

    With the head goes what mkfs wrote behind it, or the device would not be blank again.
    """
    descriptor = device_lock.opened(device)
    try:
        for position in reversed(label_copies.POSITIONS):
            if _bears(descriptor, position, uuids):
                os.pwrite(descriptor, bytes(bluestore_label.BLOCK), position)
                os.fsync(descriptor)
        if _bears(descriptor, 0, uuids):
            device_head.clear(descriptor)
    finally:
        os.close(descriptor)
    with contextlib.suppress(HostError):  # or the next look sees what udev remembers
        program.run(["udevadm", "trigger", "--settle", device], _UDEV_SECONDS)


def _bears(descriptor: int, position: int, uuids: Collection[str]) -> bool:
    block = os.pread(descriptor, bluestore_label.BLOCK, position)
    return bluestore_label.uuid_of(block) in uuids


def clear_folders(uuids: Collection[str], dead: Collection[str], device: str) -> None:
    """Remove what attempts left under /var/lib/ceph/osd; a tmpfs there hides the real folder.

    Of an OSD that is whole only the tmpfs goes, unless the OSD runs in it already.
    """
    for folder in _folders():
        for _turn in range(ceph_volume.mounts()[str(folder)]):
            if _is_of_attempt(folder, uuids, device):
                with contextlib.suppress(HostError):
                    ceph_volume.unmount(str(folder))
    for folder in _folders():
        if not os.path.ismount(folder) and dead and _is_of_attempt(folder, dead, device):
            shutil.rmtree(folder)


def _folders() -> Iterator[Path]:
    return (path for path in sorted(OSDS.glob("ceph-*")) if path.is_dir() and not path.is_symlink())


def _is_of_attempt(folder: Path, uuids: Collection[str], device: str) -> bool:
    """Tell by the uuid that mkfs wrote; before that, by the device that it leads to."""
    uuid = managed_file.read(str(folder / "fsid")).strip()
    if uuid:
        return uuid in uuids
    block = folder / "block"
    return block.is_symlink() and os.path.realpath(block) == device


def _wait_for_processes(uuids: Collection[str]) -> None:
    """Wait for what the attempt left running: `ceph` or mkfs may outlive a killed ceph-volume."""
    until = time.monotonic() + _BUSY_SECONDS
    while running := list(_processes(uuids)):
        if time.monotonic() > until:
            raise HostError(f"an earlier preparation still runs: {', '.join(running)}")
        time.sleep(_PAUSE)


def _processes(uuids: Collection[str]) -> Iterator[str]:
    """Find programs that name one of the OSDs, but not the OSDs themselves."""
    for path in _PROC.glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().decode("utf-8", "replace").split("\0")
            if any(uuid in words for uuid in uuids):
                yield f"{os.path.basename(words[0])} ({path.parent.name})"  # noqa: PTH119


def recover(fsid: str, osds: Map, names: Sequence[prepare_records.Record]) -> list[str]:
    """Settle every attempt for this cluster; one that cannot be settled is told and left."""
    told = []
    for record in names:
        if record.fsid != fsid:
            continue
        try:
            told.append(f"{record.by_id}: {settle(record, osds)}")
        except (HostError, OSError) as error:
            told.append(f"{record.by_id}: {error}")
    return told
