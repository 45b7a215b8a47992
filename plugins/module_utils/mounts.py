"""What is mounted on and below a folder, from the kernel's own list."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import program

MOUNTS = Path("/proc/self/mounts")
_SECONDS = 30.0
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    folder: str
    kind: str


def observe() -> list[Mount]:
    """List all mounts in the order in which they were made."""
    lines = (line.split() for line in MOUNTS.read_text("utf-8", "surrogateescape").splitlines())
    return [Mount(_plain(words[1]), words[2]) for words in lines if len(words) > 2]  # noqa: PLR2004


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found.group(1), 8)), text)


def is_tmpfs(folder: str) -> bool:
    """Say whether what the folder shows lies in memory and is gone after a reboot anyway."""
    kinds = [mount.kind for mount in observe() if mount.folder == folder]
    return bool(kinds) and kinds[-1] == "tmpfs"


def below(folder: str) -> list[str]:
    """Name what is mounted on the folder or anywhere in it."""
    prefix = f"{folder.rstrip('/')}/"
    return [mount.folder for mount in observe() if f"{mount.folder}/".startswith(prefix)]


def unmount(folder: str) -> None:
    program.run(["umount", folder], _SECONDS)
