"""Takes OSDs out of the map that were announced and never made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

DOCUMENTATION = r"""
module: ceph_osd_orphan
short_description: Take OSDs out of the map that were never made
version_added: 0.1.0
description:
  - Gives back the numbers that failed attempts to make an OSD have taken.
  - An OSD is found by its uuid, and one that was ever up is left alone, by Ceph itself as well.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
options:
  uuids:
    description: The uuids under which the OSDs were announced.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: It says what it would remove.
    support: full
  diff_mode:
    description: It shows the OSDs that would go.
    support: full
author: The ceph-orchestrator authors
"""

EXAMPLES = r"""
- name: Give back the numbers of OSDs that could not be made
  ceph_orchestrator.ceph.ceph_osd_orphan:
    uuids: [0b7e9a53-7d0c-4d0e-8f5b-9f6f8f1c7a11]
"""

RETURN = r"""
removed:
  description: Numbers of the OSDs that were taken out.
  returned: always
  type: list
  elements: int
  sample: [7]
"""


def observe(client: CephClient) -> dict[str, Mapping[str, Any]]:
    return {str(osd["uuid"]): osd for osd in client.command("osd dump")["osds"]}


def difference(current: Mapping[str, Mapping[str, Any]], uuids: Collection[str]) -> list[int]:
    """Choose the OSDs that are still as new as they were announced."""
    found = (current[uuid] for uuid in uuids if uuid in current)
    return sorted(int(osd["osd"]) for osd in found if "new" in osd["state"] and not osd["up"])


def apply(client: CephClient, changes: Collection[int]) -> None:
    for osd_id in changes:
        client.command("osd purge-new", id=osd_id, yes_i_really_mean_it=True)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    with cluster.connected(module.params) as client:
        changes = difference(observe(client), module.params["uuids"])
        if not module.check_mode:
            apply(client, changes)
    return {
        "changed": bool(changes),
        "removed": changes,
        "diff": {"before": [f"osd.{osd_id}" for osd_id in changes], "after": []},
    }


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "uuids": {"type": "list", "elements": "str", "required": True},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)


if __name__ == "__main__":
    main()
