"""Reads how daemons fare in Kubernetes: the words to a daemon that does not come up."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_daemon_info
short_description: Read how Ceph daemons fare in Kubernetes
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes, ceph_orchestrator.ceph.reading]
description:
  - Gives what the pods of each daemon wait for and the last lines of their logs, in which keys are
    hidden.
options:
  daemons:
    description: The daemons, each with its C(type) and C(id).
    type: list
    elements: dict
    required: true
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Read why the mgr is not there
  ceph_orchestrator.ceph.ceph_kubernetes_daemon_info:
    cluster: "{{ daemon_cluster }}"
    daemons: [{type: mgr, id: a}]
"""

RETURN = r"""
text:
  description: What the pods wait for and the last lines of their logs, in one text.
  returned: always
  type: str
  sample: "rook-ceph-mgr-a: container mgr waits (CrashLoopBackOff): unable to find a keyring"
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    redact,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_LINES = 3


def words(pod: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give each container that does not run, and why; one that cannot be placed has none."""
    status = pod.get("status") or {}
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") != "True":
            yield "", f"has no node: {condition.get('message') or condition.get('reason')}"
    listed = [
        *(status.get("initContainerStatuses") or []),
        *(status.get("containerStatuses") or []),
    ]
    for one in listed:
        state = one.get("state") or {}
        last = (one.get("lastState") or {}).get("terminated") or {}
        waiting, ended = state.get("waiting"), state.get("terminated")
        if waiting:
            why = waiting.get("message") or last.get("message") or ""
            yield one["name"], f"container {one['name']} waits ({waiting.get('reason')}): {why}"
        elif ended and ended.get("exitCode"):
            yield one["name"], f"container {one['name']} ended with {ended['exitCode']}"


def _explained(api: kubernetes_api.Api, cluster: kubernetes_cluster.Cluster, one: Any) -> str:  # noqa: ANN401
    name = kubernetes_cluster.deployment_name(one["type"], str(one["id"]))
    selector = kubernetes_cluster.selector(cluster, one["type"], str(one["id"]))
    pods = api.list("Pod", kubernetes_cluster.as_text(selector))
    if not pods:
        return f"{name}: no pod"
    found = [
        f"{text} {api.log(pod['metadata']['name'], container, _LINES) if container else ''}".strip()
        for pod in pods
        for container, text in words(pod)
    ]
    return f"{name}: {'; '.join(found) or 'its pod runs'}"


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "daemons": {"type": "list", "elements": "dict", "required": True},
        },
        supports_check_mode=True,
    )
    cluster = kubernetes_cluster.parse(module.params["cluster"])
    try:
        api = kubernetes_api.Api(cluster.namespace)
        texts = [_explained(api, cluster, one) for one in module.params["daemons"]]
    except kubernetes_api.KubernetesError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, text=redact.redact("; ".join(texts)))


if __name__ == "__main__":
    main()
