"""A namespace of a real API server with an operator in it, whose hosts alone are simulated."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from orchestrator import operator
from orchestrator.controller.lease import Lease, Times
from orchestrator.controller.manager import Manager
from orchestrator.controller.metrics import Metrics
from orchestrator.stores import files
from orchestrator.stores.kubernetes.connection import (
    CEPH_CLUSTER,
    EVENT,
    ConflictError,
    Connection,
    Kind,
    Object,
)
from tests.contract.paths import ROOT
from tests.fakes.operators import Runners, Scripted
from tests.waiting import eventually

CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
NAMESPACE = Kind("v1", "Namespace")
BRISK = Times(duration=6, deadline=4, retry=1)
SPEC = {
    "dataDirHostPath": "/var/lib/rook",
    "mon": {"count": 3},
    "mgr": {"count": 2},
    "storage": {"useAllNodes": True, "useAllDevices": True},
}


def with_crd(connection: Connection) -> None:
    """Install the CustomResourceDefinition and wait until it is served."""
    path = ROOT / "deploy" / "crds" / "cephclusters.ceph.rook.io.yaml"
    made(connection, CRD, yaml.safe_load(path.read_text()))
    eventually(lambda: connection.served(CEPH_CLUSTER.api_version))


def made(connection: Connection, kind: Kind, body: dict[str, Any]) -> Object:
    """Create the object, or give the one that is there."""
    try:
        return connection.create(kind, body)
    except ConflictError:
        meta = body["metadata"]
        return connection.get(kind, meta.get("namespace", ""), meta["name"]) or {}


@dataclass(slots=True)
class Site:
    """One namespace, `rook-ceph-…`, and what a test does in it."""

    connection: Connection
    namespace: str
    home: Path
    runners: Runners = field(default_factory=Runners)
    metrics: Metrics = field(default_factory=Metrics)
    environment: dict[str, str] = field(default_factory=dict)

    def begin(self) -> "Site":
        made(
            self.connection,
            NAMESPACE,
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}},
        )
        return self

    def settings(self, **more: Any) -> operator.Settings:
        values = {
            "home": files.Home(self.home),
            "operator_namespace": self.namespace,
            "namespace": self.namespace,
            "environment": self.environment,
            "times": BRISK,
            **more,
        }
        return operator.Settings(**values)

    def lease(self, identity: str) -> Lease:
        return Lease(self.connection, self.namespace, identity, times=BRISK)

    @contextmanager
    def managed(self, **more: Any) -> Iterator[Manager]:
        """A manager at work that holds the Lease, stopped at the end."""
        lease = self.lease("the test")
        eventually(lease.confirm)
        around = operator.surroundings(
            self.settings(**more), self.connection, lease, self.metrics, self.runners
        )
        manager = Manager(around)
        manager.start()
        try:
            eventually(lambda: not manager.behind())
            yield manager
        finally:
            assert manager.stop("the test ends")
            lease.release()

    def apply(self, name: str = "c1", namespace: str = "", **spec: Any) -> Object:
        """Create a CephCluster, or change fields of its spec."""
        space = namespace or self.namespace
        if self.connection.get(CEPH_CLUSTER, space, name):
            return self.connection.patch(CEPH_CLUSTER, space, name, {"spec": spec})
        body = {
            "apiVersion": CEPH_CLUSTER.api_version,
            "kind": CEPH_CLUSTER.name,
            "metadata": {"name": name, "namespace": space},
            "spec": {**SPEC, **spec},
        }
        return self.connection.create(CEPH_CLUSTER, body)

    def label(self, name: str, **labels: str | None) -> None:
        meta = {"metadata": {"labels": labels}}
        self.connection.patch(CEPH_CLUSTER, self.namespace, name, meta)

    def delete(self, name: str = "c1") -> None:
        self.connection.delete(CEPH_CLUSTER, self.namespace, name)

    def get(self, name: str = "c1", namespace: str = "") -> Object:
        return self.connection.get(CEPH_CLUSTER, namespace or self.namespace, name) or {}

    def status(self, name: str = "c1", namespace: str = "") -> dict[str, Any]:
        return self.get(name, namespace).get("status") or {}

    def condition(self, kind: str, name: str = "c1") -> dict[str, Any]:
        known = self.status(name).get("conditions") or ()
        return next((one for one in known if one["type"] == kind), {})

    def ready(self, name: str = "c1", generation: int = 1, namespace: str = "") -> bool:
        found = self.status(name, namespace)
        return found.get("phase") == "Ready" and found["observedGeneration"] == generation

    def events(self, name: str = "c1") -> list[tuple[str, str, str]]:
        found = self.connection.list(EVENT, self.namespace)
        return [
            (one["type"], one["reason"], one["message"])
            for one in found
            if one["involvedObject"]["name"] == name
        ]

    def runner(self, name: str = "c1", namespace: str = "") -> Scripted:
        """The runner of a CephCluster, once the operator has made it."""
        uid = self.get(name, namespace)["metadata"]["uid"]
        return eventually(lambda: self.runners.made.get(uid))  # type: ignore[return-value]

    def passes(self, result: str = "", name: str = "c1", namespace: str = "") -> int:
        """Passes that have ended, by their result."""
        return int(
            sum(
                sample.value
                for metric in self.metrics.registry.collect()
                for sample in metric.samples
                if sample.name == "ceph_orchestrator_passes_total"
                and sample.labels["name"] == name
                and sample.labels["namespace"] == (namespace or self.namespace)
                and result in {"", sample.labels["result"]}
            )
        )
