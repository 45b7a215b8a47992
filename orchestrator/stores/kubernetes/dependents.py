"""What still stands on a CephCluster that is to be deleted: its children, and volumes in use."""

from collections.abc import Iterator, Mapping
from typing import Any

from orchestrator.stores.kubernetes.clusters import metadata
from orchestrator.stores.kubernetes.connection import (
    CEPH_CLUSTER,
    PERSISTENT_VOLUME,
    Connection,
    Kind,
)

PLURALS: Mapping[str, str] = {
    "CephBlockPool": "CephBlockPools",
    "CephBlockPoolRadosNamespace": "CephBlockPoolRadosNamespaces",
    "CephBucketNotification": "CephBucketNotifications",
    "CephBucketTopic": "CephBucketTopics",
    "CephClient": "CephClients",
    "CephFilesystem": "CephFilesystems",
    "CephFilesystemMirror": "CephFilesystemMirrors",
    "CephFilesystemSubVolumeGroup": "CephFilesystemSubVolumeGroups",
    "CephNFS": "CephNFSes",
    "CephObjectRealm": "CephObjectRealms",
    "CephObjectStore": "CephObjectStores",
    "CephObjectStoreUser": "CephObjectStoreUsers",
    "CephObjectZone": "CephObjectZones",
    "CephObjectZoneGroup": "CephObjectZoneGroups",
    "CephRBDMirror": "CephRBDMirrors",
}
"""The 15 kinds that Rook waits for (ROOK-COMPAT 8), as its condition names them."""

CSI_DRIVERS = ("rbd.csi.ceph.com", "cephfs.csi.ceph.com")
"""The ends of the drivers' names: an operator's namespace stands before them."""


def children(connection: Connection, namespace: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The plural of each kind with the names of its objects; kinds that are not served have none.

    Raises StoreError when they cannot be listed: then nobody can tell, and nothing is deleted.
    """
    served = {kind.name for kind in connection.served(CEPH_CLUSTER.api_version)}
    for name, plural in PLURALS.items():
        if name not in served:
            continue
        found = connection.list(Kind(CEPH_CLUSTER.api_version, name), namespace)
        if found:
            yield plural, tuple(sorted(str(metadata(one).get("name")) for one in found))


def volumes(connection: Connection, namespace: str) -> tuple[str, ...]:
    """PersistentVolumes that Ceph's CSI drivers made on the cluster of `namespace`."""
    found = connection.list(PERSISTENT_VOLUME)
    return tuple(
        sorted(str(metadata(one).get("name")) for one in found if _stands_on(one, namespace))
    )


def _stands_on(volume: Mapping[str, Any], namespace: str) -> bool:
    csi = (volume.get("spec") or {}).get("csi") or {}
    attributes = csi.get("volumeAttributes") or {}
    return str(csi.get("driver") or "").endswith(CSI_DRIVERS) and (
        attributes.get("clusterID") == namespace
    )
