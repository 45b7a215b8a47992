"""Rook's CephCluster as frozen values: the only form of a manifest that other code sees."""

from orchestrator.model.spec.cluster import API_VERSION, KIND, CephCluster, CephClusterSpec
from orchestrator.model.spec.storage import Device, Node, Selection, Storage

__all__ = [
    "API_VERSION",
    "KIND",
    "CephCluster",
    "CephClusterSpec",
    "Device",
    "Node",
    "Selection",
    "Storage",
]
