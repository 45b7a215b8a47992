"""Writes a cluster's identity into its namespace, and gives every mon its address."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_identity
short_description: Write a Ceph cluster's identity into its namespace
version_added: 0.1.0
extends_documentation_fragment:
  - ceph_orchestrator.ceph.kubernetes
  - ceph_orchestrator.ceph.identity
  - ceph_orchestrator.ceph.changing
description:
  - Writes Rook's Secrets C(rook-ceph-mon), C(rook-ceph-mons-keyring), C(rook-ceph-admin-keyring)
    and C(rook-ceph-config), the ConfigMap C(rook-ceph-mon-endpoints), and C(rook-config-override)
    if it is missing.
  - Makes a Service for each mon that has no address yet, whose ClusterIP is the mon's address for
    all its life. One that was lost is made again with the same ClusterIP.
  - Never replaces another fsid or another key.
options:
  mons:
    description: All mons that the cluster has or is to have.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: The mon's id.
        type: str
        required: true
      host:
        description: Its node, by the label C(kubernetes.io/hostname); empty when it is not known.
        type: str
        default: ""
      address:
        description: Its IP address, empty as long as it has none.
        type: str
        default: ""
attributes:
  diff_mode:
    description: It names objects only; keys are never shown.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Write the cluster's identity
  ceph_orchestrator.ceph.ceph_kubernetes_identity:
    cluster: "{{ daemon_cluster }}"
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    mon_key: "{{ mon_key }}"
    admin_key: "{{ admin_key }}"
    mons: [{name: a, host: node-1}]
  no_log: true
"""

RETURN = r"""
mons:
  description: The address of each mon, and all its addresses in Ceph's form.
  returned: always
  type: dict
  sample: {a: {address: 10.96.0.11, addrs: "[v2:10.96.0.11:3300,v1:10.96.0.11:6789]"}}
written:
  description: Objects that were written.
  returned: always
  type: list
  elements: str
  sample: [Secret rook-ceph-mon, Service rook-ceph-mon-a]
"""


from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_client_conf,
    kubernetes_cluster,
    kubernetes_identity,
    kubernetes_mon,
    managed_file,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_identity import Mon

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_api import Api
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )


def refusal(stored: Mapping[str, Any] | None, parameters: Mapping[str, Any]) -> str:
    """Say which value the namespace holds otherwise, without showing a key."""
    held = kubernetes_identity.read_identity(stored)
    where = f"the Secret {kubernetes_identity.MON}"
    if held.fsid and held.fsid != parameters["fsid"].lower():
        return f"{where} belongs to the cluster {held.fsid}, not to {parameters['fsid']}: refused"
    for entity, key, given in (
        ("mon.", held.mon_key, parameters["mon_key"]),
        ("client.admin", held.admin_key, parameters["admin_key"]),
    ):
        if key and key != given:
            return f"{where} holds another key of {entity} than was given: refused"
    return ""


class Writer:
    """Writes objects, or notes what it would write."""

    def __init__(self, api: Api, *, check: bool) -> None:
        self._api, self._check = api, check
        self.written: list[str] = []

    def once(self, body: dict[str, Any], *, users: bool = False) -> None:
        """Make an object, or what it lacks: a value that is there is not ours to change.

        One that nobody owns, as it was restored by hand, goes with the cluster from now on, and one
        of Rook's gets the label by which changes of it are seen; unless it may be the `users` own.
        """
        live = self._api.get(body["kind"], body["metadata"]["name"]) or {}
        held = live.get("data") or {}
        complete = bool(live) and not set(body["data"]) - set(held)
        if complete and (users or not _unmarked(live, body)):
            return
        self._note(body)
        if not self._check:
            self._api.ensure({**body, "data": {**body["data"], **held}})

    def kept(self, body: dict[str, Any], keep: Sequence[str] = ()) -> None:
        if self._check:
            return
        if self._api.ensure(body, keep=keep):
            self._note(body)

    def config(self, body: dict[str, Any]) -> None:
        """Keep the Secret of the mons' addresses; its lists have no order."""
        live = self._api.get("Secret", body["metadata"]["name"])
        held, wanted = kubernetes_identity.values(live), kubernetes_identity.values(body)
        same = kubernetes_identity.same_config(held, wanted)
        if live is None or not same or _unmarked(live, body):
            self.kept(body)

    def _note(self, body: Mapping[str, Any]) -> None:
        self.written.append(f"{body['kind']} {body['metadata']['name']}")


