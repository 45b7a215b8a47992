#!/usr/bin/env python3
"""Finds an OSD's device by its label and makes the OSD's folder ready: before every start.

Kernel names move between boots, so a path is only a hint. What counts is the OSD's uuid in the
label at the head of the device. Needs nothing but Python's standard library.
"""

from __future__ import annotations

import argparse
import grp
import json
import os
import pwd
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"bluestore block device\n"
HEAD = 4096
FSID = re.compile(rb"ceph_fsid\x24\x00\x00\x00([0-9a-f-]{36})")
SYS = Path("/sys/class/block")


def label(path: str) -> tuple[str, str] | None:
    """Give the uuid and the fsid in a device's label, or None."""
    try:
        with Path(path).open("rb", buffering=0) as device:
            head = device.read(HEAD)
    except OSError:
        return None
    if not head.startswith(MAGIC):
        return None
    uuid = head[len(MAGIC) :][:36].decode("ascii", "replace")
    fsid = FSID.search(head)
    return uuid, fsid.group(1).decode() if fsid else ""


def devices() -> Iterator[str]:
    """List the block devices that nothing else is built on (multipath, LVM and the like)."""
    for entry in sorted(SYS.iterdir()):
        holders = entry / "holders"
        if not (holders.is_dir() and any(holders.iterdir())):
            yield f"/dev/{entry.name.replace('!', '/')}"


def find(uuid: str, fsid: str, hint: str) -> str:
    """Give the one device that holds this OSD."""
    if hint and label(hint) == (uuid, fsid):
        return hint
    found = [path for path in devices() if label(path) == (uuid, fsid)]
    if len(found) == 1:
        return found[0]
    if found:
        sys.exit(f"several devices hold the OSD {uuid}: {', '.join(found)}: none is used")
    held = label(hint) if hint else None
    other = f"; {hint} holds the OSD {held[0]} of the cluster {held[1]}" if held else ""
    sys.exit(f"no device holds the OSD {uuid} of the cluster {fsid}{other}")


def on_volumes(uuid: str, fsid: str) -> bool:
    """Say whether the tags of logical volumes tell of this OSD: its DB, or encryption, needs them.

    Asked only where there is a logical volume, for it takes its time.
    """
    if not any(mark.read_text().startswith("LVM-") for mark in SYS.glob("*/dm/uuid")):
        return False
    command = ["ceph-volume", "lvm", "list", "--format", "json"]
    listed = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout or b"{}")
    tags = [volume.get("tags", {}) for volumes in listed.values() for volume in volumes]
    return any(
        tag.get("ceph.osd_fsid") == uuid and tag.get("ceph.cluster_fsid") == fsid for tag in tags
    )


def activate(osd_id: str, uuid: str) -> None:
    """Have ceph-volume open and link all volumes of the OSD."""
    options = ["--bluestore", "--no-systemd", "--no-tmpfs"]
    subprocess.run(["ceph-volume", "lvm", "activate", *options, osd_id, uuid], check=True)


def prime(device: str, folder: Path) -> None:
    """Fill the folder from the label and lead `block` to the device."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o750)
    block = folder / "block"
    if block.is_symlink():
        block.unlink()
    subprocess.run(
        [
            "ceph-bluestore-tool",
            "prime-osd-dir",
            "--dev",
            device,
            "--path",
            str(folder),
            "--no-mon-config",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    if not os.path.lexists(block):
        block.symlink_to(device)
    for path in (folder, *folder.iterdir()):
        os.chown(path, *ceph(), follow_symlinks=False)
    os.chown(os.path.realpath(device), *ceph())


def ceph() -> tuple[int, int]:
    """Give the numbers of Ceph's user and group."""
    return pwd.getpwnam("ceph").pw_uid, grp.getgrnam("ceph").gr_gid


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--id", "--uuid", "--fsid"):
        parser.add_argument(option, required=True)
    parser.add_argument("--hint", default="")
    wanted = parser.parse_args()
    if on_volumes(wanted.uuid, wanted.fsid):
        activate(wanted.id, wanted.uuid)
        return
    device = find(wanted.uuid, wanted.fsid, wanted.hint)
    prime(device, Path(f"/var/lib/ceph/osd/ceph-{wanted.id}"))


if __name__ == "__main__":
    main()
