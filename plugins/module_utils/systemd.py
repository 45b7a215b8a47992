"""Ceph's packaged units, asked and told through one systemctl for all of them."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import program, redact
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_SECONDS = 60.0
_BOOTED = Path("/run/systemd/system")
_JOURNAL_LINES = 8
_PROPERTIES = "Id,LoadState,ActiveState,SubState,UnitFileState,NeedDaemonReload,NRestarts,Result"
_PAUSE = 0.15
# The unit's own patience: one failed start may be bad luck, a second one is an answer.
_RESTARTS = 2


@dataclass(frozen=True)
class Unit:
    """What systemd says of one unit."""

    name: str
    loaded: bool = False
    active: str = "inactive"
    sub: str = ""
    enabled: bool = False
    stale: bool = False
    restarts: int = 0
    result: str = ""

    @property
    def running(self) -> bool:
        return self.active == "active" and self.sub in ("running", "active")


def booted() -> bool:
    """Say whether systemd runs here: in a container it does not."""
    return _BOOTED.is_dir()


def triggered(devices: Sequence[str], seconds: float) -> None:
    """Have udev look at devices again, and wait for it.

    In a container the kernel may refuse it: there the host's udev, which watches who closes a
    device that was written, has seen it already.
    """
    try:
        program.run(["udevadm", "trigger", "--settle", *devices], seconds)
    except HostError:
        if booted():
            raise


def show(units: Sequence[str]) -> dict[str, Unit]:
    if not units:
        return {}
    text = program.run(["systemctl", "show", f"--property={_PROPERTIES}", *units], _SECONDS)
    return {unit.name: unit for unit in map(parse, text.strip().split("\n\n"))}


def parse(block: str) -> Unit:
    values = dict(line.partition("=")[::2] for line in block.splitlines())
    restarts = values.get("NRestarts", "")
    return Unit(
        name=values.get("Id", ""),
        loaded=values.get("LoadState") == "loaded",
        active=values.get("ActiveState", "inactive"),
        sub=values.get("SubState", ""),
        enabled=values.get("UnitFileState") in ("enabled", "enabled-runtime", "static"),
        stale=values.get("NeedDaemonReload") == "yes",
        restarts=int(restarts) if restarts.isdecimal() else 0,
        result=values.get("Result", ""),
    )


def tell(verb: str, units: Iterable[str] = (), *options: str, seconds: float = _SECONDS) -> None:
    names = list(units)
    if names or verb == "daemon-reload":
        program.run(["systemctl", verb, *options, *names], seconds)


def wait_running(
    units: Sequence[str],
    seconds: float,
    look: Callable[[Sequence[str]], Mapping[str, Unit]] = show,
) -> dict[str, Unit]:
    """Give the units that do not run when all have come to rest, or the time is up."""
    until, first = time.monotonic() + seconds, dict(look(units))
    state = first
    while True:
        waiting = {name: unit for name, unit in state.items() if not unit.running}
        hopeless = all(_gave_up(unit, first[name]) for name, unit in waiting.items())
        if hopeless or time.monotonic() > until:
            return waiting
        time.sleep(_PAUSE)
        state = dict(look(units))


def _gave_up(unit: Unit, first: Unit) -> bool:
    return unit.active == "failed" or unit.restarts - first.restarts >= _RESTARTS


def last_words(unit: str) -> str:
    """Give the end of the unit's journal; the error of a daemon stands there."""
    lines = str(_JOURNAL_LINES)
    command = ["journalctl", "--unit", unit, "--lines", lines, "--no-pager", "--output", "cat"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "its journal could not be read"
    return redact.redact(done.stdout.decode("utf-8", "replace").strip()) or "its journal is empty"
