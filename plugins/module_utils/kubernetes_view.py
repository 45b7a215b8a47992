"""What a namespace tells of its cluster: the reports of all nodes, and Ceph's own view.

The same shape as `ceph_host_info` gives, so whoever plans need not know where a daemon runs. Run as
a program it reads one JSON object on its input and prints one: a look costs no run of Ansible.
"""

from __future__ import annotations

import errno
import json
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_client,
    cluster_view,
    kubernetes_api,
    kubernetes_budgets,
    kubernetes_client_conf,
    kubernetes_cluster,
    kubernetes_csi,
    kubernetes_daemons,
    kubernetes_identity,
    kubernetes_monitors,
    kubernetes_pod,
    kubernetes_pruner,
    kubernetes_services,
    kubernetes_slices,
    monmap,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Object = dict[str, Any]

_OF_DISKS = ("ceph-orchestrator-devices", "rook-discover")
PROGRAMS = ["ceph", "ceph-mon", "ceph-mgr", "ceph-osd", "ceph-volume"]


@dataclass(frozen=True)
class Asked:
    """Ceph's view, None where nobody gave it, and the seconds since the monmap changed, or -1."""

    cluster: Object | None = None
    monmap_age: float = -1.0


@dataclass(frozen=True)
class Objects:
    """The objects of a namespace as they are now, read once each."""

    cluster: kubernetes_cluster.Cluster
    api: kubernetes_api.Api = field(repr=False)

    @cached_property
    def deployments(self) -> list[Object]:
        return self.api.list("Deployment", self._ours)

    @cached_property
    def pods(self) -> list[Object]:
        return self.api.list("Pod", self._ours)

    @cached_property
    def services(self) -> Mapping[str, Object]:
        return {one["metadata"]["name"]: one for one in self.api.list("Service", self._ours)}

    @cached_property
    def budgets(self) -> Mapping[str, Object]:
        found = self.api.list("PodDisruptionBudget", self._ours)
        return {one["metadata"]["name"]: one for one in found}

    @cached_property
    def maps(self) -> frozenset[str]:
        """Names of the ConfigMaps that the cluster cannot do without; Rook's have no label."""
        needed = (kubernetes_identity.ENDPOINTS, kubernetes_identity.OVERRIDE)
        return frozenset(name for name in needed if self.api.get("ConfigMap", name))

    @cached_property
    def overrides(self) -> frozenset[str]:
        """Names of ConfigMaps that users made for single nodes; those of disks are many."""
        if not self.deployments:
            return frozenset()
        found = self.api.list("ConfigMap", f"app notin ({','.join(_OF_DISKS)})")
        begin = kubernetes_pod.CONF_MAP_OF_NODE.format("")
        names = (str(one["metadata"]["name"]) for one in found)
        return frozenset(name for name in names if name.startswith(begin))

    @cached_property
    def csi(self) -> Object | None:
        return self.api.get("ConfigMap", kubernetes_csi.CONFIG)

    @cached_property
    def slices(self) -> Mapping[str, Object]:
        found = self.api.list(kubernetes_slices.KIND, self._ours)
        return {one["metadata"]["name"]: one for one in found}

    @cached_property
    def monitors(self) -> list[Object] | None:
        version, plural = kubernetes_monitors.VERSION, kubernetes_monitors.PLURAL
        return self.api.custom(version, plural, self._ours)

    @cached_property
    def pruner(self) -> Object | None:
        return self.api.get(kubernetes_cluster.CRON_JOB, kubernetes_pruner.OBJECT)

    @cached_property
    def drains(self) -> Object | None:
        return self.api.get("ConfigMap", kubernetes_budgets.STATE)

    @cached_property
    def keyrings(self) -> frozenset[str]:
        """Names of Secrets that hold a key of a user."""
        found = self.api.list("Secret")
        return frozenset(one["metadata"]["name"] for one in found if _has_keyring(one))

    @property
    def _ours(self) -> str:
        return f"rook_cluster={self.cluster.namespace}"


def _has_keyring(secret: Mapping[str, Any]) -> bool:
    data = secret.get("data") or {}
    return bool(data.get("keyring") or data.get("userKey"))


def collect(parameters: Mapping[str, Any]) -> Object:
    """Give `hosts` (a report for each node that was named) and `cluster` (None without quorum).

    With `stored`, the Secret and the ConfigMap of the mons, only Ceph is asked.
    """
    if "stored" in parameters:
        stored = kubernetes_client_conf.Stored(parameters["stored"])
        return {"hosts": {}, "cluster": _asked(stored, parameters)[2].cluster}
    cluster = kubernetes_cluster.parse(parameters["cluster"])
    api = kubernetes_api.Api(cluster.namespace)
    identity, found, asked = _asked(api, parameters)
    seen = asked.cluster
    objects = Objects(cluster, api)
    known = kubernetes_daemons.Known(
        cluster=cluster,
        identity=identity,
        mons=found,
        deployments=objects.deployments,
        pods=objects.pods,
        services=objects.services,
        budgets=objects.budgets,
        maps=objects.maps,
        overrides=objects.overrides,
        csi=objects.csi,
        slices=objects.slices,
        drains=objects.drains,
        pruner=objects.pruner,
        monitors=objects.monitors,
        keyrings=objects.keyrings,
        members=tuple((seen or {}).get("mons") or ()),
        quorum=tuple((seen or {}).get("quorum_names") or ()),
        monmap_age=asked.monmap_age,
        now=time.time(),
        version=str((parameters.get("image") or {}).get("version") or ""),
        programs=(parameters.get("image") or {}).get("programs"),
    )
    config = _config(api)
    nodes = parameters.get("nodes") or {}
    hosts = {
        name: {**report(known, name, node, config), **stranded(known, nodes, first=node["first"])}
        for name, node in nodes.items()
    }
    return {"hosts": hosts, "cluster": seen}


