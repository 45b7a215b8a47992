"""OSDs that are larger than their weight in the CRUSH map says, as their disk or volume has grown.

Only these are told: a cluster has thousands of others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

if TYPE_CHECKING:
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

_COMMAND = "osd df"
_KIB_OF_TIB = 1024**3
_GROWN = 1.01
"""Rook's measure: by less nothing is moved. Ceph's weights are rounded, too."""


def ask(client: CephClient, mgrs: object) -> list[dict[str, Any]] | None:
    """Give each with its weight and its size in TiB; None where nobody can tell."""
    if not isinstance(mgrs, dict) or not mgrs.get("available"):
        return None
    try:
        found = client.command(_COMMAND, target="mgr")
    except CephError:
        return None
    nodes = found.get("nodes") if isinstance(found, dict) else None
    return shaped(nodes) if isinstance(nodes, list) else None


def shaped(nodes: list[object]) -> list[dict[str, Any]]:
    """Choose them; anything odd costs its own OSD alone.

    One that never came up has no size, and one whose weight is 0 was taken out of use by hand.
    """
    found = (_osd(one) for one in nodes if isinstance(one, dict))
    return [one for one in found if one and 0 < one["weight"] * _GROWN < one["size"]]


def _osd(node: dict[str, Any]) -> dict[str, Any] | None:
    osd, kib, weight = (node.get(name) for name in ("id", "kb", "crush_weight"))
    if not isinstance(osd, int) or not isinstance(kib, int) or not isinstance(weight, int | float):
        return None
    return {"id": osd, "weight": float(weight), "size": kib / _KIB_OF_TIB}
