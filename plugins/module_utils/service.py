"""Services that a host runs beside its daemons: look, compare (pure), bring about.

Either a packaged unit, or a command that is to run every so often. Nothing in a description knows
the supervisor; what systemd needs for it is here.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    daemon,
    managed_file,
    records,
    systemd,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import (
    HostError,
    ManagedFile,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KIND = "service"
"""The first part of the names of their records."""

UNITS = "/etc/systemd/system"
_HEAD = "# Written by ceph_orchestrator.ceph: what is changed here by hand is undone.\n"
_FOLDER_MODE = 0o750


@dataclass(frozen=True)
class Service:
    """What a role says of one service. `every` is in seconds."""

    name: str
    present: bool
    record: str = ""
    unit: str = ""
    command: tuple[str, ...] = ()
    every: int = 0
    resources: Mapping[str, str] = field(default_factory=dict)
    files: tuple[ManagedFile, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def own(self) -> str:
        return f"ceph-orchestrator-{self.name}"

    @property
    def main(self) -> str:
        """The unit that is enabled and started."""
        return self.unit or f"{self.own}.timer"

    @property
    def record_path(self) -> str:
        return str(records.path_of(KIND, self.name))

    def units(self) -> tuple[ManagedFile, ...]:
        limits = "".join(f"{line}\n" for line in daemon.limits(self.resources))
        if self.unit:
            text = f"{_HEAD}[Service]\n{limits}"
            return (ManagedFile(self.drop_in, text),) if limits else ()
        command = " ".join(f'"{daemon.quoted(word).replace("$", "$$")}"' for word in self.command)
        return (
            ManagedFile(
                f"{UNITS}/{self.own}.service",
                f"{_HEAD}[Service]\nType=oneshot\nExecStart={command}\n{limits}",
            ),
            ManagedFile(
                f"{UNITS}/{self.own}.timer",
                f"{_HEAD}[Timer]\nOnBootSec={self.every}\nOnUnitInactiveSec={self.every}\n\n"
                "[Install]\nWantedBy=timers.target\n",
            ),
        )

    @property
    def drop_in(self) -> str:
        return f"{UNITS}/{self.unit}.d/orchestrator.conf"

    def wanted(self) -> tuple[ManagedFile, ...]:
        return (*self.files, *self.units())

    def unwanted(self) -> tuple[str, ...]:
        """Files of ours that must not be there, now or at all."""
        ours = [self.drop_in] if self.unit else [file.path for file in self.units()]
        if self.present:
            return tuple(path for path in ours if path not in {file.path for file in self.units()})
        return (*(file.path for file in self.files), *ours)

    def record_file(self) -> ManagedFile:
        content = {
            "record": self.record,
            "files": {file.path: file.sha256 for file in self.wanted()},
        }
        return ManagedFile(self.record_path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def parse(entry: Mapping[str, Any]) -> Service:
    return Service(
        name=entry["name"],
        present=entry["state"] == "present",
        record=entry["record"],
        unit=entry["unit"],
        command=tuple(entry["command"]),
        every=entry["every"],
        resources={name: str(value) for name, value in (entry["resources"] or {}).items()},
        files=tuple(daemon.file(one) for one in entry["files"]),
        folders=tuple(entry["folders"]),
    )


@dataclass(frozen=True)
class State:
    """What the host has."""

    units: Mapping[str, systemd.Unit]
    files: Sequence[ManagedFile] = ()  # those that differ from the wanted ones
    present: frozenset[str] = frozenset()  # of the unwanted paths and the records, those there
    foreign: frozenset[str] = frozenset()  # folders that are missing or somebody else's


@dataclass
class Changes:
    """What has to be done, in the order of the fields."""

    stop: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    files: list[ManagedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    reload: bool = False
    enable: list[str] = field(default_factory=list)
    restart: list[str] = field(default_factory=list)
    records: list[ManagedFile] = field(default_factory=list)
    forget: list[str] = field(default_factory=list)

    def actions(self) -> list[str]:
        return [
            *(f"stop and disable {unit}" for unit in self.stop),
            *(f"remove {path}" for path in self.remove),
            *(f"write {file.path}" for file in self.files),
            *(f"own {path}" for path in self.folders),
            *(f"enable {unit}" for unit in self.enable),
            *(f"start {unit}" for unit in self.restart),
            *(f"write {file.path}" for file in self.records),
            *(f"remove {path}" for path in self.forget),
        ]


def observe(services: Sequence[Service]) -> State:
    kept = [one for one in services if one.present]
    paths = {path for one in services for path in (*one.unwanted(), one.record_path)}
    return State(
        units=systemd.show([one.main for one in services]),
        files=managed_file.difference([file for one in kept for file in one.wanted()]),
        present=frozenset(path for path in paths if os.path.lexists(path)),
        foreign=frozenset(path for one in kept for path in one.folders if not _is_cephs(path)),
    )


def _is_cephs(path: str) -> bool:
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return False
    return (found.st_uid, found.st_gid) == managed_file.ids("ceph")


def difference(state: State, services: Sequence[Service]) -> Changes:
    changes = Changes()
    for one in services:
        (_kept if one.present else _gone)(changes, state, one)
    changed = {*(file.path for file in changes.files), *changes.remove}
    changes.reload = any(path.startswith(UNITS) for path in changed) or any(
        unit.stale for unit in state.units.values()
    )
    return changes


def _kept(changes: Changes, state: State, one: Service) -> None:
    unit = state.units.get(one.main, systemd.Unit(one.main))
    differing = [file for file in state.files if file in one.wanted()]
    changes.files += differing
    changes.remove += [path for path in one.unwanted() if path in state.present]
    changes.folders += [path for path in one.folders if path in state.foreign]
    if not unit.enabled:
        changes.enable.append(one.main)
    if unit.active != "active" or f"{UNITS}/{one.main}" in {file.path for file in differing}:
        changes.restart.append(one.main)
    changes.records += managed_file.difference([one.record_file()])


def _gone(changes: Changes, state: State, one: Service) -> None:
    unit = state.units.get(one.main, systemd.Unit(one.main))
    if unit.loaded and (unit.enabled or unit.active not in ("inactive", "failed")):
        changes.stop.append(one.main)
    changes.remove += [path for path in one.unwanted() if path in state.present]
    if one.record_path in state.present:
        changes.forget.append(one.record_path)


def check(state: State, services: Sequence[Service]) -> None:
    """Refuse before anything is changed."""
    missing = [
        one.unit
        for one in services
        if one.present and one.unit and not state.units[one.unit].loaded
    ]
    if missing:
        raise HostError(
            f"systemd knows no {', '.join(missing)}: is the package ceph-base installed?"
        )


def apply(changes: Changes) -> None:
    if changes.stop:
        systemd.tell("disable", changes.stop, "--now")
    for path in changes.remove:
        Path(path).unlink(missing_ok=True)
    for file in changes.files:
        managed_file.write(file)
    for path in changes.folders:
        managed_file.make_folder(path, "ceph", _FOLDER_MODE)
        os.chown(path, *managed_file.ids("ceph"))
    if changes.reload:
        systemd.tell("daemon-reload")
    systemd.tell("enable", changes.enable)
    systemd.tell("reset-failed", changes.restart)
    systemd.tell("restart", changes.restart)
    for file in changes.records:
        managed_file.write(file)
    for path in changes.forget:
        Path(path).unlink(missing_ok=True)


def diff(changes: Changes) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [*managed_file.diff([*changes.files, *changes.records])]
    if changes.remove or changes.forget:
        paths = [*changes.remove, *changes.forget]
        shown.append(
            {"before": dict.fromkeys(paths, "file"), "after": dict.fromkeys(paths, "absent")}
        )
    if changes.stop or changes.restart:
        before = {
            **dict.fromkeys(changes.stop, "running"),
            **dict.fromkeys(changes.restart, "inactive"),
        }
        after = {
            **dict.fromkeys(changes.stop, "stopped"),
            **dict.fromkeys(changes.restart, "running"),
        }
        shown.append({"before": before, "after": after})
    return shown
