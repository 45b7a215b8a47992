"""Which Ceph cluster a CephCluster is: Rook's Secret and ConfigMap, which the mons' role writes.

The Secret is there before the first mon is, so an interrupted creation goes on with its fsid. That
the mons were once in quorum is told as Rook tells it: the highest mon id is noted (ROOK-COMPAT 2).
"""

import base64
import binascii
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.model import mon_objects
from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey, Fsid
from orchestrator.stores import StoreError
from orchestrator.stores.kubernetes import clusters
from orchestrator.stores.kubernetes.clusters import metadata
from orchestrator.stores.kubernetes.connection import (
    CONFIG_MAP,
    SECRET,
    Connection,
    Kind,
)

PROTECTION = "ceph.rook.io/disaster-protection"


@dataclass(frozen=True, slots=True)
class IdentityObjects:
    """The identity of the CephCluster in a namespace; Rook allows one of each."""

    connection: Connection

    def remembered(self, key: ClusterKey) -> StoredIdentity | None:
        """None while there is no Secret, or none with an fsid; StoreError when that is no UUID."""
        secret = self.connection.get(SECRET, key.namespace, mon_objects.SECRET)
        fsid = _fsid(secret, key) if secret else None
        if fsid is None:
            return None
        return StoredIdentity(fsid=fsid, established=self._had_quorum(key))

    def begin(self, key: ClusterKey, fsid: Fsid | None) -> Fsid:
        """The fsid to make a cluster with: given, stored, or else new; the role stores it."""
        stored = self.remembered(key)
        return fsid or (stored.fsid if stored else Fsid(str(uuid.uuid4())))

    def establish(self, key: ClusterKey, fsid: Fsid) -> None:
        """Nothing: the mons' role has noted their ids."""

    def forget(self, key: ClusterKey) -> None:
        """The cluster is gone: what protects its identity goes, and its owner takes the rest."""
        for kind, name in ((SECRET, mon_objects.SECRET), (CONFIG_MAP, mon_objects.ENDPOINTS)):
            self._unprotect(kind, key.namespace, name)

    def _had_quorum(self, key: ClusterKey) -> bool:
        found = self.connection.get(CONFIG_MAP, key.namespace, mon_objects.ENDPOINTS)
        return mon_objects.had_quorum(found)

    def _unprotect(self, kind: Kind, namespace: str, name: str) -> None:
        clusters.change_finalizers(
            self.connection,
            kind,
            lambda: self.connection.get(kind, namespace, name),
            lambda names: [one for one in names if one != PROTECTION],
        )


def owning(connection: Connection, namespace: str, uid: str) -> bool:
    """Whether the Ceph cluster of a namespace belongs to the CephCluster with this uid.

    One that nobody owns may be anybody's; without one there is nothing to own.
    """
    secret = connection.get(SECRET, namespace, mon_objects.SECRET)
    if secret is None:
        return False
    references = metadata(secret).get("ownerReferences") or ()
    owners = [str(one.get("uid") or "") for one in references if isinstance(one, Mapping)]
    return not owners or uid in owners


def _data(raw: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (raw or {}).get("data") or {}


def _fsid(secret: Mapping[str, Any], key: ClusterKey) -> Fsid | None:
    encoded = str(_data(secret).get("fsid") or "")
    try:
        text = base64.b64decode(encoded, validate=True).decode()
        return Fsid(str(uuid.UUID(text.strip()))) if text else None
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise StoreError(
            f"Secret {key.namespace}/{mon_objects.SECRET}: fsid is not a UUID; restore the Secret"
        ) from error
