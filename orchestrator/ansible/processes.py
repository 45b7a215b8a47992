"""The processes of a run, known again after the orchestrator itself was killed.

Ansible's main process ignores hang-ups and each of its workers leads a session of its own, so no
process group has all. What they have in common is a token in their environment. The main process
notes its own pid and start time before it becomes Ansible; a pid alone may be another's by now.
"""

import json
import os
import shutil
import signal
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TOKEN = "CEPH_ORCHESTRATOR_RUN"  # noqa: S105 - a name, and no secret
PROC = Path("/proc")
BOOT = PROC / "sys" / "kernel" / "random" / "boot_id"
END_SECONDS = 5.0
PRIVATE = "ceph-orchestrator-"
"""How the private directory of a run begins its name."""

_NOTE_AND_BECOME = 'read -r line < /proc/$$/stat && printf "%s\\n" "$line" > "$0"; exec "$@"'
_STARTED = 19  # of the fields behind the name, which may hold blanks and brackets itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A pid and when it began, in ticks since the machine's boot."""

    pid: int
    started: int


class Processes:
    """Notes of the runs that are at work, one directory for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def noted(self, run: str, private: Path | None = None) -> Iterator["Run"]:
        """Note a run of this process while it lasts; a connection may stay open for the next.

        One that does not end in order has its processes ended. Who is killed cannot remove its
        `private` directory either, so that is noted as well.
        """
        found = self._begin(run, private)
        try:
            yield found
        except BaseException:
            found.end()
            raise
        found.forget()

    def keep(self, private: Path) -> "Run":
        """Note a private directory of this process that outlasts its runs.

        Whoever removes the directory forgets the note.
        """
        return self._begin("home", private)

    def _begin(self, run: str, private: Path | None = None) -> "Run":
        found = Run(self._folder / f"{run}-{uuid.uuid4().hex[:8]}")
        found.folder.mkdir(parents=True, mode=0o700)
        mine = of(os.getpid())
        note = {"boot": _boot(), "parent": asdict(mine) if mine else None}
        note |= {"private": str(private)} if private else {}
        (found.folder / "parent.json").write_text(json.dumps(note))
        return found

    def end_leftovers(self) -> int:
        """End what runs left whose orchestrator is gone; gives how many processes that were."""
        runs = [Run(path) for path in self._folder.glob("*") if path.is_dir()]
        return sum(run.end(private=True) for run in runs if run.abandoned())


@dataclass(frozen=True, slots=True)
class Run:
    """The note of one run."""

    folder: Path

    @property
    def token(self) -> str:
        return self.folder.name

    def command(self, command: list[str]) -> list[str]:
        """`command`, which notes itself before it begins."""
        return ["/bin/sh", "-c", _NOTE_AND_BECOME, str(self.folder / "main"), *command]

    def abandoned(self) -> bool:
        note = _note(self.folder / "parent.json")
        parent = note.get("parent") or {}
        found = of(int(parent.get("pid", 0)))
        return found is None or note.get("boot") != _boot() or asdict(found) != parent

    def end(self, *, private: bool = False) -> int:
        """End every process of the run, and forget it; `private`: and what it could not remove."""
        ended: set[int] = set()
        until = time.monotonic() + END_SECONDS
        while (left := list(self._alive())) and time.monotonic() < until:
            for pid in left:
                _kill(pid)
            ended.update(left)
            time.sleep(0.02)
        if private:
            self._clear()
        self.forget()
        return len(ended)

    def _clear(self) -> None:
        """Only what is named as we name it: a note could have been edited."""
        path = Path(str(_note(self.folder / "parent.json").get("private", "")))
        if path.name.startswith(PRIVATE):
            shutil.rmtree(path, ignore_errors=True)

    def forget(self) -> None:
        for name in ("main", "parent.json"):
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _alive(self) -> Iterator[int]:
        main = self._main()
        if main and of(main.pid) == main:
            yield main.pid
        wanted = f"{TOKEN}={self.token}".encode()
        for path in PROC.glob("[0-9]*/environ"):
            pid = int(path.parent.name)
            if pid != os.getpid() and wanted in _bytes(path).split(b"\0"):
                yield pid

    def _main(self) -> Process | None:
        """Ansible's main process as it noted itself, in this boot of the machine."""
        if _note(self.folder / "parent.json").get("boot") != _boot():
            return None
        text = _bytes(self.folder / "main").decode(errors="replace")
        return _parsed(text)


def of(pid: int) -> Process | None:
    """The process that has `pid` now; None when there is none, or it has ended already."""
    text = _bytes(PROC / str(pid) / "stat").decode(errors="replace")
    state = text.rpartition(")")[2].split()[:1]
    return None if state == ["Z"] else _parsed(text)


def _parsed(text: str) -> Process | None:
    fields = text.rpartition(")")[2].split()
    if len(fields) <= _STARTED:
        return None
    return Process(pid=int(text.split(maxsplit=1)[0]), started=int(fields[_STARTED]))


def _kill(pid: int) -> None:
    """With its process group where it leads one, which is then all ours."""
    with suppress(ProcessLookupError, PermissionError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)


def _boot() -> str:
    return _bytes(BOOT).decode().strip()


def _note(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
