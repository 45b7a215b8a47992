"""The block devices of a host as a flat list: from lsblk, or from sysfs when lsblk cannot tell.

lsblk may itself read the devices (where udev is missing) and so may hang with one of them; the
kernel's own list never does.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, sysfs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_OLD_COLUMNS = (
    "NAME,KNAME,TYPE,SIZE,FSTYPE,PTTYPE,MOUNTPOINT,RO,RM,ROTA,MODEL,SERIAL,VENDOR,MAJ:MIN,WWN"
)
_COLUMNS = f"{_OLD_COLUMNS},PATH,MOUNTPOINTS"
_RAM_DISKS = "1"
_SECONDS = 5.0


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
    wwn: str = ""
    filesystem: str = ""
    partition_table: str = ""
    udev_partition_scheme: str = ""
    signatures: tuple[str, ...] = ()
    multipath_member: bool = False
    mountpoints: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    parent: str = ""
    osd: dict[str, Any] | None = None
    unfinished: bool = False
    error: str = ""
    number: str = field(default="", repr=False)

    @property
    def is_partition(self) -> bool:
        return self.type == "part"

    def result(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "number"}


def collect(errors: list[str]) -> list[Device]:
    """List all devices; DeviceError when neither lsblk nor the kernel gives a list."""
    try:
        return parse(_lsblk())
    except DeviceError as error:
        devices = parse(json.dumps({"blockdevices": sysfs.tree()}))
        if not devices:
            raise
        errors.append(f"{error}; the devices are those that the kernel lists")
        return devices


def _lsblk() -> str:
    """Run lsblk; targets with an older util-linux lack two of the columns.

    Its exit code says that some device could not be looked at, not that the list is worthless.
    """
    failures = []
    for columns in (_COLUMNS, _OLD_COLUMNS):
        command = ["lsblk", "--json", "--bytes", "--all", "--exclude", _RAM_DISKS]
        try:
            _code, out, errors = child.output([*command, "--output", columns], _SECONDS)
        except (OSError, child.ChildGoneError) as error:
            raise DeviceError(f"lsblk: {error}") from error
        if out.strip():
            return out
        failures.append(errors.strip())
    raise DeviceError(f"lsblk gave no list: {'; '.join(failures)}")


def parse(text: str) -> list[Device]:
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
        if not isinstance(node, dict):  # an empty line of the list
            continue
        yield node, parent
        yield from _walk(_below(node), _text(node, "kname") or _text(node, "name"))


def _below(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [child for child in node.get("children") or () if isinstance(child, dict)]


def _device(node: Mapping[str, Any], name: str, parent: str) -> Device:
    below = _below(node)
    kind, table = _text(node, "type"), _text(node, "pttype")
    is_partition = kind == "part"
    return Device(
        name=name,
        path=_text(node, "path") or f"/dev/{name}",
        type=kind,
        size=_number(node.get("size")),
        rotational=_flag(node.get("rota")),
        read_only=_flag(node.get("ro")),
        removable=_flag(node.get("rm")),
        model=_text(node, "model"),
        serial=_text(node, "serial"),
        vendor=_text(node, "vendor"),
        wwn=_text(node, "wwn"),
        filesystem=_text(node, "fstype"),
        # Of a partition this is the table that it is an entry of, not one that it holds.
        partition_table="" if is_partition else table,
        udev_partition_scheme=table if is_partition else "",
        mountpoints=_mountpoints(node),
        holders=tuple(_text(one, "kname") for one in below if _text(one, "type") != "part"),
        children=tuple(_text(one, "kname") for one in below),
        multipath_member=any(_text(one, "type") == "mpath" for one in below),
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
