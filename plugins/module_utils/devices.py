"""Every block device of a host and whose it is: lsblk, udev and the device's own head.

One lsblk for all; the heads are read with a deadline for each device, so that one broken disk is
one entry with an error and never a host that cannot be looked at.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    child,
    udev,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_OLD_COLUMNS = (
    "NAME,KNAME,TYPE,SIZE,FSTYPE,PTTYPE,MOUNTPOINT,RO,RM,ROTA,MODEL,SERIAL,VENDOR,MAJ:MIN"
)
_COLUMNS = f"{_OLD_COLUMNS},PATH,MOUNTPOINTS"
_RAM_DISKS = "1"
_LSBLK_SECONDS = 15.0
_NOTHING_FOUND, _AMBIVALENT = 2, 8
_BLUESTORE = "ceph_bluestore"


class DeviceError(Exception):
    """The devices of this host could not be listed at all."""


@dataclass
class Device:
    """One entry of the module's `devices`; the names are those of its RETURN."""

    name: str
    path: str
    type: str
    size: int
    by_id: str = ""
    links: tuple[str, ...] = ()
    rotational: bool = False
    read_only: bool = False
    removable: bool = False
    model: str = ""
    serial: str = ""
    vendor: str = ""
    filesystem: str = ""
    partition_table: str = ""
    mountpoints: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    parent: str = ""
    osd: dict[str, Any] | None = None
    error: str = ""
    number: str = field(default="", repr=False)

    def result(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "number"}


def collect(seconds: float) -> list[Device]:
    """List all devices; reading the head of any one takes at most `seconds`."""
    devices = parse_lsblk(_lsblk())
    records = {device.name: udev.record(device.number) for device in devices}
    _name(devices, records)
    _look_inside(devices, records, seconds)
    return devices


def _lsblk() -> str:
    """Run lsblk; targets with an older util-linux lack two of the columns."""
    failures = []
    for columns in (_COLUMNS, _OLD_COLUMNS):
        command = ["lsblk", "--json", "--bytes", "--all", "--exclude", _RAM_DISKS]
        try:
            _code, out, errors = child.output([*command, "--output", columns], _LSBLK_SECONDS)
        except (OSError, child.ChildGoneError) as error:
            raise DeviceError(f"lsblk: {error}") from error
        if out.strip():
            return out
        failures.append(errors.strip())
    raise DeviceError(f"lsblk gave no list: {'; '.join(failures)}")


def parse_lsblk(text: str) -> list[Device]:
    """Flatten lsblk's tree; a device below several others (multipath, RAID) comes once."""
    devices: dict[str, Device] = {}
    for node, parent in _walk(_loads(text).get("blockdevices") or (), ""):
        name = _text(node, "kname") or _text(node, "name")
        if name and name not in devices:
            devices[name] = _device(node, name, parent)
    return list(devices.values())


