"""One CephCluster in the operator's charge: its world, and the right of the pass at work."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.controller.sightings import Raw, cluster_view, stops_run
from orchestrator.controller.tokens import Rights
from orchestrator.model.names import ClusterKey
from orchestrator.reconcile import World
from orchestrator.stores.kubernetes.clusters import OneCluster
from orchestrator.stores.kubernetes.statuses import StatusSubresource


@dataclass(slots=True, kw_only=True)
class Charge:
    """What belongs to one uid. One made anew under the same name is another charge (C45)."""

    source: OneCluster
    statuses: StatusSubresource
    world: World
    health: Callable[[], Mapping[str, Any] | None]
    rights: Rights
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def key(self) -> ClusterKey:
        return self.source.key

    @property
    def uid(self) -> str:
        return self.source.uid

    def edited(self, raw: Raw) -> bool:
        """Cancel the run if it is for something that is not asked for any more."""
        read = self.source.latest
        outdated = bool(read) and stops_run(cluster_view(read), cluster_view(raw))
        if outdated:
            self.rights.token.cancel("the CephCluster was edited")
        return outdated

    def stop(self, reason: str) -> None:
        """No more passes and checks: the object is gone, or the operator ends."""
        self.stopped.set()
        self.rights.end(reason)
