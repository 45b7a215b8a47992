"""Keeps services of a host under systemd that are no daemons of Ceph's map."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_systemd_service
short_description: Keep services beside Ceph's daemons under systemd
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.changing]
description:
  - Enables and starts a packaged unit, or makes a timer that runs a command every so often, with
    the files that it needs.
  - A service that must be absent is stopped and disabled, and all that was written for it goes.
  - Leaves a record of what it set up in C(/var/lib/ceph-orchestrator).
options:
  services:
    description: The services.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Its name, from which those of its own units and of its record are made.
        type: str
        required: true
      state:
        description: Whether the host runs it.
        type: str
        choices: [present, absent]
        default: present
      record:
        description: A text to keep with it, so that its owner knows what was set up.
        type: str
        default: ""
      unit:
        description: The packaged unit. Without one there is a O(services[].command).
        type: str
        default: ""
      command:
        description: The command that runs every so often.
        type: list
        elements: str
        default: []
      every:
        description: Seconds from the end of one run of the command to the next.
        type: int
        default: 900
      program:
        description: The program that must be installed.
        type: str
        default: ""
      resources:
        description: What it may use of the host. A change of it restarts nothing.
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
      files:
        description: Files that it needs, which go with it.
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
            default: ""
          mode:
            description: Its mode.
            type: str
            default: "0644"
      folders:
        description: Folders that must be the user ceph's.
        type: list
        elements: path
        default: []
attributes:
  diff_mode:
    description: It shows files and states that would change.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Collect crashes
  ceph_orchestrator.ceph.ceph_systemd_service:
    services:
      - name: crash
        unit: ceph-crash.service
        folders: [/var/lib/ceph/crash/posted]
"""

RETURN = r"""
actions:
  description: What was done, in order.
  returned: always
  type: list
  elements: str
  sample: ["own /var/lib/ceph/crash/posted", "enable ceph-crash.service"]
"""


from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    daemon,
    managed_file,
    program,
    service,
)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    entries = module.params["services"]
    services = [service.parse(entry) for entry in entries]
    wanted = {one["program"] for one in entries if one["state"] == "present" and one["program"]}
    program.require(sorted(wanted))
    state = service.observe(services)
    service.check(state, services)
    changes = service.difference(state, services)
    shown = service.diff(changes)
    if not module.check_mode:
        service.apply(changes)
    return {"changed": bool(changes.actions()), "actions": changes.actions(), "diff": shown}


def main() -> None:
    file = {
        "path": {"type": "path", "required": True},
        "content": {"type": "str", "default": ""},
        "mode": {"type": "str", "default": "0644"},
    }
    entry = {
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "record": {"type": "str", "default": ""},
        "unit": {"type": "str", "default": ""},
        "command": {"type": "list", "elements": "str", "default": []},
        "every": {"type": "int", "default": 900},
        "program": {"type": "str", "default": ""},
        "resources": {"type": "dict", "default": {}, "options": daemon.LIMITS},
        "files": {"type": "list", "elements": "dict", "default": [], "options": file},
        "folders": {"type": "list", "elements": "path", "default": []},
    }
    module = AnsibleModule(
        argument_spec={
            "services": {"type": "list", "elements": "dict", "required": True, "options": entry}
        },
        supports_check_mode=True,
    )
    managed_file.finish(module, _reconciled)


if __name__ == "__main__":
    main()
