"""Keeps daemons' keyrings as Secrets, and never shows a key."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_keyring
short_description: Keep Ceph keyrings as Secrets
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes, ceph_orchestrator.ceph.changing]
description:
  - Writes the Secret of each entity's keyring, named as Rook names it. Users of CSI drivers have
    their name and key in it instead.
  - A Secret that holds the right key is left as it is. The keys of C(mon.) and C(client.admin), and
    those that all nodes share, are the cluster's own and are never removed here, nor is a Secret
    that the CephCluster does not own.
options:
  keyrings:
    description: The keyrings. None of them is shown in a result with its key.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Where a host would have it. It says nothing here.
        type: path
        default: ""
      entity:
        description: The name in it, such as C(mgr.a).
        type: str
        required: true
      key:
        description: The key. It may be left out of an entry whose O(keyrings[].state) is V(absent).
        type: str
        default: ""
      state:
        description: Whether the Secret must be there.
        type: str
        choices: [present, absent]
        default: present
attributes:
  diff_mode:
    description: Keys are never shown.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Keep the mgr's keyring
  ceph_orchestrator.ceph.ceph_kubernetes_keyring:
    cluster: "{{ daemon_cluster }}"
    keyrings: [{entity: mgr.a, key: "{{ mgr_keys['mgr.a'] }}"}]
  no_log: true
"""

RETURN = r"""
written:
  description: Secrets that were written.
  returned: always
  type: list
  elements: str
  sample: [rook-ceph-mgr-a-keyring]
removed:
  description: Secrets that were removed.
  returned: always
  type: list
  elements: str
  sample: []
"""


from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    keyring,
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_csi,
    kubernetes_identity,
)

_KEPT = ("mon.", "client.admin", "client.crash", "client.ceph-exporter")
"""The cluster's own, and those that pods elsewhere may still need: they go with their owner."""


class Keyrings:
    """The Secrets of one namespace."""

    def __init__(self, cluster: kubernetes_cluster.Cluster, *, check: bool) -> None:
        self._cluster, self._check = cluster, check
        self._api = kubernetes_api.Api(cluster.namespace)

    def written(self, entry: dict[str, Any]) -> bool:
        entity, key = entry["entity"], entry["key"]
        name = kubernetes_identity.keyring_name(entity)
        held = kubernetes_identity.values(self._api.get("Secret", name))
        drivers = bool(kubernetes_csi.secret_name(entity))
        if kubernetes_csi.is_held(held, entity, key) if drivers else _has(held, entity, key):
            return False
        if drivers:
            values = kubernetes_csi.user(entity, key)
            wanted = kubernetes_identity.secret(self._cluster, name, values)
        else:
            text = keyring.render(entity, key)
            wanted = kubernetes_identity.keyring_secret(self._cluster, name, text)
        if not self._check:
            self._api.ensure(wanted)
        return True

    def removed(self, entry: dict[str, Any]) -> bool:
        name = kubernetes_identity.keyring_name(entry["entity"])
        live = self._api.get("Secret", name)
        if entry["entity"] in _KEPT or live is None or not self._owned(live):
            return False
        return self._check or self._api.delete("Secret", name)

    def _owned(self, live: dict[str, Any]) -> bool:
        owners = live["metadata"].get("ownerReferences") or []
        uids = {str(one["uid"]) for one in owners}
        return not uids if not self._cluster.uid else self._cluster.uid in uids


def _has(held: dict[str, str], entity: str, key: str) -> bool:
    return keyring.key_of(held.get("keyring", ""), entity) == key


def _kept(parameters: dict[str, Any], *, check: bool) -> dict[str, Any]:
    cluster = kubernetes_cluster.parse(parameters["cluster"])
    secrets = Keyrings(cluster, check=check)
    names = {
        one["entity"]: kubernetes_identity.keyring_name(one["entity"]) for one in _all(parameters)
    }
    present = [one for one in _all(parameters) if one["state"] == "present"]
    absent = [one for one in _all(parameters) if one["state"] == "absent"]
    written = [names[one["entity"]] for one in present if secrets.written(one)]
    removed = [names[one["entity"]] for one in absent if secrets.removed(one)]
    return {"changed": bool(written or removed), "written": written, "removed": removed}


def _all(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return list(parameters["keyrings"])


def main() -> None:
    entry = {
        "path": {"type": "path", "default": ""},
        "entity": {"type": "str", "required": True},
        "key": {"type": "str", "default": "", "no_log": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    }
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "keyrings": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": entry,
                "no_log": False,
            },
        },
        supports_check_mode=True,
    )
    entries = _all(module.params)
    empty = [one["entity"] for one in entries if one["state"] == "present" and not one["key"]]
    if empty and not module.check_mode:
        module.fail_json(msg=f"no key given for {', '.join(empty)}")
    kubernetes_api.finish(module, _kept)


if __name__ == "__main__":
    main()
