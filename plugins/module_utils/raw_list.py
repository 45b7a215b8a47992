"""`ceph-volume raw list`: asked only of a device whose label cannot be read here.

Of a readable label it says nothing that the label does not, and it costs a second for each host.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, redact

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNSET = "None"


class RawListError(Exception):
    """ceph-volume gave no list."""


@dataclass(frozen=True)
class RawOsd:
    """An OSD as `raw list` describes it; `db` and `wal` are devices, or empty."""

    id: int
    uuid: str
    fsid: str
    device: str
    db: str = ""
    wal: str = ""

    def __str__(self) -> str:
        return f"osd.{self.id}, uuid {self.uuid}, of the cluster {self.fsid or 'unknown'}"


def ask(path: str, seconds: float) -> RawOsd | None:
    """Give the OSD that ceph-volume finds on a device, None when it finds none."""
    try:
        code, out, errors = child.output(
            ["ceph-volume", "raw", "list", "--format", "json", path], seconds
        )
    except (OSError, TimeoutError, child.ChildGoneError) as error:
        raise RawListError(f"ceph-volume raw list: {error}") from error
    if code:
        last = errors.strip().splitlines()[-1:] or [f"rc {code}"]
        raise RawListError(f"ceph-volume raw list: {redact.redact(last[0])}")
    return next(iter(parse(out)), None)


def parse(text: str) -> list[RawOsd]:
    """Read the list; entries that lack an OSD's id, uuid or device are none of an OSD."""
    try:
        document = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise RawListError(f"ceph-volume raw list: not JSON: {error}") from error
    if not isinstance(document, dict):
        raise RawListError("ceph-volume raw list: not an object")
    return list(_entries(document))


def _entries(document: dict[str, Any]) -> Iterator[RawOsd]:
    for entry in document.values():
        if not isinstance(entry, dict):
            continue
        number, uuid = str(entry.get("osd_id", "")), _text(entry, "osd_uuid")
        if number.isdecimal() and uuid and _text(entry, "device"):
            yield RawOsd(
                id=int(number),
                uuid=uuid,
                fsid=_text(entry, "ceph_fsid"),
                device=_text(entry, "device"),
                db=_text(entry, "device_db"),
                wal=_text(entry, "device_wal"),
            )


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return "" if value is None or value == _UNSET else str(value)
