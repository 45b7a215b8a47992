"""The control groups that hosts make for themselves: nobody else removes them."""

import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


def name(lab_id: str, host: str) -> str:
    return f"{lab_id}-{host}"


def remove(lab_id: str, root: Path = ROOT) -> None:
    """Remove the groups of hosts that are gone, deepest first."""
    for base in (root, root / "unified"):
        for top in base.glob(f"{lab_id}-ceph-*"):
            for folder in sorted((top, *top.rglob("*/")), key=lambda path: -len(path.parts)):
                _remove(folder)


def _remove(folder: Path) -> None:
    """Remove one group; it stays busy for a moment after its last process died."""
    for _ in range(50):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    folder.rmdir()
