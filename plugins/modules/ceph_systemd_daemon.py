"""Keeps Ceph daemons under systemd: the only module that knows this supervisor."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_systemd_daemon
short_description: Keep Ceph daemons running under systemd
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.changing]
description:
  - For all given daemons of a host at once, writes C(ceph.conf), makes their data, writes a drop-in
    for Ceph's packaged unit, enables and starts them, and waits until they run.
  - A running daemon is started again only when its environment changed, never because of
    C(ceph.conf).
  - Leaves a record of what it set up in C(/var/lib/ceph-orchestrator).
  - A daemon that must be absent is stopped and disabled, and its drop-in, its settings in
    C(ceph.conf) and its record are removed. Its data stays unless O(daemons[].data) says otherwise.
options:
  fsid:
    description: The cluster that absent daemons must belong to. Empty does not look.
    type: str
    default: ""
  conf:
    description: Settings for C(/etc/ceph/ceph.conf) by section. Other lines of it stay as they are.
    type: dict
    default: {}
  conf_defaults:
    description: Settings that are written only where the section has no such line.
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
      resources:
        description:
          - What the daemon may use of the host. A change of it alone restarts nothing.
        type: dict
        default: {}
        suboptions:
          memory_limit:
            description: Bytes of memory; 0 is not limited.
            type: int
            default: 0
          cpu_limit:
            description: Thousandths of a CPU; 0 is not limited.
            type: int
            default: 0
      state:
        description: Whether the daemon must be there.
        type: str
        choices: [present, absent]
        default: present
      data:
        description:
          - What becomes of an absent daemon's data directory. It stays, or is renamed beside its
            place, or is deleted. One that lies in memory is unmounted in any case.
        type: str
        choices: [keep, aside, delete]
        default: keep
      restart:
        description:
          - Whether the daemon may be started again while it runs. One that would have to be and may
            not is left as it is, with its record, and given as waiting.
        type: bool
        default: true
      restart_on:
        description:
          - What the daemon reads when it starts, besides its environment. A change of it starts the
            daemon again.
        type: str
        default: ""
      about:
        description: What other supervisors show of the daemon. It changes nothing here.
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
    description: Seconds to wait until all daemons run, and that stopping the absent ones may take.
    type: float
    default: 60.0
attributes:
  diff_mode:
    description: It shows files and states that would change, without keys.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
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

- name: Take a mgr away
  ceph_orchestrator.ceph.ceph_systemd_daemon:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    daemons:
      - type: mgr
        id: b
        state: absent
        data_dir: /var/lib/ceph/mgr/ceph-b
        data: delete
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
  sample: [{name: mgr.a, unit: ceph-mgr@a.service, active: true, restarted: false}]
waiting:
  description: Daemons that wait until they may be started again.
  returned: always
  type: list
  elements: str
  sample: [osd.27]
"""


from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    daemon,
    managed_file,
    program,
    removal,
    supervision,
)

_LISTS = ("actions", "daemons", "diff")
_STEP = {
    "argv": {"type": "list", "elements": "str", "required": True},
    "creates": {"type": "path", "required": True},
    "staging": {"type": "path", "default": ""},
}
_FILE = {
    "path": {"type": "path", "required": True},
    "content": {"type": "str", "required": True},
    "mode": {"type": "str", "default": "0644"},
}
_DAEMON: dict[str, dict[str, Any]] = {
    "type": {"type": "str", "choices": ["mon", "mgr", "osd"], "required": True},
    "id": {"type": "str", "required": True},
    "record": {"type": "str", "default": ""},
    "program": {"type": "str", "default": ""},
    "data_dir": {"type": "path", "required": True},
    "owner": {"type": "str", "default": "ceph"},
    "init": {"type": "list", "elements": "dict", "default": [], "options": _STEP},
    "before_start": {"type": "list", "elements": "dict", "default": [], "options": _STEP},
    "environment": {"type": "dict", "default": {}},
    "settings": {"type": "dict", "default": {}},
    "resources": {"type": "dict", "default": {}, "options": daemon.LIMITS},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "data": {"type": "str", "choices": ["keep", "aside", "delete"], "default": "keep"},
    "restart": {"type": "bool", "default": True},
    "restart_on": {"type": "str", "default": ""},
    "about": {"type": "dict", "default": {}},
}


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    files = [daemon.file(entry) for entry in module.params["files"]]
    entries = module.params["daemons"]
    gone = [daemon.parse(entry) for entry in entries if entry["state"] == "absent"]
    given = [daemon.parse(entry, files) for entry in entries if entry["state"] == "present"]
    taken = _taken_away(module, gone) if gone else {}
    kept = _kept(module, given) if given or not gone else {}
    return {
        "changed": any(part.get("changed", False) for part in (taken, kept)),
        **{key: [*taken.get(key, ()), *kept.get(key, ())] for key in _LISTS},
        "waiting": kept.get("waiting", []),
    }


def _taken_away(module: AnsibleModule, daemons: list[daemon.Daemon]) -> dict[str, Any]:
    removal.check(daemons, module.params["fsid"])
    state = removal.observe(daemons)
    changes = removal.difference(state, daemons)
    shown = removal.diff(state, changes)
    if not module.check_mode:
        removal.apply(changes, module.params["wait"], module.params["fsid"])
    still = set() if not module.check_mode else set(changes.stop)
    return {
        "changed": bool(changes.actions()),
        "actions": changes.actions(),
        "daemons": [
            {"name": one.name, "unit": one.unit, "active": one.unit in still} for one in daemons
        ],
        "diff": shown,
    }


def _kept(module: AnsibleModule, given: list[daemon.Daemon]) -> dict[str, Any]:
    known = [supervision.keeping_record(one) for one in given]
    waiting = supervision.waiting(known)
    daemons = [one for one in known if one not in waiting]
    program.require(sorted({one.program for one in daemons}))
    conf = supervision.Conf(module.params["conf"], module.params["conf_defaults"])
    state = supervision.observe(conf, daemons)
    supervision.check(state, daemons)
    changes = supervision.difference(state, daemons)
    shown = supervision.diff(state, changes)
    if not module.check_mode:
        supervision.apply(changes, daemons, module.params["wait"])
    restarted = set() if module.check_mode else set(changes.restart)
    started = restarted | (set() if module.check_mode else set(changes.start))
    return {
        "changed": bool(changes.actions()),
        "actions": changes.actions(),
        "daemons": [
            {
                "name": one.name,
                "unit": one.unit,
                "active": state.units[one.unit].running or one.unit in started,
                "restarted": one.unit in restarted,
            }
            for one in daemons
        ],
        "waiting": [one.name for one in waiting],
        "diff": shown,
    }


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "conf": {"type": "dict", "default": {}},
            "conf_defaults": {"type": "dict", "default": {}},
            "fsid": {"type": "str", "default": ""},
            "daemons": {"type": "list", "elements": "dict", "required": True, "options": _DAEMON},
            "files": {"type": "list", "elements": "dict", "default": [], "options": _FILE},
            "wait": {"type": "float", "default": 60.0},
        },
        supports_check_mode=True,
    )
    managed_file.finish(module, _reconciled)


if __name__ == "__main__":
    main()
