"""Copies of BlueStore's label: since Ceph 19 a large OSD has them at 1, 10, 100 and 1000 GiB.

A disk whose head was overwritten looks blank to everything else; the copies tell that an OSD lives
on it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import bluestore_label

if TYPE_CHECKING:
    from collections.abc import Iterator

POSITIONS = tuple(gib << 30 for gib in (1, 10, 100, 1000))


@dataclass(frozen=True)
class Copy:
    """A place that carries the mark of a label; `label` is None when the rest is not readable."""

    position: int
    label: bluestore_label.Label | None
    uuid: str

    def __str__(self) -> str:
        where = f"a copy of BlueStore's label at {self.position >> 30} GiB"
        if self.label is None:
            return f"{where}, which is damaged too"
        name = f"osd.{self.label.osd_id}" if self.label.osd_id >= 0 else "an unfinished OSD"
        whose = self.label.fsid or "unknown"
        return f"{where} names {name}, uuid {self.label.osd_uuid}, of the cluster {whose}"


def find(path: str) -> Iterator[Copy]:
    """Give the copies that are on a device or file; OSError when it cannot be read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for position in POSITIONS:
            block = os.pread(descriptor, bluestore_label.BLOCK, position)
            if block.startswith(bluestore_label.MAGIC):
                yield Copy(position, _parsed(block), bluestore_label.uuid_of(block))
    finally:
        os.close(descriptor)


def _parsed(block: bytes) -> bluestore_label.Label | None:
    try:
        return bluestore_label.parse(block)
    except bluestore_label.LabelError:
        return None
