"""Events of a CephCluster, as `kubectl describe` shows them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orchestrator.conditions import timestamp
from orchestrator.stores.kubernetes.clusters import key_of, reference
from orchestrator.stores.kubernetes.connection import EVENT, Connection

COMPONENT = "rook-ceph-cluster-controller"
"""Rook's own source of a CephCluster's events, which people filter by."""

NORMAL, WARNING = "Normal", "Warning"
LONGEST_MESSAGE = 1000


@dataclass(frozen=True, slots=True)
class Events:
    """Tells what happened; the same thing again is counted and not repeated."""

    connection: Connection
    now: Callable[[], datetime]

    def tell(self, raw: Mapping[str, Any], kind: str, reason: str, message: str) -> None:
        """Note an event of the CephCluster `raw`; `kind` is Normal or Warning."""
        text = message[:LONGEST_MESSAGE]
        key, about = key_of(raw), reference(raw)
        name = f"{key.name}.{_digest(about['uid'], kind, reason, text)}"
        known = self.connection.get(EVENT, key.namespace, name)
        if known:
            again = {"count": int(known.get("count") or 1) + 1, "lastTimestamp": self._stamp()}
            self.connection.patch(EVENT, key.namespace, name, again)
        else:
            self.connection.create(EVENT, self._event(about, name, (kind, reason, text)))

    def _event(
        self, about: Mapping[str, Any], name: str, told: tuple[str, str, str]
    ) -> dict[str, Any]:
        kind, reason, message = told
        return {
            "apiVersion": EVENT.api_version,
            "kind": EVENT.name,
            "metadata": {"name": name, "namespace": about["namespace"]},
            "involvedObject": dict(about),
            "type": kind,
            "reason": reason,
            "message": message,
            "source": {"component": COMPONENT},
            "firstTimestamp": self._stamp(),
            "lastTimestamp": self._stamp(),
            "count": 1,
        }

    def _stamp(self) -> str:
        return timestamp(self.now())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
