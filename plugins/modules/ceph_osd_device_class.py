"""Sets the CRUSH device class of OSDs whose class is another one."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_device_class
short_description: Set the CRUSH device class of OSDs
version_added: 0.1.0
description:
  - Sets the device class of the OSDs whose class differs.
  - Data moves when a pool's rule uses classes.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  osds:
    description: The OSDs and their classes.
    type: list
    elements: dict
    required: true
    suboptions:
      id:
        description: The OSD's number.
        type: int
        required: true
      device_class:
        description: Its class.
        type: str
        required: true
attributes:
  diff_mode:
    description: It shows the classes that differ.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Set a class
  ceph_orchestrator.ceph.ceph_osd_device_class:
    osds:
      - {id: 3, device_class: nvme}
"""

RETURN = r"""
classes:
  description: The classes that were set, by the OSD's number.
  returned: always
  type: dict
  sample: {"3": nvme}
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, readiness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )


def difference(current: Mapping[int, str], osds: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Choose OSDs of another class; one that is not in the CRUSH map yet cannot have any."""
    return {
        osd["id"]: osd["device_class"]
        for osd in osds
        if osd["id"] in current and current[osd["id"]] != osd["device_class"]
    }


def apply(client: CephClient, current: Mapping[int, str], changes: Mapping[int, str]) -> None:
    for osd_id, device_class in changes.items():
        ids = [f"osd.{osd_id}"]
        if current[osd_id]:
            client.command("osd crush rm-device-class", ids=ids)
        arguments: dict[str, Any] = {"class": device_class, "ids": ids}
        client.command("osd crush set-device-class", **arguments)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    osds = module.params["osds"]
    if module.check_mode and cluster.is_unknown():
        return {"changed": False, "classes": {}}
    with cluster.connected(module.params) as client:
        current = readiness.device_classes(client)
        changes = difference(current, osds)
        if not module.check_mode:
            apply(client, current, changes)
    return {
        "changed": bool(changes),
        "classes": {str(osd_id): name for osd_id, name in changes.items()},
        "diff": {
            "before": {f"osd.{osd_id}": current[osd_id] for osd_id in changes},
            "after": {f"osd.{osd_id}": name for osd_id, name in changes.items()},
        },
    }


def main() -> None:
    osd = {
        "id": {"type": "int", "required": True},
        "device_class": {"type": "str", "required": True},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "osds": {"type": "list", "elements": "dict", "required": True, "options": osd},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
