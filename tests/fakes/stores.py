"""Stores in memory."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey, Fsid
from orchestrator.model.owner import Owner
from orchestrator.model.spec import CephCluster
from orchestrator.reconcile import World
from tests.fakes.machines import Machines

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
OWNER = Owner(name="root@here", id="ours")


@dataclass(slots=True)
class Specs:
    cluster: CephCluster

    def get(self, key: ClusterKey) -> CephCluster | None:
        return self.cluster if key == self.cluster.key else None


@dataclass(slots=True)
class Statuses:
    status: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)

    def get(self, key: ClusterKey) -> dict[str, Any]:
        return self.status

    def put(self, key: ClusterKey, status: dict[str, Any]) -> None:
        self.status = status
        self.history.append(status)

    def forget(self, key: ClusterKey) -> None:
        self.status = {}


@dataclass(slots=True)
class Identities:
    stored: StoredIdentity | None = None
    made: int = 0

    def remembered(self, key: ClusterKey) -> StoredIdentity | None:
        return self.stored

    def begin(self, key: ClusterKey, fsid: Fsid | None) -> Fsid:
        if self.stored is None and fsid is None:
            self.made += 1
            number = f"{self.made:08x}-1111-4222-8333-444455556666"
            self.stored = StoredIdentity(fsid=Fsid(number), established=False)
        return fsid or (self.stored.fsid if self.stored else Fsid(""))

    def establish(self, key: ClusterKey, fsid: Fsid) -> None:
        known = self.stored or StoredIdentity(fsid=fsid, established=True)
        self.stored = replace(known, established=True)

    def forget(self, key: ClusterKey) -> None:
        self.stored = None


def world(cluster: CephCluster, machines: Machines) -> World:
    return World(
        specs=Specs(cluster),
        statuses=Statuses(),
        identities=Identities(),
        ansible=machines,
        now=lambda: NOW,
        owner=OWNER,
    )