def _unmarked(live: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Say whether an object lacks an owner, or a label, that those of ours have."""
    held, ours = (one["metadata"] for one in (live, body))
    owned = bool(held.get("ownerReferences")) or not ours.get("ownerReferences")
    return not owned or not ours["labels"].items() <= (held.get("labels") or {}).items()


def addressed(
    cluster: Cluster,
    writer: Writer,
    api: Api,
    mons: Sequence[Mapping[str, Any]],
    known: kubernetes_identity.MonMap,
) -> dict[str, Mon]:
    """Give every mon with its address; on the pods' network the address is its Service's."""
    nodes = api.nodes(cluster.hostname_label)
    found = {}
    for mon in mons:
        held = known.mons.get(mon["name"])
        address = mon["address"] or (held.address if held else "")
        own = nodes.get(mon["host"], "")
        if not cluster.host_network and (not address or address != own):
            address = _served(cluster, writer, api, mon["name"], address)
        if not address:
            continue
        port = kubernetes_mon.MSGR2 if cluster.msgr2_only else kubernetes_mon.MSGR1
        node = mon["host"] or (held.node if held else "")
        where = {"node": node, "node_address": nodes.get(node, held.node_address if held else "")}
        entry = Mon(name=mon["name"], address=address, port=port, **where)
        found[mon["name"]] = replace(entry, zone=held.zone) if held else entry
    return found


_FIXED = (
    "clusterIP",
    "clusterIPs",
    "ipFamilies",
    "ipFamilyPolicy",
    "internalTrafficPolicy",
    "type",
    "sessionAffinity",
)


def _served(cluster: Cluster, writer: Writer, api: Api, mon: str, address: str) -> str:
    writer.kept(kubernetes_mon.service(cluster, mon, address), _FIXED)
    service = api.get("Service", kubernetes_cluster.deployment_name("mon", mon)) or {}
    return str((service.get("spec") or {}).get("clusterIP") or address)


def _written(parameters: Mapping[str, Any], *, check: bool) -> dict[str, Any]:
    cluster = kubernetes_cluster.parse(parameters["cluster"])
    api = kubernetes_api.Api(cluster.namespace)
    problem = refusal(api.get("Secret", kubernetes_identity.MON), parameters)
    if problem:
        raise managed_file.HostError(problem)
    keys = parameters["mon_key"], parameters["admin_key"]
    writer = Writer(api, check=check)
    for body in kubernetes_identity.identity(cluster, parameters["fsid"].lower(), *keys):
        writer.once(body)
    writer.once(kubernetes_identity.override(cluster), users=True)
    stored = api.get("ConfigMap", kubernetes_identity.ENDPOINTS) or {}
    known = kubernetes_client_conf.mon_map(api)
    mons = addressed(cluster, writer, api, parameters["mons"], known)
    wanted = replace(known, mons=mons)
    endpoints = kubernetes_identity.endpoints(cluster, wanted)
    if wanted != known or not stored or _unmarked(stored, endpoints):
        writer.kept(endpoints)
    writer.config(kubernetes_identity.config(cluster, wanted))
    if not check:
        hosts = kubernetes_identity.mon_host(wanted)
        fsid, admin = parameters["fsid"].lower(), parameters["admin_key"]
        kubernetes_client_conf.write(fsid, hosts, kubernetes_identity.ADMIN, admin)
    told = {name: {"address": mon.address, "addrs": mon.addrs} for name, mon in mons.items()}
    return {"changed": bool(writer.written), "mons": told, "written": writer.written}


def main() -> None:
    mon = {
        "name": {"type": "str", "required": True},
        "host": {"type": "str", "default": ""},
        "address": {"type": "str", "default": ""},
    }
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "fsid": {"type": "str", "required": True},
            "mon_key": {"type": "str", "required": True, "no_log": True},
            "admin_key": {"type": "str", "required": True, "no_log": True},
            "mons": {"type": "list", "elements": "dict", "required": True, "options": mon},
        },
        supports_check_mode=True,
    )
    kubernetes_api.finish(module, _written)


if __name__ == "__main__":
    main()