def _loads(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text, strict=False)
    except ValueError:  # some releases print \\x20 of a model as it stands
        try:
            document = json.loads(re.sub(r"\\x", r"\\\\x", text), strict=False)
        except ValueError as error:
            raise DeviceError(f"lsblk's output is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise DeviceError("lsblk's output is not an object")
    return document


def _walk(
    nodes: Sequence[Mapping[str, Any]], parent: str
) -> Iterator[tuple[Mapping[str, Any], str]]:
    for node in nodes:
        yield node, parent
        yield from _walk(node.get("children") or (), _text(node, "kname") or _text(node, "name"))


def _device(node: Mapping[str, Any], name: str, parent: str) -> Device:
    below = node.get("children") or ()
    return Device(
        name=name,
        path=_text(node, "path") or f"/dev/{name}",
        type=_text(node, "type"),
        size=_number(node.get("size")),
        rotational=_flag(node.get("rota")),
        read_only=_flag(node.get("ro")),
        removable=_flag(node.get("rm")),
        model=_text(node, "model"),
        serial=_text(node, "serial"),
        vendor=_text(node, "vendor"),
        filesystem=_text(node, "fstype"),
        partition_table=_text(node, "pttype"),
        mountpoints=_mountpoints(node),
        holders=tuple(_text(one, "kname") for one in below if _text(one, "type") != "part"),
        children=tuple(_text(one, "kname") for one in below),
        parent=parent,
        number=_text(node, "maj:min"),
    )


def _text(node: Mapping[str, Any], key: str) -> str:
    value = node.get(key)
    return "" if value is None else str(value).strip()


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isdecimal() else 0


def _flag(value: object) -> bool:
    return value in (True, "1")


def _mountpoints(node: Mapping[str, Any]) -> tuple[str, ...]:
    several = node.get("mountpoints") or [node.get("mountpoint")]
    return tuple(str(point) for point in several if point)


def _name(devices: Sequence[Device], records: Mapping[str, udev.Record]) -> None:
    links = udev.links_by_target(link for entry in records.values() for link in entry.links)
    unsafe = udev.contested(records.values())
    for device in devices:
        node = f"/dev/{device.name}"
        device.links = links.get(node, ())
        device.by_id = udev.stable_name(device.path, device.links, unsafe)
        scheme = records[device.name].properties.get("ID_PART_ENTRY_SCHEME", "")
        device.partition_table = device.partition_table or scheme


def _look_inside(
    devices: Sequence[Device], records: Mapping[str, udev.Record], seconds: float
) -> None:
    """Read heads from the top of the tree down: below an OSD nothing is touched.

    On a large raw OSD the kernel may see a partition table that is not there.
    """
    by_name = {device.name: device for device in devices}
    level = [device for device in devices if not device.parent]
    while level:
        readable = [device for device in level if _readable(device, by_name.get(device.parent))]
        _read_heads(readable, records, seconds)
        above = {device.name for device in level}
        level = [device for device in devices if device.parent in above]


def _readable(device: Device, parent: Device | None) -> bool:
    if device.size == 0:
        device.error = "size 0: no medium, or not attached"
    elif parent and device.type == "part":
        device.error = _closed(parent)
    return not device.error and device.type != "rom"


def _closed(disk: Device) -> str:
    """Say why the partitions of a disk stay unread."""
    if disk.osd or disk.filesystem == _BLUESTORE:
        return f"not looked at: {disk.path} as a whole holds an OSD"
    return f"not looked at: {disk.path}: {disk.error}" if disk.error else ""


def _read_heads(
    devices: Sequence[Device], records: Mapping[str, udev.Record], seconds: float
) -> None:
    unknown = {
        device.path
        for device in devices
        if not records[device.name].known and not _recognised(device)
    }
    paths = [device.path for device in devices]
    heads = child.each(paths, lambda path: _head(path, path in unknown, seconds), seconds)
    for device in devices:
        _note(device, heads[device.path])


def _recognised(device: Device) -> bool:
    return bool(device.filesystem or device.partition_table or device.children)


def _head(path: str, probe: bool, seconds: float) -> tuple[Any, dict[str, str]]:  # noqa: FBT001
    """Read in a child; without udev's data, blkid tells what lsblk could not."""
    label = bluestore_label.read(path)
    if label or not probe:
        return label, {}
    return None, _blkid(path, seconds)


def _blkid(path: str, seconds: float) -> dict[str, str]:
    code, out, errors = child.output(["blkid", "-p", "-o", "export", path], seconds)
    if code == _AMBIVALENT:
        return {"TYPE": "ambivalent"}
    if code not in (0, _NOTHING_FOUND):
        raise OSError(code, f"blkid: {errors.strip()}")
    return dict(line.partition("=")[::2] for line in out.splitlines() if "=" in line)


def _note(device: Device, head: Any) -> None:  # noqa: ANN401 - what a child sent
    if isinstance(head, Exception):
        device.error = str(head) or type(head).__name__
        if isinstance(head, bluestore_label.LabelError):
            device.filesystem = _BLUESTORE
        return
    label, probed = head
    device.filesystem = device.filesystem or probed.get("TYPE", "")
    device.partition_table = device.partition_table or probed.get("PTTYPE", "")
    if label:
        device.filesystem = device.filesystem or _BLUESTORE
        device.osd = {
            "id": label.osd_id,
            "uuid": label.osd_uuid,
            "fsid": label.fsid,
            "description": label.description,
        }
