"""OSDs on logical volumes, as the tags say that ceph-volume put on them.

The tags tell what no label can: OSDs behind encryption, OSDs whose volumes are not active, and
which volume holds the DB of which OSD.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import lsblk

_UNSET = "None"
_MEMBER = "LVM2_member"
_SEALED = "crypto_LUKS"
_NAMES = ("osd--block--", "osd--db--", "osd--wal--")


@dataclass(frozen=True)
class LvmOsd:
    """One OSD: `path` is its data volume, `devices` are the disks below that."""

    id: int
    uuid: str
    fsid: str
    path: str
    devices: tuple[str, ...] = ()
    device_class: str = ""
    encrypted: bool = False
    db: str = ""
    db_devices: tuple[str, ...] = ()
    wal: str = ""

    def result(self) -> dict[str, Any]:
        return asdict(self)


def may_hold_osds(devices: Iterable[lsblk.Device]) -> bool:
    """Say whether asking can bring anything: a volume that might be an OSD's, or a sleeping one."""
    return any(
        (
            device.type == "lvm"
            and (device.osd or device.filesystem == _SEALED or _is_named(device.path))
        )
        or (device.filesystem == _MEMBER and not device.children)
        for device in devices
    )


def _is_named(path: str) -> bool:
    return any(name in path for name in _NAMES)


def ask(seconds: float, errors: list[str]) -> list[LvmOsd]:
    """Have ceph-volume list them; what it cannot tell becomes an error of the result."""
    try:
        code, out, said = child.output(["ceph-volume", "lvm", "list", "--format", "json"], seconds)
    except (OSError, TimeoutError, child.ChildGoneError) as error:
        errors.append(f"ceph-volume lvm list: {error}")
        return []
    if code:
        last = said.strip().splitlines()[-1:] or [f"rc {code}"]
        errors.append(f"ceph-volume lvm list: {redact.redact(last[0])}")
        return []
    found, messages = parse(out)
    errors.extend(messages)
    return found


def parse(text: str) -> tuple[list[LvmOsd], list[str]]:
    """Read the list: an OSD is its uuid, whatever number it is listed under and in which order."""
    try:
        document = json.loads(text) if text.strip() else {}
    except ValueError as error:
        return [], [f"ceph-volume lvm list: not JSON: {error}"]
    if not isinstance(document, dict):
        return [], ["ceph-volume lvm list: not an object"]
    messages: list[str] = []
    by_uuid: dict[str, list[Mapping[str, Any]]] = {}
    for key, volumes in document.items():
        if not key.isdecimal() or not isinstance(volumes, list):
            messages.append(f"ceph-volume lvm list: '{key}' is no OSD and is skipped")
            continue
        for volume in volumes:
            uuid = _tag(volume, "osd_fsid") if isinstance(volume, dict) else ""
            if uuid:
                by_uuid.setdefault(uuid, []).append(volume)
            else:
                messages.append(f"ceph-volume lvm list: a volume of '{key}' names no OSD")
    osds = [_osd(uuid, volumes, messages) for uuid, volumes in sorted(by_uuid.items())]
    return sorted((osd for osd in osds if osd), key=lambda osd: (osd.id, osd.uuid)), messages


def of_cluster(osds: Iterable[LvmOsd], fsid: str) -> list[LvmOsd]:
    """Choose the OSDs of one cluster: two clusters on a host may both have an osd.0."""
    return [osd for osd in osds if fsid and osd.fsid == fsid]


def _osd(uuid: str, volumes: Sequence[Mapping[str, Any]], messages: list[str]) -> LvmOsd | None:
    blocks = [volume for volume in volumes if _kind(volume) == "block"]
    numbers = {_tag(volume, "osd_id") for volume in blocks}
    if len(blocks) != 1 or not all(number.isdecimal() for number in numbers):
        names = ", ".join(sorted(_path(volume) for volume in volumes))
        messages.append(f"ceph-volume lvm list: {uuid} has not one data volume: {names}")
        return None
    (block,) = blocks
    fast = {_kind(volume): volume for volume in volumes}
    return LvmOsd(
        id=int(_tag(block, "osd_id")),
        uuid=uuid,
        fsid=_tag(block, "cluster_fsid"),
        path=_path(block),
        devices=_devices(block),
        device_class=_tag(block, "crush_device_class"),
        encrypted=_tag(block, "encrypted") == "1",
        db=_path(fast.get("db", {})) or _tag(block, "db_device"),
        db_devices=_devices(fast.get("db", {})),
        wal=_path(fast.get("wal", {})) or _tag(block, "wal_device"),
    )


def _kind(volume: Mapping[str, Any]) -> str:
    return str(volume.get("type") or _tag(volume, "type"))


def _path(volume: Mapping[str, Any]) -> str:
    return str(volume.get("lv_path") or volume.get("path") or "")


def _devices(volume: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(device) for device in volume.get("devices") or ())


def _tag(volume: Mapping[str, Any], name: str) -> str:
    tags = volume.get("tags")
    value = str((tags if isinstance(tags, dict) else {}).get(f"ceph.{name}") or "")
    return "" if value == _UNSET else value
