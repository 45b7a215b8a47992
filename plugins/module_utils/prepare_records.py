"""What was written down before a device was given to ceph-volume: the proof that we made it.

A record says that the device was blank, and the program's output beside it which OSDs it then asked
Ceph for. Both outlive a cut at any point; they are removed when nothing half-made is left.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import managed_file

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path("/var/lib/ceph-orchestrator/prepare")
_NEW_UUID = re.compile(r"\bosd new ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
_NEW_GROUP = re.compile(r"\bvgcreate (?:-\S+ )*(ceph-[0-9a-f-]{36}) /")
_NEW_VOLUME = re.compile(r"\blvcreate .*?-n (osd-[a-z]+-[0-9a-f-]{36}) (\S+)")


@dataclass(frozen=True)
class Record:
    """One attempt on one device: `by_id` and `size` must be the same again."""

    name: str
    by_id: str
    device: str
    size: int
    fsid: str
    mode: str = "raw"

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.json"

    @property
    def output(self) -> Path:
        return FOLDER / f"{self.name}.out"

    def uuids(self) -> tuple[str, ...]:
        """Name the OSDs that ceph-volume said it asks Ceph for; it says so before it asks."""
        return tuple(dict.fromkeys(_NEW_UUID.findall(managed_file.read(str(self.output)))))

    def groups(self) -> tuple[str, ...]:
        """Name the volume groups that ceph-volume said it makes."""
        return tuple(dict.fromkeys(_NEW_GROUP.findall(managed_file.read(str(self.output)))))

    def volumes(self) -> tuple[str, ...]:
        """Name the volumes, as group/name, that ceph-volume said it makes."""
        made = _NEW_VOLUME.findall(managed_file.read(str(self.output)))
        return tuple(dict.fromkeys(f"{group}/{name}" for name, group in made))

    def device_now(self) -> str:
        """Give the device that the lasting name leads to now: kernel names move."""
        return os.path.realpath(self.by_id)

    def result(self) -> dict[str, Any]:
        return {**asdict(self), "uuids": list(self.uuids())}


def write(by_id: str, device: str, size: int, fsid: str, mode: str) -> Record:
    """Write a new record, on the disk before this returns."""
    record = Record(str(uuid.uuid4()), by_id, device, size, fsid, mode)
    managed_file.write(
        managed_file.ManagedFile(str(record.path), json.dumps(asdict(record)), 0o600)
    )
    _sync_folder()
    return record


def forget(record: Record) -> None:
    """Remove the record last: as long as it is there the output is needed."""
    for path in (record.output, record.path):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    _sync_folder()


def all_records() -> list[Record]:
    """Read every record; what is no record of ours says nothing."""
    return [record for path in sorted(FOLDER.glob("*.json")) for record in _read(path)]


def _read(path: Path) -> Iterable[Record]:
    try:
        document = json.loads(managed_file.read(str(path)))
        yield Record(
            name=path.stem,
            by_id=str(document["by_id"]),
            device=str(document["device"]),
            size=int(document["size"]),
            fsid=str(document["fsid"]),
            mode=str(document["mode"]),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return


def _sync_folder() -> None:
    descriptor = os.open(FOLDER, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
