"""Asks Ceph whether OSDs may be stopped together, at the moment before they are."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_ok_to_stop_info
short_description: Ask Ceph whether OSDs may be stopped together
version_added: 0.1.0
description:
  - Asks C(ceph osd ok-to-stop) about all given OSDs together. A no, an answer that is not
    understood and no answer at all are the same.
  - It changes nothing.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.reading]
options:
  osds:
    description: The numbers of the OSDs.
    type: list
    elements: int
    required: true
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Ask whether both may be stopped
  ceph_orchestrator.ceph.ceph_osd_ok_to_stop_info:
    osds: [26, 28]
  register: asked
"""

RETURN = r"""
ok:
  description: Whether all of them may be stopped together.
  returned: success
  type: bool
  sample: false
reason:
  description: What speaks against it, in words.
  returned: success
  type: str
  sample: pg 11.3 would become inactive
booted:
  description: The epoch since which each of them is up, so that a later boot can be told from it.
  returned: success
  type: dict
  sample: {"26": 117, "28": 120}
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, stoppable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )


def observe(client: CephClient, osds: Sequence[int]) -> dict[str, Any]:
    found = stoppable.ask(client, osds)
    return {"ok": found.ok, "reason": found.reason, "booted": _booted(client, osds)}


def _booted(client: CephClient, osds: Sequence[int]) -> Mapping[str, int]:
    dump = client.command("osd dump")["osds"]
    return {str(one["osd"]): int(one["up_from"]) for one in dump if one["osd"] in osds}


def _answer(module: AnsibleModule) -> dict[str, Any]:
    with cluster.connected(module.params) as client:
        return {"changed": False, **observe(client, module.params["osds"])}


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "osds": {"type": "list", "elements": "int", "required": True},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _answer)


if __name__ == "__main__":
    main()
