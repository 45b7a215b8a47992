"""Builds and keeps Ceph clusters from one Rook-style CephCluster manifest."""

__version__ = "0.1.0"
