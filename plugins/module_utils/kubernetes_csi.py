"""What Ceph's CSI drivers need of a cluster, by Rook's names: users' Secrets and mons: pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_report,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

NAME = "csi"
CONFIG = "rook-ceph-csi-config"
KEY = "csi-cluster-config-json"
SECRETS = (
    "rook-csi-rbd-provisioner",
    "rook-csi-rbd-node",
    "rook-csi-cephfs-provisioner",
    "rook-csi-cephfs-node",
)
_PREFIX = "client.csi-"


def secret_name(entity: str) -> str:
    """Give the name of the Secret of a driver's user, "" for any other entity."""
    return entity.replace("client.", "rook-", 1) if entity.startswith(_PREFIX) else ""


def user(entity: str, key: str) -> dict[str, str]:
    """Give the values of that Secret."""
    return {"userID": entity.replace("client.", "", 1), "userKey": key}


def is_held(held: Mapping[str, str], entity: str, key: str) -> bool:
    """Say whether a Secret has this user; a name with a generation is one that Rook rotated."""
    wanted = user(entity, key)
    return held == wanted or held.get("userID", "").startswith(f"{wanted['userID']}.")


def entries(cluster: Cluster, mons: Sequence[str]) -> str:
    """Give what drivers read of the cluster, with its mons as `host:port`."""
    entry: Object = {
        "clusterID": cluster.namespace,
        "monitors": list(mons),
        "namespace": cluster.namespace,
        "cephFS": _mounting(cluster),
    }
    affinity = cluster.section("csi", "readAffinity")
    if affinity.get("enabled"):
        labels = list(affinity.get("crushLocationLabels") or _LABELS)
        entry["readAffinity"] = {"enabled": True, "crushLocationLabels": labels}
    return json.dumps([entry], separators=(",", ":"), sort_keys=True)


_LABELS = (
    "kubernetes.io/hostname",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.rook.io/chassis",
    "topology.rook.io/rack",
    "topology.rook.io/row",
    "topology.rook.io/pdu",
    "topology.rook.io/pod",
    "topology.rook.io/room",
    "topology.rook.io/datacenter",
)
"""Rook's labels of nodes that stand for levels of the CRUSH map."""


def _mounting(cluster: Cluster) -> dict[str, str]:
    """A kernel tries the old messenger unless it is told; there it finds none."""
    asked = cluster.section("csi", "cephfs")
    kernel = str(asked.get("kernelMountOptions") or "")
    if not kernel and cluster.msgr2_only:
        encrypted = cluster.section("network", "connections", "encryption").get("enabled")
        kernel = f"ms_mode={'secure' if encrypted else 'prefer-crc'}"
    found = {
        "kernelMountOptions": kernel,
        "fuseMountOptions": str(asked.get("fuseMountOptions") or ""),
    }
    return {name: value for name, value in found.items() if value}


def config(cluster: Cluster, mons: Sequence[str], record: str = "") -> Object:
    """Give the ConfigMap that drivers have mounted."""
    notes = {kubernetes_cluster.RECORD: record}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": cluster.metadata(CONFIG, annotations=notes),
        "data": {KEY: entries(cluster, mons)},
    }


def told(
    cluster: Cluster,
    mons: Sequence[str],
    live: Mapping[str, Any] | None,
    secrets: Collection[str],
    slices: Sequence[str] = (),
) -> Object:
    """Tell how what drivers need is there; `live` is the ConfigMap, `secrets` names those held.

    `slices` say what is wrong with the EndpointSlices, which are made with it.
    """
    record = kubernetes_cluster.record(live)
    drifted = []
    if live and record and not kubernetes_cluster.is_left_alone(live):
        differing = kubernetes_drift.unlike(live, config(cluster, mons, record))
        drifted = [f"ConfigMap {CONFIG} differs: {', '.join(differing)}"] if differing else []
        drifted += slices
    keyring = all(name in secrets for name in SECRETS)
    return kubernetes_report.service(NAME, live, drifted, keyring=keyring)
