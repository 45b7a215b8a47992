"""Takes daemons out of a namespace: their Deployments, and what belongs to them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_identity,
    kubernetes_mgr,
    kubernetes_services,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_api import Api
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

_KEPT = "keep"


def take_away(
    api: Api,
    cluster: Cluster,
    daemons: Sequence[Mapping[str, Any]],
    wait: float,
    *,
    check: bool = False,
) -> list[str]:
    """Delete the objects of these daemons, wait until their pods are gone, say what was done.

    A mon whose data is kept is only stopped: its Service and its place stay, for it may come back.
    """
    wanted = [one for daemon in daemons for one in _objects(daemon)]
    there = [(kind, name) for kind, name in wanted if api.get(kind, name) is not None]
    done = [f"delete {kind} {name}" for kind, name in there]
    if check:
        return done
    for kind, name in there:
        api.delete(kind, name)
    gone = [str(one["id"]) for one in daemons if one["type"] == "mon" and not _is_kept(one)]
    if gone:
        done += _forget_mons(api, cluster, gone)
    kubernetes_api.until(lambda: not _pods(api, cluster, daemons), wait)
    return done


def beside(api: Api, cluster: Cluster, node: str, *, check: bool = False) -> list[str]:
    """Delete what a node of a deleted cluster runs beside its daemons; say what was done."""
    if not cluster.deleting:
        return []
    names = [kubernetes_services.deployment_name(one, node) for one in kubernetes_services.NAMES]
    there = [name for name in names if api.get("Deployment", name) is not None]
    if not check:
        for name in there:
            api.delete("Deployment", name)
    return [f"delete Deployment {name}" for name in there]


def _is_kept(daemon: Mapping[str, Any]) -> bool:
    return str(daemon.get("data") or _KEPT) == _KEPT


def _objects(daemon: Mapping[str, Any]) -> list[tuple[str, str]]:
    kind, daemon_id = str(daemon["type"]), str(daemon["id"])
    name = kubernetes_cluster.deployment_name(kind, daemon_id)
    found = [("Deployment", name)]
    if kind == "mon" and not _is_kept(daemon):
        found.append(("Service", name))
    if kind == "mgr":
        found.append(("Secret", kubernetes_mgr.keyring(daemon_id)))
    return found


def _forget_mons(api: Api, cluster: Cluster, names: Sequence[str]) -> list[str]:
    stored = api.get("ConfigMap", kubernetes_identity.ENDPOINTS)
    if stored is None:
        return []
    found = kubernetes_identity.read_map(stored.get("data"))
    wanted = found.without(names)
    if wanted == found:
        return []
    api.ensure(kubernetes_identity.endpoints(cluster, wanted))
    api.ensure(kubernetes_identity.config(cluster, wanted))
    return [f"change ConfigMap {kubernetes_identity.ENDPOINTS}"]


def _pods(api: Api, cluster: Cluster, daemons: Sequence[Mapping[str, Any]]) -> list[Any]:
    selectors = [
        kubernetes_cluster.selector(cluster, str(one["type"]), str(one["id"])) for one in daemons
    ]
    return [pod for one in selectors for pod in api.list("Pod", kubernetes_cluster.as_text(one))]
