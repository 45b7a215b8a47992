"""Where specs, status and identity are kept: Protocols, and their two homes.

`files` is the admin's workstation, `kubernetes` the API server. All methods raise StoreError when
the home cannot be read or written.
"""

from typing import Any, Protocol

from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey, Fsid
from orchestrator.model.spec import CephCluster


class StoreError(Exception):
    """A store that could not be read or written; the text names the place and the cause."""


class AccessError(StoreError):
    """What a user gave as the way to a store, such as a kubeconfig, cannot be used."""


class SilentError(StoreError):
    """Nobody could be asked: the store did not answer, or could not say anything."""


class SpecSource(Protocol):
    """Where the wanted state comes from."""

    def get(self, key: ClusterKey) -> CephCluster | None:
        """The cluster as it is wanted now, None when there is no such; may raise SpecError."""


class StatusSink(Protocol):
    """Where the status goes: what is put is what `get` gives, in Rook's fields."""

    def get(self, key: ClusterKey) -> dict[str, Any]:
        """The last status, empty when there was none."""

    def put(self, key: ClusterKey, status: dict[str, Any]) -> None:
        """Replace the status as a whole."""

    def forget(self, key: ClusterKey) -> None:
        """The cluster is gone, and its status with it."""


class IdentityStore(Protocol):
    """Which fsid was chosen for a cluster, and whether its mons were ever in quorum. No keys."""

    def remembered(self, key: ClusterKey) -> StoredIdentity | None:
        """What is stored; None for a cluster that was never begun."""

    def begin(self, key: ClusterKey, fsid: Fsid | None) -> Fsid:
        """The fsid to make a cluster with: given, stored, or else new."""

    def establish(self, key: ClusterKey, fsid: Fsid) -> None:
        """Note that the mons were in quorum."""

    def forget(self, key: ClusterKey) -> None:
        """The cluster is gone: a later one of this name is another one."""
