"""The command lines of ceph-volume, and the check of what it reports before it writes: all pure.

Rook's choice: raw, unless an OSD is encrypted, shares its device, has a metadata device or lies on
a logical volume. Each command names one data device, so that it can never pick another.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_MIB = 1 << 20


class ReportError(Exception):
    """What ceph-volume would do is not what is wanted: nothing may be written."""


@dataclass(frozen=True)
class Order:
    """What is to be made of one data device. Paths are of devices, `volume` is vg/lv.

    `count` OSDs are still missing of the `total` that the device is to have; `slots` is how many
    OSDs share the metadata device in the end.
    """

    device: str
    device_class: str = ""
    encrypted: bool = False
    total: int = 1
    count: int = 1
    metadata: str = ""
    metadata_is_partition: bool = False
    slots: int = 0
    database_bytes: int = 0
    volume: str = ""


def mode(entry: Mapping[str, Any], kind: str) -> str:
    """Say how a wanted device is prepared: `raw`, `batch` or `volume`."""
    if kind == "lvm":
        return "volume"
    special = (
        entry.get("encrypted"),
        entry.get("metadata_device"),
        (entry.get("osds_per_device") or 1) > 1,
    )
    return "batch" if entry.get("mode") == "lvm" or any(special) else "raw"


def problem(entry: Mapping[str, Any], kind: str, size: int) -> str:
    """Say why a device cannot be prepared as wanted: it is another one, or Rook refuses it too."""
    if entry.get("size") and entry["size"] != size:
        return f"it has {size} bytes and not {entry['size']}: another device has its name now"
    if entry.get("mode") == "raw" and mode(entry, kind) != "raw":
        return "mode raw does not go with encryption, a metadata device, several OSDs or a volume"
    if kind in {"part", "lvm"} and entry.get("encrypted"):
        return "encryption of a partition or of a logical volume is not supported"
    if kind == "lvm" and (entry.get("osds_per_device") or 1) > 1:
        return "a logical volume holds one OSD only"
    return ""


def raw(order: Order) -> list[str]:
    command = ["raw", "prepare", "--bluestore", "--data", order.device]
    return command + _class(order)


def volume(order: Order) -> list[str]:
    """Prepare on a logical volume, or with a partition for metadata: one OSD, no report to ask."""
    command = ["lvm", "prepare", "--bluestore", "--data", order.volume or order.device]
    command += _class(order) + (["--dmcrypt"] if order.encrypted else [])
    if order.metadata:
        command += ["--block.db", order.metadata]
        if order.database_bytes and not order.metadata_is_partition:
            command += ["--block.db-size", str(order.database_bytes)]
        elif not order.metadata_is_partition:
            command += ["--block.db-slots", str(order.slots)]
    return command


def batch(order: Order, *, report: bool) -> list[str]:
    """Prepare one data device; `report` only asks what would be done."""
    command = ["lvm", "batch", "--prepare", "--bluestore", "--no-auto"]
    command += ["--report", "--format", "json"] if report else ["--yes"]
    command += ["--osds-per-device", str(order.total), *_class(order)]
    command += ["--dmcrypt"] if order.encrypted else []
    if order.database_bytes:
        command += ["--block-db-size", str(order.database_bytes)]
    elif order.metadata:
        command += ["--block-db-slots", str(order.slots)]
    command += [order.device]
    return command + (["--db-devices", order.metadata] if order.metadata else [])


def _class(order: Order) -> list[str]:
    return ["--crush-device-class", order.device_class] if order.device_class else []


def database_bytes(megabytes: int) -> int:
    return megabytes * _MIB


def check_report(text: str, order: Order, resolve: Callable[[str], str]) -> None:
    """Compare the report with the order, row by row; ReportError says what differs."""
    rows = _rows(text)
    if len(rows) != order.count:
        raise ReportError(
            f"ceph-volume would make {len(rows)} OSDs on {order.device} where {order.count} are "
            "wanted: nothing was written"
        )
    for row in rows:
        _check_device(row, "data", order.device, resolve)
        _check_device(row, "block_db", order.metadata, resolve)
        if ("dmcrypt" in str(row.get("encryption"))) != order.encrypted:
            raise ReportError(f"ceph-volume's encryption is {row.get('encryption')}: not as wanted")


def _rows(text: str) -> list[Mapping[str, Any]]:
    start = text.find("[{")  # warnings may stand before it
    try:
        rows = json.loads(text[start:] if start >= 0 else text or "[]")
    except ValueError:
        raise ReportError(f"ceph-volume's report is not JSON: {text.strip()[:200]}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ReportError("ceph-volume's report is not a list: is it older than Ceph 16?")
    return rows


def _check_device(
    row: Mapping[str, Any], key: str, wanted: str, resolve: Callable[[str], str]
) -> None:
    found = str(row.get(key) or "")
    same = resolve(found) == resolve(wanted) if found and wanted else found == wanted
    if not same:
        raise ReportError(
            f"ceph-volume would take {found or 'nothing'} as {key} where {wanted or 'nothing'} is "
            "wanted: nothing was written"
        )


def conflicts(entries: Iterable[tuple[Mapping[str, Any], str, str]]) -> dict[str, str]:
    """Name data devices whose metadata device cannot serve them, with the reason.

    `entries` are of wanted devices, each with the device and the metadata device that its links
    lead to.
    """
    every = list(entries)
    return {
        data: reason
        for _entry, data, metadata in every
        if metadata and (reason := _conflict(metadata, every))
    }


def _conflict(metadata: str, every: Sequence[tuple[Mapping[str, Any], str, str]]) -> str:
    if metadata in {data for _entry, data, _other in every}:
        return f"its metadata device {metadata} is wanted for data too"
    sharing = [(entry, data) for entry, data, other in every if other == metadata]
    for key in ("osds_per_device", "database_size_mb"):
        if len({entry.get(key) or 0 for entry, _data in sharing}) > 1:
            shown = ", ".join(f"{data}: {entry.get(key) or 'unset'}" for entry, data in sharing)
            return f"conflicting {key} for one metadata device {metadata} ({shown})"
    return ""
