"""The status subresource of one CephCluster: written whole, and only over what was just read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.model.names import ClusterKey
from orchestrator.stores.kubernetes.clusters import uid_of
from orchestrator.stores.kubernetes.connection import CEPH_CLUSTER, Connection, Object, retried

Status = dict[str, Any]


@dataclass(slots=True)
class StatusSubresource:
    """The status of the CephCluster with this uid.

    Rook's own CustomResourceDefinition has no place for what is added to its status and the server
    drops it; `_dropped` remembers that for the life of the process, so that what is put is what
    `get` gives.
    """

    connection: Connection
    uid: str
    _dropped: Status = field(default_factory=dict)

    def get(self, key: ClusterKey) -> Status:
        """The status with what the server dropped of it; empty when the object is gone."""
        found = self._read(key)
        return self._completed(found) if found else {}

    def put(self, key: ClusterKey, status: Status) -> None:
        self.change(key, lambda _: status)

    def change(self, key: ClusterKey, change: Callable[[Status], Status]) -> None:
        """Write what `change` makes of the status, and of a later one when it was not the last.

        It may be called several times. An object that is gone, or another one by now, has no
        status to write.
        """
        retried(lambda: self._changed(key, change))

    def forget(self, key: ClusterKey) -> None:
        """The status goes with its object."""

    def _changed(self, key: ClusterKey, change: Callable[[Status], Status]) -> Object | None:
        found = self._read(key)
        if found is None:
            return None
        before = self._completed(found)
        after = change(before)
        if after == before:
            return found
        written = self.connection.replace(
            CEPH_CLUSTER, {**found, "status": after}, subresource="status"
        )
        self._dropped = _lacking(written, after) if written else {}
        return written

    def _read(self, key: ClusterKey) -> Object | None:
        found = self.connection.get(CEPH_CLUSTER, key.namespace, key.name)
        return found if found and uid_of(found) == self.uid else None

    def _completed(self, found: Mapping[str, Any]) -> Status:
        return {**self._dropped, **(found.get("status") or {})}


def _lacking(written: Mapping[str, Any], put: Status) -> Status:
    kept = written.get("status") or {}
    return {name: value for name, value in put.items() if name not in kept}
