"""The whole of it for one term of leadership: watches, queue, worker and health checks.

A manager is started once and stopped once; SIGHUP and a lost Lease make a new one.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrator.controller import sightings
from orchestrator.controller.charge import Charge
from orchestrator.controller.intervals import Intervals, intervals
from orchestrator.controller.logs import log
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.monitor import Monitor
from orchestrator.controller.queue import WorkQueue
from orchestrator.controller.sightings import News, Raw
from orchestrator.controller.watch import RESYNC_SECONDS, Subject, Watch
from orchestrator.controller.worker import Pass, Turns, Worker
from orchestrator.model.manifest import SpecError, parse_object
from orchestrator.model.names import ClusterKey
from orchestrator.model.spec.health import HealthCheck
from orchestrator.stores.kubernetes.clusters import key_of, uid_of
from orchestrator.stores.kubernetes.connection import (
    CEPH_CLUSTER,
    CONFIG_MAP,
    CRON_JOB,
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    ENDPOINT_SLICE,
    NODE,
    SECRET,
    SERVICE,
    SERVICE_MONITOR,
    Connection,
    Kind,
)

DISCOVERED = "app=rook-discover"
OWNED = (DEPLOYMENT, SECRET, CONFIG_MAP, SERVICE, DISRUPTION_BUDGET, CRON_JOB, ENDPOINT_SLICE)
NOT_EVERYWHERE = (SERVICE_MONITOR,)
"""Owned ones too, of a kind that only some servers have."""

NODE_SECONDS = 2.0
"""Nodes change several times while they come and go: one pass for all of it."""

MakeCharge = Callable[[Raw], Charge]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a manager is given: all that outlives it, and how it makes what does not.

    Clusters are those of `namespace`, or of all; the discovery of disks is that of the operator's.
    """

    connection: Connection
    metrics: Metrics
    charge: MakeCharge
    make_pass: Pass
    environment: Mapping[str, str]
    namespace: str = ""
    operator_namespace: str = ""
    resync_seconds: int = RESYNC_SECONDS
    turns: Turns = field(default_factory=Turns)


