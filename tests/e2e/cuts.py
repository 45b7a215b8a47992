"""Runs that are cut off after a number of lines of their own report, and what they leave behind.

Lines and not seconds: the moments are the same ones on a slow machine.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.e2e.site import BIN, Site, call

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
HUNG_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Process:
    """A pid and when it began, in ticks since boot: a pid alone may be another's by now."""

    pid: int
    started: int
    command: str

    @property
    def alive(self) -> bool:
        return _started(self.pid) == self.started


def begin(site: Site, wanted: Path, *words: str, state: str = "state") -> subprocess.Popen[str]:
    command = [str(BIN / "orchestrator"), "run", "-f", str(wanted), "-i", str(site.inventory)]
    return subprocess.Popen(
        [*command, *words],
        env={**os.environ, "XDG_STATE_HOME": str(site.folder / state)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def processes(site: Site, state: str = "state") -> tuple[Process, ...]:
    """What runs on this machine for the site's runs; connections may stay open for the next."""
    home = f"XDG_STATE_HOME={site.folder / state}\0".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment = (path / "environ").read_bytes()
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            ours = b"CEPH_ORCHESTRATOR_RUN=" in environment and home in environment
            started = _started(int(path.name))
            if ours and started and "[mux]" not in command:
                found.append(Process(int(path.name), started, command))
    return tuple(found)


def _started(pid: int) -> int:
    """0 when there is no such process, or only its exit code is left."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] == "Z" else int(fields[19])


def end_all(found: Iterable[Process]) -> None:
    """Kill what a killed run left, as when its workstation loses power."""
    for one in found:
        with suppress(ProcessLookupError):
            os.kill(one.pid, signal.SIGKILL)


@dataclass(slots=True)
class Cutter:
    """Cuts runs of one site, one after the other, and looks at what each cut leaves."""

    site: Site
    chance: Random
    cuts: list[str] = field(default_factory=list)
    left: tuple[Process, ...] = ()

    def until_it_ends(self, wanted: Path, most: int) -> None:
        """Cut runs of a manifest, later and later, until one was quick enough or `most` are cut."""
        turn = 0
        while len(self.cuts) < most and self._cut(wanted, self.chance.randint(1, 8 + 6 * turn)):
            turn += 1

    def _cut(self, wanted: Path, lines: int) -> bool:
        number = self.chance.choice(SIGNALS)
        run = begin(self.site, wanted, "--output", "json")
        text = self._read(run, lines)
        time.sleep(self.chance.uniform(0.0, 0.4))  # into what that line begins
        if run.poll() is None:
            run.send_signal(number)
        text += run.communicate(timeout=HUNG_SECONDS)[0]
        if run.returncode == 0:
            return False
        # Once its work is done it no longer minds, and ends by the signal itself.
        assert run.returncode in (128 + number, -number), text
        self._look(wanted, number)
        self.cuts.append(f"{number.name} after {lines} lines of {wanted.stem}")
        return True

    def _read(self, run: subprocess.Popen[str], lines: int) -> str:
        """Read so many lines; by the first one the run has ended what a killed one left."""
        assert run.stdout is not None
        text = ""
        for count in range(lines):
            line = run.stdout.readline()
            if count == 0:
                assert not [one for one in self.left if one.alive], self.left
            if not line:
                break
            text += line
        return text

    def _look(self, wanted: Path, number: signal.Signals) -> None:
        self.left = processes(self.site)
        if number is not signal.SIGKILL:
            assert self.left == (), number
        # Without -i: what is remembered, with no look at the hosts to help.
        command = [str(BIN / "orchestrator"), "status", "-f", str(wanted), "-o", "json"]
        told = call(command, env=self.site.environment())
        if told.code:  # killed before it knew anything
            assert "nothing is known of" in told.err, told.text
            return
        for one in json.loads(told.out)["status"]["conditions"]:
            working = one["type"] == "Progressing" and one["status"] == "True"
            assert not (working and one["message"].startswith("Configuring")), told.out
