"""What the content of a device itself shows: udev's data may be old, or missing.

Runs in a child with a deadline, for devices only that nothing else is known of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, device_head

TABLES = frozenset({"dos", "gpt", "PMBR", "atari", "mac", "sun", "sgi", "bsd"})
_NOTHING_FOUND, _AMBIVALENT = 2, 8
_UNKNOWN = "an unknown signature"


@dataclass(frozen=True)
class Content:
    """Names as libblkid has them: ext4, LVM2_member, crypto_LUKS, zfs_member, gpt and so on."""

    filesystem: str = ""
    partition_table: str = ""
    signatures: tuple[str, ...] = ()


def look(path: str) -> Content:
    """Ask both programs, one names what wins, the other all that is there; then look oneself."""
    probed = _blkid(path)
    found = {*_wipefs(path), *(probed[key] for key in ("TYPE", "PTTYPE") if probed.get(key))}
    if not found:
        device_head.read_end(path)
        found = set() if device_head.is_zero(path) else {device_head.UNKNOWN}
    tables = sorted(found & TABLES)
    others = sorted(found - TABLES)
    return Content(
        filesystem=probed.get("TYPE") or next(iter(others), ""),
        partition_table=probed.get("PTTYPE") or next(iter(tables), ""),
        signatures=(*others, *tables),
    )


def _blkid(path: str) -> dict[str, str]:
    code, out, errors = child.run(["blkid", "-p", "-o", "export", path])
    if code == _AMBIVALENT:
        return {"TYPE": "ambivalent"}
    if code not in (0, _NOTHING_FOUND):
        raise OSError(code, f"blkid: {errors.strip()}")
    return dict(line.partition("=")[::2] for line in out.splitlines() if "=" in line)


def _wipefs(path: str) -> list[str]:
    code, out, errors = child.run(["wipefs", "--no-act", "--json", path])
    if code:
        raise OSError(code, f"wipefs: {errors.strip()}")
    try:
        listed = json.loads(out, strict=False).get("signatures") or () if out.strip() else ()
        return [str(signature.get("type") or _UNKNOWN) for signature in listed]
    except (ValueError, AttributeError):
        return [_UNKNOWN]
