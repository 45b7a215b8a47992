"""Folders that nobody else can read, on tmpfs where there is one: for a run, or as a home."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.ansible.processes import PRIVATE, Processes, Run

TMPFS = Path("/dev/shm")  # noqa: S108 - a fresh 0700 directory is made inside it


@contextmanager
def directory() -> Iterator[Path]:
    """For one run, with which it goes."""
    with tempfile.TemporaryDirectory(prefix=PRIVATE, dir=_parent()) as name:
        yield Path(name)


def home(whose: object, processes: Processes) -> Path:
    """For many runs; it goes with the object `whose`.

    A process that was killed could not remove its own, and may have left a run at work: both end
    here.
    """
    processes.end_leftovers()
    made = Path(tempfile.mkdtemp(prefix=PRIVATE, dir=_parent()))
    weakref.finalize(whose, _remove, made, processes.keep(made))
    return made


def _parent() -> Path | None:
    return TMPFS if os.access(TMPFS, os.W_OK) else None


def _remove(made: Path, note: Run) -> None:
    shutil.rmtree(made, ignore_errors=True)
    note.forget()
