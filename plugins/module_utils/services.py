"""The services of ours that a host runs beside its daemons, as a look at it finds them."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, records

if TYPE_CHECKING:
    from collections.abc import Mapping

CRASH_KEYRING = Path("/etc/ceph/ceph.client.crash.keyring")
UNITS = {"crash": "ceph-crash.service", "logrotate": "ceph-orchestrator-logrotate.timer"}
_KIND = "service"
_PROPERTIES = "Id,LoadState,ActiveState,UnitFileState"
_SECONDS = 10.0


@dataclass
class Service:
    """One entry of the module's `services`; the names are those of its RETURN."""

    name: str
    installed: bool
    active: str
    enabled: bool
    keyring: bool = False
    record: str = ""
    drifted: list[str] = field(default_factory=list)


def collect(errors: list[str]) -> list[dict[str, Any]]:
    """List both services; a supervisor that cannot be asked leaves them out, and says so."""
    command = ["systemctl", "show", "--property", _PROPERTIES, "--", *UNITS.values()]
    try:
        code, out, said = child.output(command, _SECONDS)
    except (OSError, child.ChildGoneError) as error:
        errors.append(f"systemctl: {error}")
        return []
    if code:
        errors.append(f"systemctl show failed ({code}): {said.strip()[-500:]}")
        return []
    blocks = [
        dict(line.partition("=")[::2] for line in one.splitlines()) for one in out.split("\n\n")
    ]
    units = {block.get("Id", ""): block for block in blocks}
    return [asdict(_service(name, units.get(unit, {}))) for name, unit in UNITS.items()]


def _has(program: str) -> bool:
    return bool(shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin"))


def _service(name: str, unit: Mapping[str, str]) -> Service:
    record = records.read(_KIND, name)
    return Service(
        name=name,
        installed=unit.get("LoadState") == "loaded" or _has(name),
        active=unit.get("ActiveState", ""),
        enabled=unit.get("UnitFileState", "").startswith("enabled"),
        keyring=name == "crash" and CRASH_KEYRING.is_file(),
        record=record.text,
        drifted=record.drifted(),
    )
