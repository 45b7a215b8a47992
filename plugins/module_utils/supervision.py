"""From descriptions of daemons to running units: look, compare (pure), bring about."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    daemon,
    managed_file,
    program,
    systemd,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import (
    HostError,
    ManagedFile,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INIT_SECONDS = 300.0
_FOLDER_MODE = 0o750
_ROOT_TARGET = "ceph.target"


@dataclass(frozen=True)
class Conf:
    """Settings for ceph.conf by section; `defaults` count only where the file says nothing."""

    settings: Mapping[str, Any]
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """What the host has."""

    units: Mapping[str, systemd.Unit]
    files: Sequence[ManagedFile]  # those that differ from the wanted ones
    records: Sequence[ManagedFile]
    processes: Mapping[str, str]  # of each daemon's record
    missing: frozenset[str]  # paths that are not there


@dataclass
class Changes:
    """What has to be done, in the order of the fields."""

    files: list[ManagedFile] = field(default_factory=list)
    folders: list[daemon.Daemon] = field(default_factory=list)
    steps: list[tuple[daemon.Daemon, daemon.Step]] = field(default_factory=list)
    reload: bool = False
    enable: list[str] = field(default_factory=list)
    reset: list[str] = field(default_factory=list)
    start: list[str] = field(default_factory=list)
    restart: list[str] = field(default_factory=list)
    records: list[ManagedFile] = field(default_factory=list)

    def actions(self) -> list[str]:
        return [
            *(f"write {file.path}" for file in self.files),
            *(f"make {one.data_dir}" for one in self.folders),
            *(f"make {step.creates}" for _one, step in self.steps),
            *(f"enable {unit}" for unit in self.enable),
            *(f"start {unit}" for unit in self.start),
            *(f"restart {unit}" for unit in self.restart),
            *(f"write {file.path}" for file in self.records),
        ]


def observe(conf: Conf, daemons: Sequence[daemon.Daemon]) -> State:
    wanted = {file.path: file for one in daemons for file in one.owned_files()}
    steps = [step for one in daemons for step in (*one.init, *one.before_start)]
    paths = [one.data_dir for one in daemons] + [step.creates for step in steps]
    names = [one.unit for one in daemons] + sorted({one.target for one in daemons})
    return State(
        units=systemd.show([*names, _ROOT_TARGET] if names else []),
        files=managed_file.difference([_conf(conf, daemons), *wanted.values()]),
        records=managed_file.difference([one.record_file() for one in daemons]),
        processes={one.name: _recorded_process(one) for one in daemons},
        missing=frozenset(path for path in paths if not os.path.lexists(path)),
    )


def _conf(conf: Conf, daemons: Sequence[daemon.Daemon]) -> ManagedFile:
    settings = {section: dict(options or {}) for section, options in conf.settings.items()}
    for one in daemons:
        if one.settings:
            settings.setdefault(one.name, {}).update(one.settings)
    return managed_file.conf_file(cluster.CONF, settings, conf.defaults)


def _recorded_process(one: daemon.Daemon) -> str:
    return str(_recorded(one).get("process", ""))


def _recorded(one: daemon.Daemon) -> dict[str, Any]:
    try:
        found = json.loads(managed_file.read(one.record_path))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def waiting(daemons: Sequence[daemon.Daemon]) -> list[daemon.Daemon]:
    """Give those that run, would have to be started again, and may not be now.

    Nothing of them is touched, their record least of all: it is what tells that they wait.
    """
    doubtful = [
        one
        for one in daemons
        if not one.restart and _recorded_process(one) not in ("", one.process)
    ]
    units = systemd.show([one.unit for one in doubtful])
    return [one for one in doubtful if units[one.unit].running]


def keeping_record(one: daemon.Daemon) -> daemon.Daemon:
    """Take over what is noted with the record when none is given: by hand nothing is taken away.

    What is given all the same counts. The record stands for something else then, so it is dropped,
    and whoever wrote it sees that.
    """
    found = _recorded(one)
    if one.record or not found.get("record"):
        return one
    known = {
        "restart_on": str(found.get("restart_on", "")),
        "environment": daemon.pairs(found.get("environment")),
        "resources": daemon.pairs(found.get("resources")),
    }
    given = {name: getattr(one, name) for name in known if getattr(one, name)}
    record = str(found["record"]) if given.items() <= known.items() else ""
    return replace(one, record=record, **{**known, **given})


def difference(state: State, daemons: Sequence[daemon.Daemon]) -> Changes:
    changes = Changes(files=list(state.files), records=list(state.records))
    drop_ins = {one.drop_in().path for one in daemons}
    changes.reload = any(file.path in drop_ins for file in state.files) or any(
        unit.stale for unit in state.units.values()
    )
    for one in daemons:
        _add(changes, state, one)
    targets = [*sorted({one.target for one in daemons}), _ROOT_TARGET] if daemons else []
    changes.enable += [name for name in targets if not state.units[name].enabled]
    return changes


def _add(changes: Changes, state: State, one: daemon.Daemon) -> None:
    unit = state.units[one.unit]
    if one.data_dir in state.missing:
        changes.folders.append(one)
    # The supervisor itself runs the other ones when it starts the daemon.
    due = (*one.init, *one.before_start) if unit.running else one.init
    changes.steps += [(one, step) for step in due if step.creates in state.missing]
    if not unit.enabled:
        changes.enable.append(one.unit)
    if unit.active == "failed":
        changes.reset.append(one.unit)
    if not unit.running:
        changes.start.append(one.unit)
    elif state.processes[one.name] not in ("", one.process):
        changes.restart.append(one.unit)


def apply(changes: Changes, daemons: Sequence[daemon.Daemon], seconds: float) -> None:
    for file in changes.files:
        managed_file.write(file)
    for one in changes.folders:
        managed_file.make_folder(one.data_dir, one.owner, _FOLDER_MODE)
    for one, step in changes.steps:
        if not os.path.lexists(step.creates):  # an earlier step may have made it
            _run(one, step)
    _supervise(changes)
    if changes.start or changes.restart:
        _wait([one.unit for one in daemons], seconds)
    for file in changes.records:
        managed_file.write(file)


def _run(one: daemon.Daemon, step: daemon.Step) -> None:
    if not step.staging:
        program.run(step.argv, _INIT_SECONDS)
        return
    shutil.rmtree(step.staging, ignore_errors=True)
    managed_file.make_folder(step.staging, one.owner, _FOLDER_MODE)
    program.run(step.argv, _INIT_SECONDS)
    _chown(step.staging, one.owner)
    target = Path(step.staging).parent
    entries = sorted(Path(step.staging).iterdir(), key=lambda path: _is_last(path, step))
    for entry in entries:
        entry.replace(target / entry.name)
    Path(step.staging).rmdir()


def _is_last(path: Path, step: daemon.Step) -> bool:
    return path.name == Path(step.creates).name


def _chown(folder: str, owner: str) -> None:
    for root, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            os.chown(Path(root) / name, *managed_file.ids(owner), follow_symlinks=False)


def _supervise(changes: Changes) -> None:
    if changes.enable:
        systemd.tell("enable", changes.enable)  # it reloads the units as well
    elif changes.reload:
        systemd.tell("daemon-reload")
    systemd.tell("reset-failed", changes.reset)
    systemd.tell("start", changes.start, "--no-block")
    systemd.tell("restart", changes.restart, "--no-block")


def _wait(units: Sequence[str], seconds: float) -> None:
    idle = systemd.wait_running(units, seconds)
    if idle:
        raise HostError(
            "; ".join(
                f"{name} does not run ({unit.active}, {unit.result}): {systemd.last_words(name)}"
                for name, unit in idle.items()
            )
        )


def check(state: State, daemons: Sequence[daemon.Daemon]) -> None:
    """Refuse before anything is changed."""
    program.require(sorted({one.program for one in daemons}))
    missing = sorted({one.unit for one in daemons if not state.units[one.unit].loaded})
    if missing:
        names = ", ".join(missing)
        raise HostError(f"systemd knows no {names}: is the daemon's package installed?")


def diff(state: State, changes: Changes) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [*managed_file.diff([*changes.files, *changes.records])]
    touched = [*changes.start, *changes.restart]
    if touched:
        before = {name: state.units[name].active for name in touched}
        shown.append({"before": before, "after": dict.fromkeys(touched, "active")})
    return shown
