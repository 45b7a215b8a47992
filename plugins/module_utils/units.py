"""The state of Ceph's systemd units on this host: one `systemctl show` for all of them."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child

if TYPE_CHECKING:
    from collections.abc import Iterable

ETC = Path("/etc/systemd/system")
_NAME = re.compile(r"^ceph-(mon|mgr|osd)@(.+)\.service$")
_STARTED = "ExecMainStartTimestampMonotonic"
_PROPERTIES = f"Id,LoadState,ActiveState,UnitFileState,{_STARTED}"
_SECONDS = 10.0
_IDLE = ("inactive", "")


class UnitsError(Exception):
    """Nobody could be asked: the states are unknown, not inactive."""


@dataclass(frozen=True)
class Unit:
    """`started` is when its process began by the kernel's monotonic clock, 0 when unknown."""

    active: str
    enabled: bool
    started: float = 0.0

    @property
    def wanted(self) -> bool:
        """Tell whether there is more to it than a name."""
        return self.enabled or self.active not in _IDLE

    def running_seconds(self) -> float:
        """Say for how long the process has run, -1 when it does not, or that is not known."""
        known = self.active == "active" and self.started > 0
        return round(time.monotonic() - self.started, 1) if known else -1.0


def name(kind: str, daemon_id: str) -> str:
    return f"ceph-{kind}@{daemon_id}.service"


def identity(unit: str) -> tuple[str, str] | None:
    """Give type and id of a Ceph unit's name, None for any other."""
    found = _NAME.match(unit)
    return (found.group(1), found.group(2)) if found else None


def enabled_names() -> set[str]:
    """List the units that targets want, loaded or not."""
    links = ETC.glob("*.wants/ceph-*@*.service")
    return {link.name for link in links if _NAME.match(link.name)}


def show(names: Iterable[str]) -> dict[str, Unit]:
    """Ask systemd for these units and for all that it has loaded."""
    patterns = [name(kind, "*") for kind in ("mon", "mgr", "osd")]
    command = ["systemctl", "show", "--property", _PROPERTIES, "--", *sorted(names), *patterns]
    try:
        code, out, errors = child.output(command, _SECONDS)
    except (OSError, child.ChildGoneError) as error:
        raise UnitsError(f"systemctl: {error}") from error
    if code:
        raise UnitsError(f"systemctl show failed ({code}): {errors.strip()[-500:]}")
    return parse(out)


def parse(text: str) -> dict[str, Unit]:
    units = {}
    for block in text.split("\n\n"):
        values = dict(line.partition("=")[::2] for line in block.splitlines())
        if _NAME.match(values.get("Id", "")):
            units[values["Id"]] = Unit(
                active=values.get("ActiveState", ""),
                enabled=values.get("UnitFileState", "").startswith("enabled"),
                started=_seconds(values.get(_STARTED, "")),
            )
    return units


def _seconds(microseconds: str) -> float:
    return int(microseconds) / 1e6 if microseconds.isdigit() else 0.0
