"""From a role's description of a daemon to the objects that it is in Kubernetes: pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_mgr,
    kubernetes_mon,
    kubernetes_osd,
    kubernetes_pod,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Object = dict[str, Any]


@dataclass(frozen=True)
class Daemons:
    """What the daemons of one node have in common; OSDs have their ceph.conf of `override`."""

    cluster: kubernetes_cluster.Cluster
    fsid: str
    node: str
    mons: Mapping[str, str] = field(default_factory=dict)
    conf: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    override: str = kubernetes_pod.CONF_MAP

    def deployment(self, daemon: Mapping[str, Any]) -> Object:
        """Give the Deployment of a daemon as a role describes it."""
        if daemon["type"] == "mon":
            address = self.mons.get(str(daemon["id"]), "")
            return kubernetes_mon.deployment(self.cluster, daemon, self.fsid, address, self.node)
        if daemon["type"] == "mgr":
            watch = self.programs.get(WATCHER, "")
            return kubernetes_mgr.deployment(self.cluster, daemon, self.fsid, self.node, watch)
        told = self._told(daemon)
        return kubernetes_osd.deployment(self.cluster, told, self.fsid, self.node, self.programs)

    def status_map(self, daemons: Sequence[Mapping[str, Any]]) -> Object | None:
        """Give what Rook's readers learn of the node's OSDs, None where there are none."""
        osds = [self._told(one) for one in daemons if one["type"] == "osd"]
        return kubernetes_osd.status_map(self.cluster, self.node, osds) if osds else None

    def _told(self, daemon: Mapping[str, Any]) -> Object:
        about = daemon.get("about") or {}
        known = {"osd_uuid": about.get("uuid") or "", "crush_location": self._location()}
        return {**daemon, **about, **known, "conf_map": self.override}

    def _location(self) -> str:
        return str((self.conf.get("osd") or {}).get("crush_location") or "")


WATCHER = "watch-active"


def shared(cluster: kubernetes_cluster.Cluster, kinds: set[str], version: str) -> list[Object]:
    """Give what all daemons of these kinds have together: Services and disruption budgets."""
    services = kubernetes_mgr.services(cluster) if "mgr" in kinds else []
    return [*services, *budgets(cluster, kinds, version)]


def budgets(cluster: kubernetes_cluster.Cluster, kinds: set[str], version: str) -> list[Object]:
    """Give the disruption budgets of mons and mgrs, where the manifest asks for them."""
    if not cluster.section("disruptionManagement").get("managePodBudgets"):
        return []
    found: list[Object] = []
    if "mon" in kinds:
        budget = kubernetes_mon.budget(cluster, version, cluster.count("mon", 3))
        found += [budget] if budget else []
    if "mgr" in kinds and cluster.count("mgr", 1) > 1:
        found.append(kubernetes_mon.disruption_budget(cluster, version, "mgr", 1))
    return found


def unwanted(cluster: kubernetes_cluster.Cluster, kinds: set[str]) -> list[str]:
    """Name the Services that must not be there."""
    return kubernetes_mgr.unwanted_services(cluster) if "mgr" in kinds else []


def rolled_out(live: Mapping[str, Any]) -> bool:
    """Say whether a Deployment's newest pod runs and no older one is left."""
    status, generation = live.get("status") or {}, live["metadata"].get("generation", 0)
    return (
        int(status.get("observedGeneration") or 0) >= int(generation or 0)
        and int(status.get("updatedReplicas") or 0) >= 1
        and int(status.get("availableReplicas") or 0) >= 1
        and int(status.get("replicas") or 0) == int(status.get("updatedReplicas") or 0)
    )


def begun(pods: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a pod is through its steps before the start, or one of them refused."""
    conditions = (one for pod in pods for one in (pod.get("status") or {}).get("conditions") or [])
    through = any(one["type"] == "Initialized" and one["status"] == "True" for one in conditions)
    return through or bool(refusals(pods))


def refusals(pods: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the words of init steps that will never succeed, however often they are tried again."""
    return [
        f"{pod['metadata']['name']}: {ended.get('message') or 'refused'}".strip()
        for pod in pods
        for one in (pod.get("status") or {}).get("initContainerStatuses") or []
        for ended in [_ended(one)]
        if ended.get("exitCode") == kubernetes_mon.REFUSED
    ]


def _ended(status: Mapping[str, Any]) -> Mapping[str, Any]:
    """How a container ended, or how it did before it was started again."""
    now, last = (status.get(name) or {} for name in ("state", "lastState"))
    return now.get("terminated") or last.get("terminated") or {}
