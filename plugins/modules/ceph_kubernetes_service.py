"""Keeps what a node runs beside its daemons as Rook's Deployments, or takes it away."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_service
short_description: Keep services beside Ceph's daemons as Deployments
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.kubernetes, ceph_orchestrator.ceph.changing]
description:
  - Writes the Deployment of Ceph's collector of crashes, or of its exporter of metrics, for a node,
    and the Service of all exporters, or for the namespace what CSI drivers read of its mons, the
    disruption budgets of its OSDs, the ServiceMonitors that lead Prometheus to its metrics, and the
    CronJob that removes old reports of crashes. But for the budgets all of it follows from the
    CephCluster.
  - A Deployment with the label or annotation C(ceph.rook.io/do-not-reconcile) is left alone.
options:
  node:
    description: The node, by the label C(kubernetes.io/hostname).
    type: str
    required: true
  services:
    description:
      - The services, as the module M(ceph_orchestrator.ceph.ceph_systemd_service) documents them.
        Their C(name), C(state) and C(record) are of interest here, and of C(budgets) what is to be
        so in C(about).
    type: list
    elements: dict
    required: true
attributes:
  diff_mode:
    description: It names the fields that would change.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Collect crashes
  ceph_orchestrator.ceph.ceph_kubernetes_service:
    cluster: "{{ daemon_cluster }}"
    node: node-1
    services: [{name: crash}]
"""

RETURN = r"""
actions:
  description: What was done, in order.
  returned: always
  type: list
  elements: str
  sample: [create Deployment rook-ceph-crashcollector-node-1]
"""


from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_budgets,
    kubernetes_cluster,
    kubernetes_csi,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_monitors,
    kubernetes_pruner,
    kubernetes_services,
    kubernetes_slices,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class Keeper:
    """Brings the services of one node to what the manifest asks for."""

    def __init__(self, parameters: Mapping[str, Any], *, check: bool) -> None:
        self._check, self._node = check, str(parameters["node"])
        self._cluster = kubernetes_cluster.parse(parameters["cluster"])
        self._api = kubernetes_api.Api(self._cluster.namespace)
        self.actions: list[str] = []
        self.before: dict[str, str] = {}

    def present(self, service: Mapping[str, Any]) -> None:
        name, record = str(service["name"]), str(service.get("record") or "")
        if name == kubernetes_csi.NAME:
            self._clients(record)
            return
        if name == kubernetes_budgets.NAME:
            self._budgets(service.get("about") or {}, record)
            return
        if name == kubernetes_monitors.NAME:
            for one in kubernetes_monitors.monitors(self._cluster, record):
                self._kept(one)
            return
        if name == kubernetes_pruner.NAME:
            version = self._api.newest(kubernetes_cluster.CRON_JOB)
            self._kept(kubernetes_pruner.job(self._cluster, version, record))
            return
        made = kubernetes_services.deployment(self._cluster, name, self._node, record)
        for wanted in (made, *kubernetes_services.services(self._cluster, name)):
            self._kept(wanted)

    def _clients(self, record: str) -> None:
        """What clients read of the mons; the note of it is last."""
        stored = self._api.get("ConfigMap", kubernetes_identity.ENDPOINTS) or {}
        mons = kubernetes_identity.read_map(stored.get("data"))
        version = self._api.newest(kubernetes_slices.KIND)
        wanted = kubernetes_slices.slices(self._cluster, mons, version)
        for one in wanted:
            self._kept(one)
        for name in set(kubernetes_slices.names()) - {one["metadata"]["name"] for one in wanted}:
            self._gone(kubernetes_slices.KIND, name)
        listed = kubernetes_identity.mon_endpoints(mons)
        self._kept(kubernetes_csi.config(self._cluster, listed, record))

    def _budgets(self, asked: Mapping[str, Any], record: str) -> None:
        """What holds OSDs back comes before what let them go is taken away; the note is last."""
        version = self._api.newest(kubernetes_cluster.BUDGET)
        wanted = kubernetes_budgets.budgets(self._cluster, version, asked)
        for one in wanted:
            self._kept(one)
        self._no_budgets({one["metadata"]["name"] for one in wanted})
        live = self._api.get("ConfigMap", kubernetes_budgets.STATE)
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._kept(kubernetes_budgets.state(self._cluster, asked, record, live, now))

    def _no_budgets(self, but: set[str]) -> None:
        found = self._api.list(kubernetes_cluster.BUDGET, f"rook_cluster={self._cluster.namespace}")
        names = {one["metadata"]["name"] for one in found}
        for name in sorted(filter(kubernetes_budgets.is_of_osds, names - but)):
            self._gone(kubernetes_cluster.BUDGET, name)

    def _kept(self, wanted: dict[str, Any]) -> None:
        kind, name = wanted["kind"], wanted["metadata"]["name"]
        live = self._api.get(kind, name)
        if kubernetes_cluster.is_left_alone(live):
            return
        differing = kubernetes_drift.unlike(live, wanted) if live else ["all of it"]
        if not differing:
            return
        self.before[name] = kubernetes_drift.told(differing)
        self.actions.append(f"{'change' if live else 'create'} {kind} {name}")
        if not self._check:
            self._api.ensure(wanted, keep=_KEPT.get(kind, ()))

    def absent(self, name: str) -> None:
        """Take it off this node; the last one takes with it what all of them share.

        Its own goes first: of two nodes at the same time one is then surely the last.
        """
        if name == kubernetes_budgets.NAME:
            self._no_budgets(set())
            self._gone("ConfigMap", kubernetes_budgets.STATE)
            return
        if name == kubernetes_monitors.NAME:
            for monitor in kubernetes_monitors.PORTS:
                self._gone(kubernetes_monitors.KIND, monitor)
            return
        if name == kubernetes_pruner.NAME:
            self._gone(kubernetes_cluster.CRON_JOB, kubernetes_pruner.OBJECT)
            return
        own = kubernetes_services.deployment_name(name, self._node)
        self._gone("Deployment", own)
        if not self._elsewhere(name, own):
            for one in kubernetes_services.services(self._cluster, name):
                self._gone(one["kind"], one["metadata"]["name"])

    def _gone(self, kind: str, name: str) -> None:
        if self._api.get(kind, name) is not None:
            self.actions.append(f"delete {kind} {name}")
            if not self._check:
                self._api.delete(kind, name)

    def _elsewhere(self, name: str, own: str) -> bool:
        selector = f"app={kubernetes_services.APPS[name]},rook_cluster={self._cluster.namespace}"
        found = self._api.list("Deployment", selector)
        return any(one["metadata"]["name"] != own for one in found)


_KEPT = {"Deployment": ("selector",), "Service": kubernetes_api.SERVICE_KEEPS}


def _kept(parameters: Mapping[str, Any], *, check: bool) -> dict[str, Any]:
    keeper = Keeper(parameters, check=check)
    for one in parameters["services"]:
        if one.get("state", "present") == "present":
            keeper.present(one)
        else:
            keeper.absent(str(one["name"]))
    return {
        "changed": bool(keeper.actions),
        "actions": keeper.actions,
        "diff": {"before": dict.fromkeys(keeper.before, ""), "after": keeper.before},
    }


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "dict", "required": True},
            "node": {"type": "str", "required": True},
            "services": {"type": "list", "elements": "dict", "required": True},
        },
        supports_check_mode=True,
    )
    kubernetes_api.finish(module, _kept)


if __name__ == "__main__":
    main()
