"""The disruption budgets of OSDs, and Rook's note of which failure domain is drained: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_mon,
    kubernetes_report,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

NAME = "budgets"
STATE = "rook-ceph-pdbstatemap"
DEFAULT = "rook-ceph-osd"
_DRAINING, _SINCE, _NOOUT = (
    "draining-failure-domain",
    "draining-failure-domain-duration",
    "set-no-out",
)
_MADE = "budgets"
_LONGEST = 253


def budgets(cluster: Cluster, version: str, asked: Mapping[str, Any]) -> list[Object]:
    """Give the one budget of all OSDs, or while a domain is drained one for each of the others."""
    if not asked.get("draining"):
        most = int(asked.get("most") or 0)
        return [kubernetes_mon.disruption_budget(cluster, version, "osd", most)]
    level = str(asked["level"])
    return [_blocking(cluster, version, level, str(one)) for one in asked.get("domains") or ()]


def _blocking(cluster: Cluster, version: str, level: str, domain: str) -> Object:
    labels = {"app": DEFAULT, f"topology-location-{level}": domain}
    return {
        "apiVersion": version,
        "kind": kubernetes_cluster.BUDGET,
        "metadata": cluster.metadata(_name(level, domain)),
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": labels}},
    }


def _name(level: str, domain: str) -> str:
    """Give the name of the budget of a domain, which Ceph may call what no object can be called."""
    low, template = domain.lower(), f"{DEFAULT}-{level}-{{}}"
    return kubernetes_cluster.named(template, low, _LONGEST)


def is_of_osds(name: str) -> bool:
    return name == DEFAULT or name.startswith(f"{DEFAULT}-")


def state(
    cluster: Cluster,
    asked: Mapping[str, Any],
    record: str,
    live: Mapping[str, Any] | None,
    now: str,
) -> Object:
    """Give the note; since when a domain is drained stays as it was first noted."""
    draining = str(asked.get("draining") or "")
    before = (live or {}).get("data") or {}
    same = before.get(_DRAINING) == draining
    since = (before.get(_SINCE) or now) if same else now
    made = [one["metadata"]["name"] for one in budgets(cluster, "", asked)]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": cluster.metadata(STATE, annotations={kubernetes_cluster.RECORD: record}),
        "data": {
            _DRAINING: draining,
            _SINCE: since if draining else "",
            _NOOUT: "true" if asked.get("noout") else "",
            _MADE: ",".join(made),
        },
    }


def told(
    live: Mapping[str, Any] | None, budgets: Mapping[str, Mapping[str, Any]], now: float
) -> Object:
    """Tell how the budgets are; `live` is the note, and `budgets` are all that there are."""
    held = (live or {}).get("data") or {}
    names = [name for name in str(held.get(_MADE) or "").split(",") if name]
    complaints = kubernetes_drift.complaints(kubernetes_cluster.BUDGET, names, budgets)
    drifted = complaints if kubernetes_cluster.record(live) else []
    notes = {
        "draining": str(held.get(_DRAINING) or ""),
        "seconds": str(_age(held.get(_SINCE), now)),
        "noout": str(held.get(_NOOUT) or ""),
    }
    return {**kubernetes_report.service(NAME, live, drifted), "notes": notes}


def _age(text: object, now: float) -> int:
    since = kubernetes_cluster.moment(text)
    return max(0, int(now - since)) if since else 0
