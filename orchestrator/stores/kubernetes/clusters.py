"""CephClusters of the API server: the spec that a pass reads, and the finalizer that holds them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.model.manifest import parse_object
from orchestrator.model.names import ClusterKey
from orchestrator.model.spec import CephCluster
from orchestrator.stores.kubernetes.connection import (
    CEPH_CLUSTER,
    Connection,
    Kind,
    Object,
    retried,
)

Finalizers = Callable[[list[str]], list[str]]

FINALIZER = "cephcluster.ceph.rook.io"
"""Rook's: the kind in lower case and its group."""


def key_of(raw: Mapping[str, Any]) -> ClusterKey:
    meta = metadata(raw)
    return ClusterKey(str(meta.get("namespace") or ""), str(meta.get("name") or ""))


def uid_of(raw: Mapping[str, Any]) -> str:
    return str(metadata(raw).get("uid") or "")


def metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    found = raw.get("metadata")
    return found if isinstance(found, Mapping) else {}


def deleting(raw: Mapping[str, Any]) -> bool:
    return bool(metadata(raw).get("deletionTimestamp"))


def reference(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What an Event says of the object that it is about."""
    key = key_of(raw)
    return {
        "apiVersion": CEPH_CLUSTER.api_version,
        "kind": CEPH_CLUSTER.name,
        "namespace": key.namespace,
        "name": key.name,
        "uid": uid_of(raw),
        "resourceVersion": str(metadata(raw).get("resourceVersion") or ""),
    }


@dataclass(slots=True)
class OneCluster:
    """One CephCluster, read anew for each step; one of the same name and another uid is not it.

    It `counts_as` what the operator's settings make of it, and is only ever written as it is.
    """

    connection: Connection
    key: ClusterKey
    uid: str
    latest: Object = field(default_factory=dict)
    counts_as: Callable[[Object], Object] = dict

    def get(self, key: ClusterKey) -> CephCluster | None:
        """The spec as it stands now; None once the object is gone. Raises SpecError."""
        found = self.read() if key == self.key else None
        if not found:
            return None
        return parse_object(self.counts_as(found), source=f"CephCluster {key}").cluster

    def read(self) -> Object | None:
        """The object as it is now, noted as `latest`; None when it, with its uid, is gone."""
        found = self.connection.get(CEPH_CLUSTER, self.key.namespace, self.key.name)
        if found is None or uid_of(found) != self.uid:
            return None
        self.latest = found
        return found

    def hold(self) -> None:
        """Put the finalizer on: the object stays until its cluster was taken away."""
        self._finalizers(lambda names: names if FINALIZER in names else [*names, FINALIZER])

    def release(self) -> None:
        """Take the finalizer off: the object may go."""
        self._finalizers(lambda names: [name for name in names if name != FINALIZER])

    def _finalizers(self, change: Finalizers) -> None:
        change_finalizers(self.connection, CEPH_CLUSTER, self.read, change)


def change_finalizers(
    connection: Connection, kind: Kind, read: Callable[[], Object | None], change: Finalizers
) -> None:
    """Give the object that `read` gives the finalizers that `change` makes of its own.

    Nothing is written when they are the same or the object is gone. Raises StoreError.
    """

    def changed() -> Object | None:
        found = read()
        if found is None:
            return None
        before = list(metadata(found).get("finalizers") or ())
        after = change(before)
        if after == before:
            return found
        meta = {**metadata(found), "finalizers": after}
        return connection.replace(kind, {**found, "metadata": meta})

    retried(changed)
