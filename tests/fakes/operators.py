"""Ansible for the tests of the operator: simulated hosts, and a real API server beside them.

It leaves the objects that the real roles leave (Rook's Secret and ConfigMap of the mons), can be
held up in the middle of a playbook, and notices a cancel as the real runner does.
"""

import base64
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.ansible.facts import Member
from orchestrator.ansible.run import Watch
from orchestrator.ansible.variables import Variables
from orchestrator.model.facts import NO_RESTARTS, Restarts
from orchestrator.model.outcome import Outcome
from orchestrator.stores.kubernetes.clusters import OneCluster
from orchestrator.stores.kubernetes.connection import CONFIG_MAP, SECRET, ConflictError, Kind
from tests.fakes.clusters import room
from tests.fakes.machines import Machines

ENDPOINTS = {
    "name": "rook-ceph-mon-endpoints",
    "data": {"maxMonId": "2", "data": "a=10.0.0.1:6789"},
}


def _secret(fsid: str) -> dict[str, Any]:
    data = {"fsid": base64.b64encode(fsid.encode()).decode()}
    return {"name": "rook-ceph-mon", "type": "kubernetes.io/rook", "data": data}


@dataclass
class Scripted:
    """One cluster's hosts. While `held` is set, or `gate` exists, each playbook waits."""

    source: OneCluster
    watch: Watch
    machines: Machines = field(default_factory=lambda: room(3, 1))
    held: threading.Event = field(default_factory=threading.Event)
    busy: threading.Event = field(default_factory=threading.Event)
    gate: Path = Path("/nonexistent")
    canceled: int = 0
    unhealthy: str = ""
    answer: Mapping[str, Any] | None = None
    asked: int = 0

    def members(self) -> tuple[Member, ...]:
        return self.machines.members()

    def observe(self, restarts: Restarts = NO_RESTARTS) -> Outcome:
        return self.machines.observe(restarts)

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome:
        if self._cut_off():
            self.canceled += 1
            return Outcome(ok=False, run="0", playbook=variables.playbook, canceled=True)
        mons = variables.playbook in {"mon.yml", "site.yml"}
        if mons:
            self._write(SECRET, _secret(str(variables.extra["ceph_fsid"])))
        outcome = self.machines.apply(variables, check=check)
        if mons and self.machines.quorum():
            self._write(CONFIG_MAP, ENDPOINTS)
        return outcome

    def release(self, variables: Variables) -> Outcome:
        return self.machines.release(variables)

    def at_work(self) -> AbstractContextManager[None]:
        return nullcontext()

    def health(self) -> Mapping[str, Any] | None:
        self.asked += 1
        if self.unhealthy:
            raise ValueError(self.unhealthy)
        return self.machines.view() if self.machines.quorum() else self.answer

    def _cut_off(self) -> bool:
        """Whether the run was cancelled while it was held up."""
        self.busy.set()
        if self.gate.exists():
            self.gate.with_name("busy").touch()
        while (self.held.is_set() or self.gate.exists()) and not self.watch.canceled():
            threading.Event().wait(0.02)
        self.busy.clear()
        return self.watch.canceled()

    def _write(self, kind: Kind, body: Mapping[str, Any]) -> None:
        owner = {
            "apiVersion": "ceph.rook.io/v1",
            "kind": "CephCluster",
            "name": self.source.key.name,
            "uid": self.source.uid,
            "controller": True,
        }
        meta = {
            "name": body["name"],
            "namespace": self.source.key.namespace,
            "labels": {"rook_cluster": self.source.key.namespace},
            "finalizers": ["ceph.rook.io/disaster-protection"],
            "ownerReferences": [owner],
        }
        whole = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": meta}
        content = {name: value for name, value in body.items() if name != "name"}
        with suppress(ConflictError):
            self.source.connection.create(kind, {**whole, **content})


@dataclass(slots=True)
class Runners:
    """Every runner that was made, by the uid of its CephCluster; hosts outlive their operator."""

    made: dict[str, Scripted] = field(default_factory=dict)
    prepare: Callable[[Scripted], None] = lambda _runner: None

    def __call__(self, source: OneCluster, watch: Watch) -> Scripted:
        before = self.made.get(source.uid)
        runner = Scripted(source, watch)
        if before:
            runner.machines, runner.held, runner.gate = before.machines, before.held, before.gate
        else:
            self.prepare(runner)
        self.made[source.uid] = runner
        return runner
