"""Keeps the flag noout on parts of the CRUSH map, and takes it away."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_noout
short_description: Keep the flag noout on parts of the CRUSH map
version_added: 0.1.0
description:
  - While a bucket has the flag, its OSDs that are down are not counted out, so their data is not
    moved elsewhere.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  present:
    description: Buckets that must have it, such as a host.
    type: list
    elements: str
    default: []
  absent:
    description: Buckets that must not have it. One that does not exist has none.
    type: list
    elements: str
    default: []
attributes:
  diff_mode:
    description: It shows the buckets with the flag.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Leave the data of a host in its place for a while
  ceph_orchestrator.ceph.ceph_osd_noout:
    present: [node-1]
"""

RETURN = r"""
fsid:
  description: The cluster.
  returned: always
  type: str
  sample: 0a1b2c3d-1111-4222-8333-444455556666
flagged:
  description: The buckets that have the flag now.
  returned: always
  type: list
  elements: str
  sample: [node-1]
"""


from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

_FLAG = "noout"


class Changes(NamedTuple):
    set: list[str]
    unset: list[str]


def observe(client: CephClient) -> set[str]:
    """Read which buckets have the flag."""
    flags: Mapping[str, Any] = client.command("osd dump").get("crush_node_flags") or {}
    return {name for name, held in flags.items() if _FLAG in held}


def difference(current: set[str], present: Sequence[str], absent: Sequence[str]) -> Changes:
    return Changes(
        [name for name in present if name not in current],
        [name for name in absent if name in current and name not in present],
    )


def apply(client: CephClient, changes: Changes) -> None:
    if changes.unset:
        client.command("osd unset-group", flags=_FLAG, who=changes.unset)
    if changes.set:
        client.command("osd set-group", flags=_FLAG, who=changes.set)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    with cluster.connected(module.params) as client:
        current = observe(client)
        changes = difference(current, module.params["present"], module.params["absent"])
        after = (current | set(changes.set)) - set(changes.unset)
        if not module.check_mode:
            apply(client, changes)
        fsid = cluster.fsid_of(client)
    return {
        "changed": bool(changes.set or changes.unset),
        "fsid": fsid,
        "flagged": sorted(after),
        "diff": {"before": sorted(current), "after": sorted(after)},
    }


def main() -> None:
    names = {"type": "list", "elements": "str", "default": []}
    module = AnsibleModule(
        argument_spec={**cluster.ARGUMENTS, "present": names, "absent": names},
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
