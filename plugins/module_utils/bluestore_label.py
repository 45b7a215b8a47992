"""The label at the head of BlueStore's devices: the only proof of whose OSD a disk holds.

Layout: a line `bluestore block device`, a line with the uuid, then Ceph's encoding of
bluestore_bdev_label_t. Read here without Ceph's tools, which take a lock, need the release's own
version and cost a process for each disk.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MAGIC = b"bluestore block device\n"
BLOCK = 4096
_UUID_TEXT = 36
_SECRETS = frozenset({"osd_key"})


class LabelError(ValueError):
    """The head says BlueStore but the label cannot be read: something lives there."""


@dataclass(frozen=True)
class Label:
    osd_uuid: str
    size: int
    description: str
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def fsid(self) -> str:
        return self.meta.get("ceph_fsid", "")

    @property
    def osd_id(self) -> int:
        """Give the OSD's number, -1 when the label names none (a db or wal device, a cut mkfs)."""
        whoami = self.meta.get("whoami", "")
        return int(whoami) if whoami.isdecimal() else -1

    @property
    def finished(self) -> bool:
        """Say whether the OSD's mkfs came to its end: this is the last that it writes."""
        return self.meta.get("ready") == "ready"


def read(path: str) -> Label | None:
    """Read a device or file: None when it has no label, OSError when it cannot be read."""
    with open(path, "rb", buffering=0) as device:  # noqa: PTH123 - this may run in a bare child
        head = device.read(BLOCK)
    return parse(head)


def uuid_of(head: bytes) -> str:
    """Give the uuid that stands in the head as text, even of a damaged label; "" without one."""
    if not head.startswith(MAGIC):
        return ""
    return head[len(MAGIC) :][:_UUID_TEXT].decode("ascii", "replace")


def parse(head: bytes) -> Label | None:
    if not head.startswith(MAGIC):
        return None
    cursor = _Cursor(head, len(MAGIC) + _UUID_TEXT + 1)
    try:
        label = _decode(cursor)
        _check(cursor, head[: cursor.position])
    except (struct.error, UnicodeDecodeError, LabelError) as error:
        raise LabelError(f"the BlueStore label is damaged: {error}") from error
    return label


def _check(cursor: _Cursor, summed: bytes) -> None:
    (stored,) = cursor.unpack("<I")
    if stored != _crc32c(summed):
        raise LabelError("its checksum is wrong")


def _crc32c(data: bytes) -> int:
    """Sum as Ceph does: Castagnoli's polynomial from all ones, not inverted at the end."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _turn in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc


def _decode(cursor: _Cursor) -> Label:
    _version, compat, length = cursor.unpack("<BBI")
    if compat > 2:  # noqa: PLR2004 - the struct_v that this text was written for
        raise LabelError(f"unknown version {compat}")
    end = cursor.position + length
    osd_uuid = cursor.take(16).hex()
    (size,) = cursor.unpack("<Q")
    cursor.unpack("<II")
    description = cursor.string()
    meta: dict[str, str] = {}
    if cursor.position < end:
        (count,) = cursor.unpack("<I")
        for _turn in range(count):
            key, value = cursor.string(), cursor.string()
            if key not in _SECRETS:
                meta[key] = value
    cursor.position = end
    return Label(osd_uuid=_dashed(osd_uuid), size=size, description=description, meta=meta)


def _dashed(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class _Cursor:
    """A place in the bytes that never reads past their end."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self.position = position

    def take(self, count: int) -> bytes:
        part = self._data[self.position : self.position + count]
        if len(part) < count:
            raise LabelError("it ends too early")
        self.position += count
        return part

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def string(self) -> str:
        (length,) = self.unpack("<I")
        return self.take(length).decode("utf-8", "backslashreplace")
