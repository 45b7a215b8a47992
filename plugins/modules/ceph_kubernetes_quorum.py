"""Notes in the namespace that mons are in quorum: from then on it holds a cluster to keep."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_quorum
short_description: Note that mons are in quorum
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes]
description:
  - Raises C(maxMonId) in the ConfigMap C(rook-ceph-mon-endpoints) to the last id that came into
    quorum. No id is ever used again, and a namespace with C(-1) never had a quorum.
options:
  mons:
    description: Ids of mons that are in quorum.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: It says whether it would write.
    support: full
  diff_mode:
    description: There is nothing to show but a number.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Note that the mons are in quorum
  ceph_orchestrator.ceph.ceph_kubernetes_quorum:
    cluster: "{{ daemon_cluster }}"
    mons: [a, b, c]
"""

RETURN = r"""
highest:
  description: The index of the last id; 0 is a.
  returned: always
  type: int
  sample: 2
"""


from dataclasses import replace
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_identity,
    letters,
)


def raised(found: kubernetes_identity.MonMap, mons: list[str]) -> kubernetes_identity.MonMap:
    return replace(found, highest=max([found.highest, *map(letters.place, mons)]))


def _noted(parameters: dict[str, Any], *, check: bool) -> dict[str, Any]:
    cluster = kubernetes_cluster.parse(parameters["cluster"])
    api = kubernetes_api.Api(cluster.namespace)
    stored = api.get("ConfigMap", kubernetes_identity.ENDPOINTS) or {}
    found = kubernetes_identity.read_map(stored.get("data"))
    wanted = raised(found, parameters["mons"])
    if wanted != found and not check:
        api.ensure(kubernetes_identity.endpoints(cluster, wanted))
    return {"changed": wanted != found, "highest": wanted.highest}


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "mons": {"type": "list", "elements": "str", "required": True},
        },
        supports_check_mode=True,
    )
    kubernetes_api.finish(module, _noted)


if __name__ == "__main__":
    main()