def stranded(
    known: kubernetes_daemons.Known, nodes: Collection[str], *, first: bool
) -> dict[str, Any]:
    """Tell with the first node of OSDs on nodes that tell nothing, and of all mons' folders."""
    if not first:
        return {}
    return {
        "stranded": kubernetes_daemons.stranded(known, nodes),
        "data_dirs": kubernetes_daemons.data_dirs(known),
    }


def _asked(
    api: kubernetes_api.Api | kubernetes_client_conf.Stored, parameters: Mapping[str, Any]
) -> tuple[kubernetes_identity.Identity, kubernetes_identity.MonMap, Asked]:
    identity, found = kubernetes_client_conf.from_secrets(api)
    if not (identity.fsid and identity.user_key and found.mons):
        return identity, found, Asked()
    waiting = cluster_view.Waiting(
        parameters.get("restarting_osds") or (),
        parameters.get("restarting_at_once") or 1,
        grown=bool(parameters.get("grown_osds")),
    )
    digests = (parameters.get("digests") or {}).values()
    hidden = [one for keys in digests for one in keys.values()]
    seconds = float(parameters.get("timeout") or 10.0)
    return identity, found, ask(identity.user, seconds, waiting, hidden)


def _config(api: kubernetes_api.Api) -> Mapping[str, str]:
    return kubernetes_identity.values(api.get("Secret", kubernetes_identity.CONFIG))


def report(
    known: kubernetes_daemons.Known, name: str, node: Mapping[str, Any], config: Mapping[str, str]
) -> Object:
    """Give what there is on one node; its devices are told by whoever looked into them."""
    # What is the namespace's own goes with its owner: no node has anything of it to clean.
    staying = not known.cluster.deleting
    mon_host = config.get("mon_host", "") if staying else ""
    return {
        "hostname": name,
        "fqdn": name,
        "addresses": [],
        "ceph_version": known.version,
        "binaries": PROGRAMS,
        "conf": {
            "present": bool(mon_host),
            "fsid": known.identity.fsid if mon_host else "",
            "mon_host": mon_host,
        },
        "admin_keyring": staying and kubernetes_identity.ADMIN_KEYRING in known.keyrings,
        "put_aside": kubernetes_daemons.put_aside(known) if node.get("first") else [],
        "memory_bytes": int(node.get("memory_bytes") or 0),
        "mon_services": not known.cluster.host_network,
        "daemons": kubernetes_daemons.of_node(known, name, first=bool(node.get("first"))),
        "devices": [],
        "osds_lvm": [],
        "unfinished": [],
        "services": services(known, name, first=bool(node.get("first"))),
        "mgr_modules": [],
        "lock": None,
        "errors": [],
    }


def services(known: kubernetes_daemons.Known, node: str, *, first: bool) -> list[Object]:
    """Tell of what a node runs beside its daemons; of a cluster that goes, it goes with these.

    What the namespace has once counts as of the first node.
    """
    if known.cluster.deleting:
        return []
    live: dict[tuple[str, str], Mapping[str, Any]] = {
        ("Deployment", one["metadata"]["name"]): one for one in known.deployments
    }
    live |= {("Service", name): one for name, one in known.services.items()}
    found = kubernetes_services.of_node(known.cluster, node, live, known.keyrings, known.programs)
    mons = kubernetes_identity.mon_endpoints(known.mons)
    slices = kubernetes_slices.wrong(known.cluster, known.mons, known.slices)
    once = [
        kubernetes_csi.told(known.cluster, mons, known.csi, known.keyrings, slices),
        kubernetes_budgets.told(known.drains, known.budgets, known.now),
        kubernetes_monitors.told(known.cluster, known.monitors),
        kubernetes_pruner.told(known.cluster, known.pruner),
    ]
    return [*found, *(once if first else [])]


def ask(
    user: str, timeout: float, waiting: cluster_view.Waiting, hidden: Sequence[str] = ()
) -> Asked:
    """Give Ceph's view, nothing without a quorum or where nobody answers.

    `hidden` are digests of values that must not be shown. Raises KubernetesError where Ceph cannot
    even be asked: that is no answer of the mons.
    """
    try:
        with ceph_client.CephClient(name=user, timeout=timeout) as client:
            status = client.command("quorum_status")
    except ceph_client.CephError as error:
        if error.errno == errno.ENOPKG:
            raise kubernetes_api.KubernetesError(error.message) from error
        return Asked()
    if not isinstance(status, dict) or not status.get("quorum"):
        return Asked()
    view = monmap.parse_status({**status, "state": "leader"})
    cluster = cluster_view.collect(view, timeout, [(user, "")], hidden, waiting)
    return Asked(cluster=cluster, monmap_age=view.age(datetime.now(timezone.utc)))


def main(given: Sequence[str] | None = None) -> None:
    del given
    try:
        answer = collect(json.load(sys.stdin))
    except kubernetes_api.KubernetesError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
