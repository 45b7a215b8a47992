"""What the watched files hold, as one value that differs when any of them does."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

VARIABLES = ("group_vars", "host_vars")


def fingerprint(paths: Iterable[Path]) -> str:
    """A hash of the names and contents of all files that `paths` stand for.

    A file that cannot be read is as good as absent: who parses it says why.
    """
    found = hashlib.sha256()
    for path in paths:
        for file in _files(path):
            found.update(f"{file}\0{_digest(file)}\0".encode())
    return found.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    """A folder's files, or the file and the variables that Ansible reads from beside it."""
    if path.is_dir():
        yield from sorted(one for one in path.rglob("*") if one.is_file())
        return
    yield path
    for name in VARIABLES:
        yield from sorted(one for one in (path.parent / name).rglob("*") if one.is_file())


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""
