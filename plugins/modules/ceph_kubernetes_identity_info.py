"""Reads whose cluster a namespace is: the question before anything may be made."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_identity_info
short_description: Read which Ceph cluster a namespace holds
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes, ceph_orchestrator.ceph.reading]
description:
  - Reads the fsid and the keys of C(mon.) and C(client.admin) from the Secret C(rook-ceph-mon), and
    the mons of a node from the ConfigMap C(rook-ceph-mon-endpoints).
  - Refuses a namespace that belongs to another cluster than the wanted one.
  - Offers a fresh identity, which means nothing until the module
    M(ceph_orchestrator.ceph.ceph_kubernetes_identity) is given it.
  - The result holds keys. Use it with C(no_log).
options:
  node:
    description: The node whose mons are asked for.
    type: str
    required: true
  fsid:
    description: The cluster that is meant, empty when it is not known yet.
    type: str
    default: ""
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Read whose cluster the namespace is
  ceph_orchestrator.ceph.ceph_kubernetes_identity_info:
    cluster: "{{ daemon_cluster }}"
    node: node-1
  register: held
  no_log: true
"""

RETURN = r"""
fsid:
  description: The cluster of the namespace, empty when there is none.
  returned: always
  type: str
  sample: 0a1b2c3d-1111-4222-8333-444455556666
mon_key:
  description: The key of C(mon.), if the namespace holds it.
  returned: always
  type: str
  sample: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER
admin_key:
  description: The key of C(client.admin), if the namespace holds it.
  returned: always
  type: str
  sample: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER
mons:
  description: Mons of the node. Epoch 0 never had a quorum.
  returned: always
  type: list
  elements: dict
  sample: [{id: a, path: "", fsid: 0a1b2c3d-1111-4222-8333-444455556666, epoch: 1, problem: ""}]
formed:
  description: Whether the cluster ever had a quorum.
  returned: always
  type: bool
  sample: true
osd_fsids:
  description: Nothing; disks are not looked at here.
  returned: always
  type: list
  elements: str
  sample: []
offer:
  description: A fresh fsid, and fresh keys in place of those that the namespace does not hold.
  returned: always
  type: dict
  sample: {fsid: 9c0d3c54-6d3c-4b0a-8a1e-0a8f0a3c2b11, mon_key: "********", admin_key: "********"}
"""


from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    keyring,
    kubernetes_api,
    kubernetes_client_conf,
    kubernetes_cluster,
    kubernetes_identity,
    managed_file,
)


def conflict(held: kubernetes_identity.Identity, wanted: str) -> str:
    if not wanted or held.fsid in ("", wanted):
        return ""
    return (
        f"the Secret {kubernetes_identity.MON} is the cluster {held.fsid}'s and not {wanted}'s. "
        "Nothing was changed. If that cluster is gone, remove the Secret by hand"
    )


def result(
    held: kubernetes_identity.Identity,
    found: kubernetes_identity.MonMap,
    node: str,
    offer: dict[str, str],
) -> dict[str, Any]:
    epoch = int(found.formed)
    mons = [
        {"id": mon.name, "path": "", "fsid": held.fsid, "epoch": epoch, "problem": ""}
        for mon in found.mons.values()
        if mon.node == node and held.fsid
    ]
    return {
        "fsid": held.fsid,
        "mon_key": held.mon_key,
        "admin_key": held.admin_key,
        "mons": mons,
        "formed": found.formed and bool(held.fsid),
        "osd_fsids": [],
        "offer": offer,
    }


def _answer(parameters: dict[str, Any]) -> dict[str, Any]:
    cluster = kubernetes_cluster.parse(parameters["cluster"])
    api = kubernetes_api.Api(cluster.namespace)
    held, found = kubernetes_client_conf.from_secrets(api)
    problem = conflict(held, parameters["fsid"].lower())
    if problem:
        raise managed_file.HostError(problem)
    return result(held, found, parameters["node"], keyring.offer(held.mon_key, held.admin_key))


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "node": {"type": "str", "required": True},
            "fsid": {"type": "str", "default": ""},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(changed=False, **_answer(module.params))
    except (managed_file.HostError, kubernetes_api.KubernetesError) as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
