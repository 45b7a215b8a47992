"""The composition root: the one place that builds concrete objects and hands them to the core."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestrator import planning, reconcile, signals, status
from orchestrator.ansible.processes import Processes
from orchestrator.ansible.run import Runner
from orchestrator.console.progress import Watcher
from orchestrator.converge import Patience, converge
from orchestrator.model.device_report import Listing
from orchestrator.model.facts import Facts
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.model.placements import HostVerdict
from orchestrator.model.plan import Plan, Step
from orchestrator.model.spec import CephCluster
from orchestrator.report.record import Record, document
from orchestrator.report.recorder import Recorder
from orchestrator.stores import files


@dataclass(slots=True)
class Interruption:
    """Ctrl-C or SIGTERM, noted so that a run ends in order; the handlers are put back after."""

    event: threading.Event = field(default_factory=threading.Event)
    number: int = 0

    def noticed(self) -> AbstractContextManager[None]:
        return signals.handled((signal.SIGINT, signal.SIGTERM), self._note)

    def _note(self, number: int) -> None:
        self.number = number
        self.event.set()

    def sleep(self, seconds: float) -> None:
        """Sleep that an interruption ends."""
        self.event.wait(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workstation:
    """The orchestrator on an admin's machine: one manifest, one inventory."""

    cluster: CephCluster
    home: files.Home
    world: reconcile.World
    interruption: Interruption
    recorder: Recorder

    def run(self, *, patience_seconds: float, lock_seconds: float) -> reconcile.Result:
        """Bring the cluster to what the manifest says; one writer at a time."""
        patience = Patience(seconds=patience_seconds, sleep=self.interruption.sleep)
        with files.FileLock(self.home).hold(self.cluster.key), self.interruption.noticed():
            self._take_back_deletion()
            files.accept(self.home, self.cluster)
            owner = files.own(self.home, self.cluster.key)
            self.world.owner = replace(owner, seconds=lock_seconds)
            self.recorder.begin(self.cluster)
            return self.recorder.end(converge(self.cluster.key, self.world, patience))

    def plan(self) -> tuple[Plan, Outcome | None]:
        """What `run` would do now; reads the hosts and changes nothing on them."""
        with self.interruption.noticed():
            facts, seen = reconcile.observed(self.cluster.key, self.world, self.cluster)
            _, wanted = reconcile.planned(self.cluster, self.world, facts, thorough=True)
        if not wanted.steps:
            return planning.locks.respected(wanted, facts), seen
        notices = (*planning.locks.others(facts), *wanted.notices)
        return replace(wanted, notices=notices), seen

    def rehearse(self) -> tuple[tuple[Step, Outcome], ...]:
        """What `run` would write now, from Ansible's check mode; touches nothing."""
        with self.interruption.noticed():
            found = reconcile.rehearse(self.cluster.key, self.world)
            return tuple((step, outcome) for _, step, outcome in found)

    def placements(self, wanted: Plan) -> tuple[HostVerdict, ...]:
        """Why each host was chosen or not, from what the hosts said for this plan."""
        facts, _ = reconcile.observed(self.cluster.key, self.world, self.cluster)
        return planning.explain(self.cluster.spec, facts, wanted)

    def _take_back_deletion(self) -> None:
        """A deletion that was cut off is taken back by running the manifest; Kubernetes cannot."""
        status = self.world.statuses.get(self.cluster.key)
        if status.get("phase") == "Deleting" and not self.cluster.deleting:
            self.world.statuses.put(self.cluster.key, {})

    def devices(self) -> tuple[Listing, Outcome | None]:
        """Every device with its verdict, and what has none."""
        with self.interruption.noticed():
            facts, seen = reconcile.observed(self.cluster.key, self.world, self.cluster)
        survey, aside = planning.survey(self.cluster.spec, facts)
        unmatched = tuple(planning.unmatched(survey))
        return Listing(devices=survey.devices, aside=aside, unmatched=unmatched), seen

    def refresh(self, *, wait_seconds: float) -> Outcome | None:
        """Look at the cluster and bring the status up to date; wait up to so long for health.

        Gives how the last look went.
        """
        deadline = time.monotonic() + wait_seconds
        with self.interruption.noticed():
            while True:
                self.world.facts.pop(self.cluster.key, None)
                seen = reconcile.look(self.cluster.key, self.world)
                late = time.monotonic() >= deadline or self.interruption.event.is_set()
                if late or self.health() == "HEALTH_OK":
                    return seen
                self.interruption.sleep(1.0)

    def health(self) -> str:
        found = self.world.statuses.get(self.cluster.key)
        return str((found.get("ceph") or {}).get("health", ""))


def last_status(home: files.Home, key: ClusterKey) -> dict[str, Any]:
    """What is known here; a run that died may have left that it was at work."""
    found = files.StatusFile(home).get(key)
    if not found or files.FileLock(home).held(key):
        return found
    return status.unattended(found, datetime.now(UTC))


def workstation(
    cluster: CephCluster, inventories: tuple[Path, ...], home: files.Home, watcher: Watcher
) -> Workstation:
    """Wire a workstation for one cluster; what a killed one left running is ended first."""
    Processes(home.of(cluster.key) / "processes").end_leftovers()
    cluster = files.numbered(home, cluster)
    interruption = Interruption()
    facts: dict[ClusterKey, Facts] = {}
    recorder = recorder_of(cluster, home, watcher, lambda: facts.get(cluster.key))
    world = reconcile.World(
        specs=files.OneSpec(cluster),
        statuses=files.StatusFile(home),
        identities=files.IdentityFile(home),
        ansible=Runner(
            inventories=inventories,
            artifacts=home.runs(cluster.key),
            on_progress=recorder.on_progress,
            canceled=interruption.event.is_set,
        ),
        now=lambda: datetime.now(UTC),
        owner=files.owner(home, cluster.key),
        on_step=recorder.on_step,
        on_wait=watcher.on_wait,
        pause=interruption.sleep,
        facts=facts,
    )
    return Workstation(
        cluster=cluster, home=home, world=world, interruption=interruption, recorder=recorder
    )


def recorder_of(
    cluster: CephCluster, home: files.Home, watcher: Watcher, known: Callable[[], Facts | None]
) -> Recorder:
    """Notes what the report of a run needs, and hands on what it sees."""

    def write(record: Record) -> None:
        files.LastRunFile(home).put(cluster.key, document(record))

    return Recorder(watcher, write, lambda: datetime.now(UTC), known)
