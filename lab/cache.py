"""What the lab makes once and keeps under the user's caches."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def folder(name: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ceph-orchestrator" / name


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Let one process at a time make what belongs into the folder."""
    path.mkdir(parents=True, exist_ok=True)
    with (path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
