"""Keeps Ceph daemons under systemd: the only module that knows this supervisor."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
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

DOCUMENTATION = r"""
module: ceph_systemd_daemon
short_description: Keep Ceph daemons running under systemd
version_added: 0.1.0
description:
  - For all given daemons of a host at once, writes C(ceph.conf), makes their data, writes a drop-in
    for Ceph's packaged unit, enables and starts them, and waits until they run.
  - A running daemon is started again only when its environment changed, never because of C(ceph.conf).
  - Leaves a record of what it set up in C(/var/lib/ceph-orchestrator).
options:
  conf:
    description: Settings for C(/etc/ceph/ceph.conf) by section. Other lines of it stay as they are.
    type: dict
    default: {}
  daemons:
    description: The daemons.
    type: list
    elements: dict
    required: true
    suboptions:
      type:
        description: The kind of daemon, as in the name of the unit.
        type: str
        choices: [mon, mgr, osd]
        required: true
      id:
        description: The daemon's id, as in the name of the unit.
        type: str
        required: true
      record:
        description: A text to keep with the daemon, so that its owner knows what was set up.
        type: str
        default: ""
      program:
        description: The program that must be installed, by default that of the type.
        type: str
        default: ""
      data_dir:
        description: The folder of its data.
        type: path
        required: true
      owner:
        description: User and group of the data.
        type: str
        default: ceph
      init:
        description: Commands that make the data, in order.
        type: list
        elements: dict
        default: []
        suboptions: &step
          argv:
            description: The command.
            type: list
            elements: str
            required: true
          creates:
            description: The path that it makes. The command runs when this is missing.
            type: path
            required: true
          staging:
            description: A folder that the command fills and whose entries are then moved beside it.
            type: path
            default: ""
      before_start:
        description:
          - Commands that the supervisor runs before each start.
          - One whose path went missing under a running daemon runs at once.
        type: list
        elements: dict
        default: []
        suboptions: *step
      environment:
        description: Environment of the process. A change of it starts the daemon again.
        type: dict
        default: {}
      settings:
        description: Settings for the daemon's own section of C(ceph.conf).
        type: dict
        default: {}
  files:
    description: Files that all these daemons need.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: The file.
        type: path
        required: true
      content:
        description: Its text.
        type: str
        required: true
      mode:
        description: Its mode.
        type: str
        default: "0644"
  wait:
    description: Seconds to wait until all daemons run.
    type: float
    default: 60.0
attributes:
  check_mode:
    description: It says what it would do.
    support: full
  diff_mode:
    description: It shows files and states that would change, without keys.
    support: full
author: The ceph-orchestrator authors
"""

EXAMPLES = r"""
- name: Run a mgr
  ceph_orchestrator.ceph.ceph_systemd_daemon:
    conf:
      global: {fsid: 0a1b2c3d-1111-4222-8333-444455556666, mon_host: "[v2:192.0.2.1:3300]"}
    daemons:
      - type: mgr
        id: a
        data_dir: /var/lib/ceph/mgr/ceph-a
"""

RETURN = r"""
actions:
  description: What was done, in order.
  returned: always
  type: list
  elements: str
  sample: ["write /etc/ceph/ceph.conf", "enable ceph-mgr@a.service", "start ceph-mgr@a.service"]
daemons:
  description: The daemons as they are afterwards.
  returned: always
  type: list
  elements: dict
  sample: [{name: mgr.a, unit: ceph-mgr@a.service, active: true}]
"""

_INIT_SECONDS = 300.0
_FOLDER_MODE = 0o750
_ROOT_TARGET = "ceph.target"


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


def observe(conf: Mapping[str, Any], daemons: Sequence[daemon.Daemon]) -> State:
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


def _conf(conf: Mapping[str, Any], daemons: Sequence[daemon.Daemon]) -> ManagedFile:
    settings = {section: dict(options or {}) for section, options in conf.items()}
    for one in daemons:
        if one.settings:
            settings.setdefault(one.name, {}).update(one.settings)
    return managed_file.conf_file(cluster.CONF, settings)


def _recorded_process(one: daemon.Daemon) -> str:
    try:
        return str(json.loads(managed_file.read(one.record_path)).get("process", ""))
    except (ValueError, AttributeError):
        return ""


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
        raise HostError(f"systemd knows no {', '.join(missing)}: is the daemon's package installed?")


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    files = [daemon.file(entry) for entry in module.params["files"]]
    daemons = [daemon.parse(entry, files) for entry in module.params["daemons"]]
    program.require(sorted({one.program for one in daemons}))
    state = observe(module.params["conf"], daemons)
    check(state, daemons)
    changes = difference(state, daemons)
    shown = _diff(state, changes)
    if not module.check_mode:
        apply(changes, daemons, module.params["wait"])
    started = {*changes.start, *changes.restart} if not module.check_mode else set()
    return {
        "changed": bool(changes.actions()),
        "actions": changes.actions(),
        "daemons": [
            {
                "name": one.name,
                "unit": one.unit,
                "active": state.units[one.unit].running or one.unit in started,
            }
            for one in daemons
        ],
        "diff": shown,
    }


def _diff(state: State, changes: Changes) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [*managed_file.diff([*changes.files, *changes.records])]
    touched = [*changes.start, *changes.restart]
    if touched:
        before = {name: state.units[name].active for name in touched}
        shown.append({"before": before, "after": dict.fromkeys(touched, "active")})
    return shown


def main() -> None:
    step = {
        "argv": {"type": "list", "elements": "str", "required": True},
        "creates": {"type": "path", "required": True},
        "staging": {"type": "path", "default": ""},
    }
    file = {
        "path": {"type": "path", "required": True},
        "content": {"type": "str", "required": True},
        "mode": {"type": "str", "default": "0644"},
    }
    entry = {
        "type": {"type": "str", "choices": ["mon", "mgr", "osd"], "required": True},
        "id": {"type": "str", "required": True},
        "record": {"type": "str", "default": ""},
        "program": {"type": "str", "default": ""},
        "data_dir": {"type": "path", "required": True},
        "owner": {"type": "str", "default": "ceph"},
        "init": {"type": "list", "elements": "dict", "default": [], "options": step},
        "before_start": {"type": "list", "elements": "dict", "default": [], "options": step},
        "environment": {"type": "dict", "default": {}},
        "settings": {"type": "dict", "default": {}},
    }
    module = AnsibleModule(
        argument_spec={
            "conf": {"type": "dict", "default": {}},
            "daemons": {"type": "list", "elements": "dict", "required": True, "options": entry},
            "files": {"type": "list", "elements": "dict", "default": [], "options": file},
            "wait": {"type": "float", "default": 60.0},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except HostError as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
