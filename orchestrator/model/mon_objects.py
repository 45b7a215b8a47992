"""The Kubernetes objects that lead to a cluster's mons, by Rook's names."""

from collections.abc import Mapping
from typing import Any

SECRET = "rook-ceph-mon"  # noqa: S105 - the name of an object
ENDPOINTS = "rook-ceph-mon-endpoints"
CREDENTIALS = "rook-ceph-operator-creds"
"""Where older imports of an external cluster have the user and the key."""

NO_MON = "-1"
"""What maxMonId says before the first quorum."""


def had_quorum(endpoints: Mapping[str, Any] | None) -> bool:
    """Whether the mons that this ConfigMap names once came to a quorum."""
    data = (endpoints or {}).get("data") or {}
    return str(data.get("maxMonId") or NO_MON) != NO_MON
