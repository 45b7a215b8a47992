"""Tells of services as the report of a host does, where an object in Kubernetes stands for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import kubernetes_cluster

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def service(
    name: str,
    live: Mapping[str, Any] | None,
    drifted: Sequence[str],
    *,
    installed: bool = True,
    keyring: bool = True,
) -> dict[str, Any]:
    """Tell how it is; `live` is the object that has its record, if there is one."""
    return {
        "name": name,
        "installed": installed,
        "active": "active" if live else "",
        "enabled": live is not None,
        "keyring": keyring,
        "record": kubernetes_cluster.record(live),
        "drifted": list(drifted),
    }
