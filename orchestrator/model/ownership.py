"""How an object in Kubernetes says that it goes with its CephCluster."""

from collections.abc import Mapping
from typing import Any


def reference(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of `ownerReferences`, from the CephCluster's own `metadata`."""
    return {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
