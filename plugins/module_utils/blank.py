"""Decides whether a device may be written: only one that is blank in every way one can ask."""

from __future__ import annotations

import errno
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    child,
    device_head,
    device_lock,
    label_copies,
    probe,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SECONDS = 30.0
_LOOK_SECONDS = 60.0
_AT_ONCE = 8
_SYS = Path("/sys/class/block")
_TYPES = frozenset({"disk", "part", "mpath", "loop", "crypt", "linear", "lvm"})
_COLUMNS = "NAME,TYPE,SIZE,RO,FSTYPE,PTTYPE,MOUNTPOINT"


@dataclass(frozen=True)
class Look:
    """What a device shows. `problem` is set when it could not be looked at."""

    path: str  # as it was asked for
    device: str = ""  # what the path leads to
    problem: str = ""
    type: str = ""
    size: int = 0
    read_only: bool = False
    in_use: bool = False
    signatures: tuple[str, ...] = ()
    around: tuple[str, ...] = ()  # what the disk around a partition holds, as a whole
    mountpoint: str = ""
    children: tuple[str, ...] = ()
    label: bluestore_label.Label | None = None
    copies: tuple[str, ...] = ()


def resolve(path: str) -> str:
    """Follow links to the device itself."""
    return os.path.realpath(path)


def look(path: str) -> Look:
    """Read all that is to be known; nothing is written, and a device that hangs is a problem."""
    return looks([path])[path]


def looks(paths: Iterable[str]) -> dict[str, Look]:
    """Look at several side by side: one that hangs costs its deadline once, and nobody else."""
    seen = child.each(dict.fromkeys(paths), _look, _LOOK_SECONDS, _AT_ONCE)
    return {path: _seen(path, one) for path, one in seen.items()}


def _seen(path: str, answer: Any) -> Look:  # noqa: ANN401 - what a child sent
    if isinstance(answer, Look):
        return answer
    why = str(answer) or type(answer).__name__
    return Look(path, resolve(path), problem=f"it cannot be read: {why}")


def _look(path: str) -> Look:
    device = resolve(path)
    try:
        if not stat.S_ISBLK(Path(device).stat().st_mode):
            return Look(path, device, problem="it is not a block device")
        _forget(device)
        label = bluestore_label.read(device) or _label_of_disk(device)
        node = _lsblk(device)
        return Look(
            path,
            device,
            type=str(node.get("type") or ""),
            size=int(node.get("size") or 0),
            read_only=node.get("ro") in (True, "1"),
            in_use=_in_use(device),
            signatures=_content(device, node),
            around=_around(device),
            mountpoint=str(node.get("mountpoint") or ""),
            children=tuple(str(child["name"]) for child in node.get("children") or ()),
            label=label,
            copies=tuple(str(copy) for copy in label_copies.find(device)),
        )
    except FileNotFoundError:
        return Look(path, device, problem="it does not exist")
    except (OSError, bluestore_label.LabelError, HostError, ValueError) as error:
        return Look(path, device, problem=f"it cannot be read: {error}")


def refusal(seen: Look, *, allow_loop: bool) -> str:
    """Say why a device must not be written, "" when it is blank; the surest reason first."""
    if seen.problem:
        return seen.problem
    if seen.label:
        return _owner(seen.label)
    return next(_reasons(seen, allow_loop=allow_loop), "")


def taken(seen: Look) -> Iterator[str]:
    """Say what keeps a device from being written, whatever it holds."""
    if seen.read_only:
        yield "it is read-only"
    if seen.mountpoint:
        yield f"it is mounted on {seen.mountpoint}"
    if seen.children:
        yield f"it has partitions or holders: {', '.join(seen.children)}"


def _reasons(seen: Look, *, allow_loop: bool) -> Iterator[str]:
    if seen.type not in _TYPES:
        yield f"its type is {seen.type or 'unknown'}"
    if seen.type == "loop" and not allow_loop:
        yield "it is a loop device (ceph_allow_loop_devices is off)"
    if seen.size == 0:
        yield "its size is 0"
    yield from taken(seen)
    if seen.signatures:
        yield f"it holds {', '.join(seen.signatures)}"
    if seen.around:
        yield f"the disk around it holds {', '.join(seen.around)}"
    if seen.copies:
        yield f"it holds an OSD whose head is damaged: {'; '.join(seen.copies)}"
    if seen.in_use:
        yield "something on the machine has it open for itself"


def _owner(label: bluestore_label.Label) -> str:
    whose = f"of the cluster {label.fsid}" if label.fsid else "of no cluster (an unfinished mkfs?)"
    return f"it holds the OSD {label.osd_uuid} {whose}"


def _forget(device: str) -> None:
    descriptor = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    try:
        device_head.forget(descriptor)
    finally:
        os.close(descriptor)


def _label_of_disk(device: str) -> bluestore_label.Label | None:
    """Read the disk around a partition: the kernel sees partitions inside of some raw OSDs."""
    disk = _disk_of(device)
    return bluestore_label.read(disk) if disk else None


def _around(device: str) -> tuple[str, ...]:
    """Name what the disk around a partition is part of: the mark of a RAID may be at its end alone.

    The kernel sees the partitions of what the RAID holds then, and one that is blank is the RAID's.
    """
    disk = _disk_of(device)
    return tuple(sorted(set(_signatures(disk)) - probe.TABLES)) if disk else ()


def _disk_of(device: str) -> str:
    folder = (_SYS / Path(device).name).resolve()
    return f"/dev/{folder.parent.name}" if (folder / "partition").exists() else ""


def _lsblk(device: str) -> Mapping[str, Any]:
    command = ["lsblk", "--json", "--bytes", "--paths", "--output", _COLUMNS, device]
    nodes = json.loads(program.run(command, _SECONDS), strict=False).get("blockdevices") or [{}]
    node = nodes[0]
    return node if isinstance(node, dict) else {}


def _content(device: str, node: Mapping[str, Any]) -> tuple[str, ...]:
    found = {*_signatures(device), *_named(node)}
    if found:
        return tuple(sorted(found))
    device_head.read_end(device)
    if not device_head.is_zero(device):
        return (f"{device_head.UNKNOWN} in its first {device_head.SIZE >> 20} MiB",)
    return ()


def _named(node: Mapping[str, Any]) -> Iterator[str]:
    if node.get("fstype"):
        yield str(node["fstype"])
    # Of a partition this is the table that it is an entry of: an Atari's is none at all.
    if node.get("pttype") and (node.get("type") != "part" or node["pttype"] == "atari"):
        yield f"a partition table ({node['pttype']})"


def _signatures(device: str) -> Iterator[str]:
    """Probe the content itself: udev's data may be old."""
    listed = program.run(["wipefs", "--no-act", "--json", device], _SECONDS).strip()
    for signature in (json.loads(listed).get("signatures") or ()) if listed else ():
        yield str(signature.get("type") or "an unknown signature")


def _in_use(device: str) -> bool:
    """Ask the kernel for the device alone; it refuses while anything, anywhere, holds it.

    An OSD may hold no more than its lock, whatever is left of its label.
    """
    try:
        descriptor = os.open(device, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return True
        raise
    try:
        return device_lock.is_held(descriptor)
    finally:
        os.close(descriptor)
