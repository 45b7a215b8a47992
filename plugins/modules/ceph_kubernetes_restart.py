"""Starts Ceph daemons again: their pods go, and their Deployments make others."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_restart
short_description: Start Ceph daemons again by new pods
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes, ceph_orchestrator.ceph.changing]
description:
  - Deletes the pods of daemons, waits until others run in their places, and leaves their
    Deployments as they are. Whether a daemon may be stopped is for the caller to know.
options:
  daemons:
    description: The daemons, each with its C(type) and C(id).
    type: list
    elements: dict
    required: true
  wait:
    description: Seconds to wait until new pods run.
    type: float
    default: 60.0
attributes:
  diff_mode:
    description: There is nothing to show.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Start a mon again
  ceph_orchestrator.ceph.ceph_kubernetes_restart:
    cluster: "{{ daemon_cluster }}"
    daemons: [{type: mon, id: a}]
"""

RETURN = r"""
actions:
  description: What was done, in order.
  returned: always
  type: list
  elements: str
  sample: [delete Pod rook-ceph-mon-a-6d5f7c9b8d-x2lqk]
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_desired,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _restarted(parameters: Mapping[str, Any], *, check: bool) -> dict[str, Any]:
    cluster = kubernetes_cluster.parse(parameters["cluster"])
    api = kubernetes_api.Api(cluster.namespace)
    names = [_of(one) for one in parameters["daemons"]]
    pods = {one["metadata"]["name"] for name in names for one in _pods(api, cluster, *name)}
    if not check:
        for pod in sorted(pods):
            api.delete("Pod", pod)
        kubernetes_api.until(lambda: _is_new(api, cluster, names, pods), float(parameters["wait"]))
    return {"changed": bool(pods), "actions": [f"delete Pod {pod}" for pod in sorted(pods)]}


def _of(daemon: Mapping[str, Any]) -> tuple[str, str]:
    return str(daemon["type"]), str(daemon["id"])


def _pods(
    api: kubernetes_api.Api, cluster: kubernetes_cluster.Cluster, kind: str, daemon_id: str
) -> list[dict[str, Any]]:
    selector = kubernetes_cluster.selector(cluster, kind, daemon_id)
    return api.list("Pod", kubernetes_cluster.as_text(selector))


def _is_new(
    api: kubernetes_api.Api,
    cluster: kubernetes_cluster.Cluster,
    names: Sequence[tuple[str, str]],
    old: set[str],
) -> bool:
    """Say whether the old pods are gone and every Deployment has its new one."""
    for name in names:
        if old & {one["metadata"]["name"] for one in _pods(api, cluster, *name)}:
            return False
        live = api.get("Deployment", kubernetes_cluster.deployment_name(*name))
        if live and not kubernetes_desired.rolled_out(live):
            return False
    return True


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "daemons": {"type": "list", "elements": "dict", "required": True},
            "wait": {"type": "float", "default": 60.0},
        },
        supports_check_mode=True,
    )
    kubernetes_api.finish(module, _restarted)


if __name__ == "__main__":
    main()
