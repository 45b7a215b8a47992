"""`status.mgr`: which mgr is active, on which host, and where its modules serve (C35).

Rook moves a Service to the active mgr. On hosts there is none: whoever scrapes or looks follows
these URLs, which are the active mgr's own. While no mgr is active the last ones stay, marked as
not available, for an empty target would be no better.
"""

from collections.abc import Mapping
from typing import Any

from orchestrator.model.facts import Cluster, DaemonType, Facts


def report(facts: Facts, previous: Mapping[str, Any]) -> dict[str, Any]:
    """The section of the status; as it was when Ceph tells nothing of its mgrs."""
    cluster = facts.cluster
    if cluster is None or "mgr" in cluster.unanswered:
        return dict(previous)
    if not cluster.mgr.available:
        return {**previous, "available": False} if previous else {}
    found = {
        "active": cluster.mgr.active,
        "available": True,
        "host": _host(facts, cluster),
        "services": dict(sorted(cluster.mgr.services.items())),
        "standbys": sorted(cluster.mgr.standbys),
    }
    return {name: value for name, value in found.items() if value not in ("", {}, [])}


def _host(facts: Facts, cluster: Cluster) -> str:
    for host, mgr in facts.daemons(DaemonType.MGR):
        if mgr.id == cluster.mgr.active and mgr.running:
            return host.name
    return ""
