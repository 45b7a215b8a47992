"""Where specs, status and identity are kept: Protocols, and their homes.

This release has one home, files on the admin's workstation.
"""

from typing import Any, Protocol

from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey, Fsid
from orchestrator.model.spec import CephCluster


class StoreError(Exception):
    """A store that could not be read or written; the text names the place and the cause."""


class SpecSource(Protocol):
    """Where the wanted state comes from."""

    def get(self, key: ClusterKey) -> CephCluster | None: ...


class StatusSink(Protocol):
    """Where the status goes: what is put is what `get` gives."""

    def get(self, key: ClusterKey) -> dict[str, Any]: ...

    def put(self, key: ClusterKey, status: dict[str, Any]) -> None: ...

    def forget(self, key: ClusterKey) -> None: ...


class IdentityStore(Protocol):
    """Which fsid was chosen for a cluster, and whether its mons were ever in quorum. No keys."""

    def remembered(self, key: ClusterKey) -> StoredIdentity | None: ...

    def begin(self, key: ClusterKey, fsid: Fsid | None) -> Fsid: ...

    def establish(self, key: ClusterKey, fsid: Fsid) -> None: ...

    def forget(self, key: ClusterKey) -> None: ...
