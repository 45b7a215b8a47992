"""Reads how daemons fare under systemd: the words to a daemon that does not come up."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_systemd_daemon_info
short_description: Read how Ceph daemons fare under systemd
version_added: 0.1.0
description:
  - Gives the state of each daemon's unit and the last lines of its journal, in which keys are
    hidden.
extends_documentation_fragment: [ceph_orchestrator.ceph.reading]
options:
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
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Read why the mgr is not there
  ceph_orchestrator.ceph.ceph_systemd_daemon_info:
    daemons:
      - {type: mgr, id: a}
"""

RETURN = r"""
daemons:
  description: The state of each daemon.
  returned: always
  type: list
  elements: dict
  sample: [{unit: ceph-mgr@a.service, active: activating, sub: auto-restart, restarts: 3}]
text:
  description: The states and the last lines of the journals in one text.
  returned: always
  type: str
  sample: "ceph-mgr@a.service (activating, started again 3 times): unable to find a keyring"
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import managed_file, systemd

if TYPE_CHECKING:
    from collections.abc import Mapping


def observe(daemons: list[dict[str, Any]]) -> dict[str, systemd.Unit]:
    return systemd.show([f"ceph-{one['type']}@{one['id']}.service" for one in daemons])


def explanation(units: Mapping[str, systemd.Unit]) -> str:
    return "; ".join(
        f"{name} ({unit.active}, started again {unit.restarts} times): {systemd.last_words(name)}"
        for name, unit in units.items()
    )


def _answer(module: AnsibleModule) -> dict[str, Any]:
    units = observe(module.params["daemons"])
    found = [
        {"unit": name, "active": unit.active, "sub": unit.sub, "restarts": unit.restarts}
        for name, unit in units.items()
    ]
    return {"changed": False, "daemons": found, "text": explanation(units)}


def main() -> None:
    daemon = {
        "type": {"type": "str", "choices": ["mon", "mgr", "osd"], "required": True},
        "id": {"type": "str", "required": True},
    }
    module = AnsibleModule(
        argument_spec={
            "daemons": {"type": "list", "elements": "dict", "required": True, "options": daemon}
        },
        supports_check_mode=True,
    )
    managed_file.finish(module, _answer)


if __name__ == "__main__":
    main()
