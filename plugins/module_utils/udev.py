"""Names that stay: the links udev made for a device, and which of them is safe to remember.

Read from /dev/disk and udev's own database, without a process; a missing database is missing data.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DATABASE = Path("/run/udev/data")
DEV = Path("/dev")
BY_ID = "/dev/disk/by-id/"
# Best first: what the drive itself was born with, then what its bus says. Links made from the
# content (lvm-pv-uuid) change when the content does, so they come after all others.
_PREFERENCE = ("wwn-", "nvme-eui.", "ata-", "scsi-", "nvme-", "virtio-", "dm-uuid-", "")
_FROM_CONTENT = "lvm-pv-uuid-"


@dataclass(frozen=True)
class Record:
    """What udev knows of one device; `known` is false when it never saw it."""

    known: bool = False
    links: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)


def record(number: str) -> Record:
    """Read the database entry of a device number such as 8:16."""
    try:
        raw = (DATABASE / f"b{number}").read_bytes()
    except OSError:
        return Record()
    return parse(raw.decode("utf-8", "backslashreplace"))


def parse(text: str) -> Record:
    links, properties = [], {}
    for line in text.splitlines():
        if line.startswith("S:"):
            links.append(f"/dev/{line[2:]}")
        elif line.startswith("E:"):
            name, _sign, value = line[2:].partition("=")
            properties[name] = value
    return Record(known=True, links=tuple(links), properties=properties)


def links_by_target(claimed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Map each device node to the links that lead to it right now."""
    found: dict[str, set[str]] = {}
    for link in {*_disk_links(), *claimed}:
        target = os.path.realpath(link)
        if _printable(link) and target != link:
            found.setdefault(target, set()).add(link)
    return {target: tuple(sorted(links)) for target, links in found.items()}


def _disk_links() -> Iterator[str]:
    for folder in (*sorted(DEV.glob("disk/*")), DEV / "mapper"):
        try:
            names = sorted(entry.name for entry in folder.iterdir() if entry.is_symlink())
        except OSError:
            continue
        yield from (str(folder / name) for name in names)


def _printable(link: str) -> bool:
    return link.isprintable()


def contested(records: Iterable[Record]) -> frozenset[str]:
    """Links that several devices claim: udev may turn them to another device at any event."""
    claims = Counter(link for entry in records for link in set(entry.links))
    return frozenset(link for link, count in claims.items() if count > 1)


def stable_name(path: str, links: Iterable[str], unsafe: frozenset[str] = frozenset()) -> str:
    """Give the link by which a device is found again after a reboot; its path when it has none."""
    safe = [link for link in links if link.startswith(BY_ID) and link not in unsafe]
    return min(safe, key=_rank, default=path)


def _rank(link: str) -> tuple[bool, int, str]:
    name = link[len(BY_ID) :]
    kind = next(index for index, prefix in enumerate(_PREFERENCE) if name.startswith(prefix))
    return name.startswith(_FROM_CONTENT), kind, name
