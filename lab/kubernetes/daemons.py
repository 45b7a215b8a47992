"""Programs that go on after the lab's command has ended, each known by its pid file."""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.proc import LabError

PROC = Path("/proc")
STOP_SECONDS = 10.0
LAST_STANDARD = 2  # the number of standard error


@dataclass(frozen=True, slots=True)
class Daemon:
    """One program of a folder: NAME.pid says which process it is, NAME.log what it printed."""

    folder: Path
    name: str

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.name}.pid"

    def start(self, command: Sequence[str | Path], *, bound: bool = False) -> None:
        """Start the program unless it runs.

        Args:
            command: its words.
            bound: whether it ends with the thread that starts it, however that one ends.

        """
        if self.pid() is not None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        words = [*(("setpriv", "--pdeathsig", "KILL") if bound else ()), *map(str, command)]
        # Not subprocess: its objects complain when they are forgotten while the program goes on.
        pid = os.posix_spawnp(words[0], words, os.environ, file_actions=self._files(), setsid=True)
        self._file.write_text(f"{pid} {_started(pid)}\n")

    def pid(self) -> int | None:
        """Return the running process; a pid that was given to another program since is not it."""
        try:
            pid, started = self._file.read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        return int(pid) if started != GONE and _started(int(pid)) == started else None

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the program and wait until it has ended; one that does not listen is killed."""
        pid = self.pid()
        if pid is not None:
            os.kill(pid, how)
            if not self._ended(pid, STOP_SECONDS):
                os.kill(pid, signal.SIGKILL)
                self._ended(pid, STOP_SECONDS)
        self._file.unlink(missing_ok=True)

    def last_words(self) -> str:
        """Return the end of its log, empty before it was started."""
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""

    def complaint(self, what: str) -> LabError:
        """Return the error that it `what`, with its last words."""
        return LabError(f"{self.name} {what}; {self.log} ends with:\n{self.last_words()}")

    def _files(self) -> list[tuple[int, ...] | tuple[int, int, str, int, int]]:
        append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        return [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(self.log), append, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, str(self.log), append, 0o600),
            *((os.POSIX_SPAWN_CLOSE, number) for number in _inherited()),
        ]

    def _ended(self, pid: int, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.pid() is None:
                with contextlib.suppress(ChildProcessError):  # started by another process
                    os.waitpid(pid, os.WNOHANG)
                return True
            time.sleep(0.02)
        return False


GONE = "-"


def _started(pid: int) -> str:
    """Return when the process began, in clock ticks since boot; GONE for one that has ended."""
    try:
        # The name in brackets may hold spaces; the state follows it, and the time is field 22.
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        # The first thread may be dead while others still hold what it had open, such as a port.
        alone = len(list((PROC / str(pid) / "task").iterdir())) == 1
    except (FileNotFoundError, ProcessLookupError):
        return GONE
    return GONE if fields[0] in "ZX" and alone else fields[19]


def _inherited() -> list[int]:
    """What our caller left open for its programs, such as a lock: no matter of those that stay."""
    numbers = [int(path.name) for path in Path("/dev/fd").iterdir()]
    return [number for number in numbers if number > LAST_STANDARD and _is_inheritable(number)]


def _is_inheritable(number: int) -> bool:
    try:
        return os.get_inheritable(number)
    except OSError:  # the folder's own, which is closed again
        return False