@dataclass(slots=True)
class Manager:
    """Thread-safe as far as the watches need it: news of one kind come one at a time."""

    around: Surroundings
    queue: WorkQueue = field(default_factory=WorkQueue)
    charges: dict[ClusterKey, Charge] = field(default_factory=dict)
    worker: Worker = field(init=False)
    watches: tuple[Watch, ...] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.worker = Worker(
            queue=self.queue,
            charge_of=self.charges.get,
            make_pass=self.around.make_pass,
            metrics=self.around.metrics,
            turns=self.around.turns,
        )
        self.watches = tuple(self._watches())

    def start(self) -> None:
        self.around.metrics.queue_depth.set_function(self.queue.depth)
        self.worker.start()
        for watch in self.watches:
            watch.start()

    def stop(self, reason: str) -> bool:
        """Cancel every run and end all threads; whether that came within the time for it."""
        self.queue.close()
        with self._lock:
            charges = tuple(self.charges.values())
        for charge in charges:
            charge.stop(reason)
        enders = [threading.Thread(target=one.stop, daemon=True) for one in self.watches]
        for ender in enders:
            ender.start()
        ended = self.worker.stop()
        for ender in enders:
            ender.join(5.0)
        return ended and not any(one.is_alive() for one in enders)

    def trouble(self) -> str:
        """What makes this manager useless, in words; empty when nothing does."""
        return "" if self.worker.alive else "the dispatcher of passes has ended"

    def behind(self) -> str:
        """What has not been seen yet; empty once every kind was listed."""
        names = [str(one.subject.kind) for one in self.watches if not one.synced.is_set()]
        return f"not listed yet: {', '.join(names)}" if names else ""

    def _watches(self) -> list[Watch]:
        clusters = Subject(
            kind=CEPH_CLUSTER,
            view=sightings.cluster_view,
            namespace=self.around.namespace,
            announced=True,
        )
        nodes = Subject(kind=NODE, view=sightings.node_view)
        found = Subject(
            kind=CONFIG_MAP,
            view=sightings.owned_view,
            namespace=self.around.operator_namespace or self.around.namespace,
            labels=DISCOVERED,
            metadata_only=True,
        )
        owned = [
            Subject(
                kind=kind,
                view=sightings.owned_view,
                namespace=self.around.namespace,
                labels=sightings.CLUSTER_LABEL,
                metadata_only=True,
                optional=kind in NOT_EVERYWHERE,
            )
            for kind in (*OWNED, *NOT_EVERYWHERE)
        ]
        return [
            self._watch(clusters, self._on_cluster),
            self._watch(nodes, self._on_node),
            self._watch(found, self._on_discovery),
            *(self._watch(one, self._on_owned) for one in owned),
        ]

    def _watch(self, subject: Subject, told: Callable[[News, Raw], None]) -> Watch:
        return Watch(self.around.connection, subject, told, _complain, self.around.resync_seconds)

    def _on_cluster(self, news: News, raw: Raw) -> None:
        key, uid = key_of(raw), uid_of(raw)
        if news is News.DELETED:
            self._dismiss(key, uid)
        elif news is News.ADDED:
            self._take(key, raw)
        elif (known := self.charges.get(key)) and known.uid == uid:
            if known.edited(raw):
                log.info("the CephCluster was edited: its run is cancelled", cluster=str(key))
            self.worker.backoff.succeeded(key)
        if news is not News.CHANGED:
            self._wake_neighbours(key)
        if news is not News.DELETED:
            self.queue.add(key)

    def _take(self, key: ClusterKey, raw: Raw) -> None:
        log.info("a CephCluster is in charge", cluster=str(key), uid=uid_of(raw))
        charge = self.around.charge(raw)
        with self._lock:
            before = self.charges.get(key)
            self.charges[key] = charge
        if before:
            before.stop("another CephCluster has its name")
        monitor = Monitor(
            charge=charge,
            intervals=lambda: self._intervals(charge),
            wake=self.queue.nudge,
            unwatched=lambda: self._unwatched(key),
            metrics=self.around.metrics,
        )
        monitor.start()

    def _dismiss(self, key: ClusterKey, uid: str) -> None:
        with self._lock:
            known = self.charges.get(key)
            if known is None or known.uid != uid:
                return
            del self.charges[key]
        log.info("a CephCluster is gone", cluster=str(key), uid=uid)
        known.stop("the CephCluster is gone")
        self.queue.forget(key)
        self.worker.backoff.succeeded(key)
        self.around.metrics.forget(key)

    def _wake_neighbours(self, key: ClusterKey) -> None:
        """Two in one namespace wait for each other."""
        for other in tuple(self.charges):
            if other.namespace == key.namespace and other != key:
                self.queue.add(other)

    def _on_node(self, news: News, raw: Raw) -> None:
        del news, raw
        for key in tuple(self.charges):
            self.queue.wake(key, NODE_SECONDS)

    def _on_discovery(self, news: News, raw: Raw) -> None:
        """A disk that changed may have been changed by a pass that failed."""
        del news, raw
        for key in tuple(self.charges):
            self.queue.nudge(key, NODE_SECONDS)

    def _on_owned(self, news: News, raw: Raw) -> None:
        """What was made is what a pass has made; what was changed or deleted may not be."""
        owner = sightings.owner_of(raw)
        if news is not News.ADDED and owner in self.charges and owner:
            self.queue.nudge(owner)

    def _intervals(self, charge: Charge) -> Intervals:
        """Of the spec as it was last read; one that is not understood changes nothing."""
        try:
            spec = parse_object(charge.source.latest, source=str(charge.key)).cluster.spec
        except SpecError:
            return intervals(HealthCheck(), self.around.environment)
        return intervals(spec.health_check, self.around.environment)

    def _unwatched(self, key: ClusterKey) -> bool:
        """Whether a mon's Deployment has the label that says hands off: then Rook looks at none."""
        labels = f"app=rook-ceph-mon,{sightings.SKIP_LABEL}"
        return bool(self.around.connection.list(DEPLOYMENT, key.namespace, labels=labels))


def _complain(kind: Kind, error: Exception) -> None:
    log.warning("the watch was cut off", kind=str(kind), why=str(error).partition("\n")[0])
