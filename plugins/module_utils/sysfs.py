"""The kernel's own list of block devices, in the shape of lsblk's: for when lsblk hangs.

Nothing here opens a device. What is on them has to be found out by looking at each.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK = Path("/sys/class/block")
MOUNTS = Path("/proc/self/mountinfo")
SWAPS = Path("/proc/swaps")
_SECTOR = 512
_RAM = re.compile(r"ram\d+$")
_KINDS = {"CRYPT": "crypt", "LVM": "lvm", "mpath": "mpath", "part": "part"}
_ROM = "5"


def tree() -> list[dict[str, Any]]:
    """List the devices that are below no other one, each with what is below it."""
    mounts = _mounts()
    nodes = {name: _node(name, mounts) for name in _names()}
    lower: set[str] = set()
    for name, node in nodes.items():
        for upper in _above(name):
            if upper in nodes:
                node["children"].append(nodes[upper])
                lower.add(upper)
    return [node for name, node in nodes.items() if name not in lower]


def _names() -> list[str]:
    try:
        return sorted(name for name in os.listdir(BLOCK) if not _RAM.match(name))  # noqa: PTH208
    except OSError:
        return []


def _above(name: str) -> list[str]:
    """Name what is made of a device: its partitions, and the holders of it."""
    folder = (BLOCK / name).resolve()
    partitions = [path.parent.name for path in sorted(folder.glob("*/partition"))]
    holders = [path.name for path in sorted(folder.glob("holders/*"))]
    return partitions + holders


def _node(name: str, mounts: Mapping[str, list[str]]) -> dict[str, Any]:
    folder = (BLOCK / name).resolve()
    number = _read(folder / "dev")
    disk = folder.parent if (folder / "partition").exists() else folder
    mapped = _read(folder / "dm" / "name")
    return {
        "name": mapped or name,
        "kname": name.replace("!", "/"),
        "path": f"/dev/mapper/{mapped}" if mapped else f"/dev/{name.replace('!', '/')}",
        "type": _type(name, folder),
        "size": int(_read(folder / "size") or 0) * _SECTOR,
        "ro": _read(folder / "ro"),
        "rm": _read(disk / "removable"),
        "rota": _read(disk / "queue" / "rotational"),
        "model": _read(disk / "device" / "model"),
        "vendor": _read(disk / "device" / "vendor"),
        "serial": _read(disk / "device" / "serial"),
        "wwn": _read(disk / "wwid") or _read(disk / "device" / "wwid"),
        "maj:min": number,
        "mountpoints": mounts.get(number, []),
        "children": [],
    }


def _type(name: str, folder: Path) -> str:
    if (folder / "partition").exists():
        return "part"
    if (folder / "dm").is_dir():
        prefix = _read(folder / "dm" / "uuid").partition("-")[0]
        return _KINDS.get(re.sub(r"^part\d+$", "part", prefix), "dm")
    if (folder / "md").is_dir():
        return _read(folder / "md" / "level") or "md"
    if name.startswith("loop"):
        return "loop"
    return "rom" if _read(folder / "device" / "type") == _ROM else "disk"


def _mounts() -> dict[str, list[str]]:
    """Map device numbers to where they are mounted, and to [SWAP]."""
    found: dict[str, list[str]] = {}
    for line in _read(MOUNTS).splitlines():
        fields = line.split(" ")
        if len(fields) > 4:  # noqa: PLR2004 - device number and mount point are the 3rd and 5th
            found.setdefault(fields[2], []).append(fields[4])
    for line in _read(SWAPS).splitlines()[1:]:
        folder = BLOCK / os.path.basename(os.path.realpath(line.split(" ")[0]))  # noqa: PTH119
        found.setdefault(_read(folder / "dev"), []).append("[SWAP]")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "backslashreplace").strip()
    except OSError:
        return ""
