"""OSDs that Ceph can do without: down, out, and safe to destroy by its own word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephError,
    decoded,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

_COMMAND = "osd safe-to-destroy"
_NEW = "new"
"""The state of an OSD that never came up: it has no data yet, and is no spare."""


def candidates(dump: Mapping[str, Any]) -> list[int]:
    """Give the OSDs that are down and out, of those that once were up."""
    return [
        int(one["osd"])
        for one in dump["osds"]
        if not one["up"] and not one["in"] and _NEW not in (one.get("state") or ())
    ]


def ask(client: CephClient, dump: object, mgrs: object) -> list[int] | None:
    """Give the spare OSDs, by their numbers; None where nobody can tell.

    Most clusters have no candidate, and are asked nothing.
    """
    if not isinstance(dump, dict):
        return None
    wanted = candidates(dump)
    if not wanted:
        return []
    if not isinstance(mgrs, dict) or not mgrs.get("available"):
        return None
    found = _safe(client, wanted)
    return None if found is None else [one for one in found if one in wanted]


def _safe(client: CephClient, osds: Sequence[int]) -> list[int] | None:
    """Ceph calls it an error when one of them is not safe, and names the others all the same."""
    try:
        found = client.command(_COMMAND, target="mgr", ids=[str(one) for one in osds])
    except CephError as error:
        found = decoded(error.output.encode())
    listed = found.get("safe_to_destroy") if isinstance(found, dict) else None
    return [one for one in listed if isinstance(one, int)] if isinstance(listed, list) else None
