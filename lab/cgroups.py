"""The control groups that hosts make for themselves: nobody else removes them."""

from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


def name(lab_id: str, host: str) -> str:
    return f"{lab_id}-{host}"


def remove(lab_id: str, root: Path = ROOT) -> None:
    """Remove the empty groups of hosts that are gone, deepest first."""
    for base in (root, root / "unified"):
        for top in base.glob(f"{lab_id}-ceph-*"):
            for folder in sorted(top.rglob("*/"), key=lambda path: -len(path.parts)):
                _remove(folder)
            _remove(top)


def _remove(folder: Path) -> None:
    if folder.is_dir():
        folder.rmdir()
