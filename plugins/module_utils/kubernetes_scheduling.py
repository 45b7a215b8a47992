"""Where the pods of a kind may run, and which of them go first, as the manifest says: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import kubernetes_cluster

if TYPE_CHECKING:
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

_UNREACHABLE = {
    "key": "node.kubernetes.io/unreachable",
    "operator": "Exists",
    "effect": "NoExecute",
    "tolerationSeconds": 5,
}
"""Rook's ROOK_UNREACHABLE_NODE_TOLERATION_SECONDS; Kubernetes by itself waits five minutes."""


def placement(cluster: Cluster, kind: str) -> Object:
    """Give the manifest's placement: a kind's own terms go before those of all, tolerations add."""
    found = cluster.section("placement")
    general, own = found.get("all") or {}, found.get(kind) or {}
    merged = {**general, **{name: value for name, value in own.items() if value}}
    tolerations = [*(general.get("tolerations") or []), *(own.get("tolerations") or [])]
    affinity = {
        name: merged[name]
        for name in ("nodeAffinity", "podAffinity", "podAntiAffinity")
        if merged.get(name)
    }
    spread = merged.get("topologySpreadConstraints")
    return {
        **({"affinity": affinity} if affinity else {}),
        **({"tolerations": tolerations} if tolerations else {}),
        **({"topologySpreadConstraints": spread} if spread else {}),
    }


def leaving(placement: Object) -> Object:
    """Give a placement with which a pod that can run anywhere leaves a lost node as soon as Rook's.

    What the manifest says of lost nodes counts.
    """
    given = placement.get("tolerations") or []
    if any(one.get("key") == _UNREACHABLE["key"] for one in given):
        return placement
    return {**placement, "tolerations": [*given, _UNREACHABLE]}


def apart(cluster: Cluster, spec: Object, kind: str, *, required: bool) -> Object:
    """Add to a pod's placement that daemons of its kind keep to different nodes."""
    term = {
        "labelSelector": {"matchLabels": {"app": kubernetes_cluster.app(kind)}},
        "topologyKey": cluster.hostname_label,
    }
    affinity = spec.get("affinity") or {}
    own = affinity.get("podAntiAffinity") or {}
    needed, liked = (
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
    )
    more: Object = (
        {needed: [*(own.get(needed) or []), term]}
        if required
        else {liked: [*(own.get(liked) or []), {"weight": 50, "podAffinityTerm": term}]}
    )
    return {**spec, "affinity": {**affinity, "podAntiAffinity": {**own, **more}}}


def priority(cluster: Cluster, kind: str) -> Object:
    found = cluster.section("priorityClassNames")
    name = found.get(kind) or found.get("all")
    return {"priorityClassName": name} if name else {}
