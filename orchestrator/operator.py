"""The composition root of the operator: what `app` is for a workstation, for Kubernetes."""

import hashlib
import os
import socket
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import structlog

from orchestrator import conditions, status
from orchestrator.ansible.kubernetes import ClusterRunner
from orchestrator.ansible.run import OnProgress, Watch
from orchestrator.controller import logs, server
from orchestrator.controller.charge import Charge
from orchestrator.controller.guard import ClusterAnsible, Guarded, UntilCanceled
from orchestrator.controller.lease import Lease, Times
from orchestrator.controller.logs import log
from orchestrator.controller.manager import Manager, Surroundings
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.passes import Passes, Tell
from orchestrator.controller.server import Pages
from orchestrator.controller.sightings import Raw
from orchestrator.controller.signals import Signals
from orchestrator.controller.terms import Terms
from orchestrator.controller.tokens import CanceledError, Rights
from orchestrator.controller.watch import RESYNC_SECONDS
from orchestrator.model import operator_settings
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.model.owner import Owner
from orchestrator.model.plan import Plan, Step
from orchestrator.reconcile import World
from orchestrator.stores import StoreError, files
from orchestrator.stores.kubernetes.clusters import OneCluster, key_of, uid_of
from orchestrator.stores.kubernetes.connection import Connection, connect
from orchestrator.stores.kubernetes.events import Events
from orchestrator.stores.kubernetes.identities import IdentityObjects
from orchestrator.stores.kubernetes.statuses import StatusSubresource

AnsibleFor = Callable[[OneCluster, Watch], ClusterAnsible]
"""Ansible for one CephCluster, whose object it reads when it needs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the command line and the environment say.

    `namespace` is the only one whose CephClusters are managed; empty: all. Without `listen`
    nothing is served.
    """

    home: files.Home
    operator_namespace: str
    kubeconfig: Path | None = None
    namespace: str = ""
    listen: tuple[str, int] | None = None
    level: str = "INFO"
    resync_seconds: int = RESYNC_SECONDS
    times: Times = field(default_factory=Times)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def identity(environment: Mapping[str, str]) -> str:
    """Who holds the Lease: the pod, or the host and one process of it."""
    return environment.get("POD_NAME") or f"{socket.gethostname()}_{uuid.uuid4()}"


def runner_for(settings: Settings, alone: Callable[[], bool] = lambda: True) -> AnsibleFor:
    """Ansible as it runs against real nodes; it starts no Job unless it is `alone` at work."""

    def made(source: OneCluster, watch: Watch) -> ClusterAnsible:
        return ClusterRunner(
            cluster=lambda: source.latest,
            dynamic=lambda: source.connection.dynamic,
            kubeconfig=settings.kubeconfig,
            artifacts=settings.home.runs(source.key),
            on_progress=watch.on_progress,
            canceled=watch.canceled,
            alone=alone,
            on_detection=watch.on_detection,
            settings=operator_settings.read(settings.environment),
            operator_namespace=settings.operator_namespace,
        )

    return made


def serve(settings: Settings, ansible_for: AnsibleFor) -> None:
    """Run the operator until SIGTERM."""
    logs.set_up(settings.level)
    connection = connect(settings.kubeconfig)
    signals, metrics = Signals(), Metrics()
    lease = Lease(
        connection,
        settings.operator_namespace,
        identity(settings.environment),
        times=settings.times,
    )
    around = surroundings(settings, connection, lease, metrics, ansible_for)
    terms = Terms(lease=lease, make=lambda: Manager(around), signals=signals, metrics=metrics)
    pages = Pages(metrics=metrics.text, alive=terms.trouble, ready=terms.behind)
    for doubt in operator_settings.doubts(settings.environment):
        log.warning(doubt)
    log.info("the operator begins", identity=lease.identity, namespace=settings.namespace or "*")
    with signals.noticed():
        if settings.listen is None:
            terms.serve()
        else:
            with server.serving(settings.listen, pages):
                terms.serve()


def surroundings(
    settings: Settings,
    connection: Connection,
    lease: Lease,
    metrics: Metrics,
    ansible_for: AnsibleFor,
) -> Surroundings:
    """Wire what a manager is made in."""
    makers = Charges(
        settings=settings,
        connection=connection,
        lease=lease,
        telling=telling(metrics),
        ansible_for=ansible_for,
    )
    return Surroundings(
        connection=connection,
        metrics=metrics,
        charge=makers.charge,
        make_pass=Passes(connection=connection, tell=teller(connection)).run,
        environment=settings.environment,
        namespace=settings.namespace,
        operator_namespace=settings.operator_namespace,
        resync_seconds=settings.resync_seconds,
    )


def teller(connection: Connection) -> Tell:
    """Write Events; one that cannot be written is no reason to stop a pass."""
    events = Events(connection, _now)

    def tell(raw: Raw, kind: str, reason: str, message: str) -> None:
        try:
            events.tell(raw, kind, reason, message)
        except StoreError as error:
            log.warning("the event could not be written", reason=reason, why=str(error))

    return tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Who hears of what a pass does."""

    on_step: Callable[[Plan, Step], None]
    ended: Callable[[ClusterKey, Outcome], None]
    on_progress: OnProgress = lambda _progress: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charges:
    """Makes the world of a CephCluster, once for each uid."""

    settings: Settings
    connection: Connection
    lease: Lease
    telling: Telling
    ansible_for: AnsibleFor

    def charge(self, raw: Raw) -> Charge:
        key, uid = key_of(raw), uid_of(raw)
        applied = operator_settings.read(self.settings.environment).applied
        source = OneCluster(self.connection, key, uid, latest=dict(raw), counts_as=applied)
        statuses = StatusSubresource(self.connection, uid)
        rights = Rights()
        watch = Watch(
            on_progress=self.telling.on_progress,
            canceled=rights.canceled,
            on_detection=lambda: _detecting(statuses, key),
        )
        ansible = self.ansible_for(source, watch)
        world = World(
            specs=source,
            statuses=UntilCanceled(inner=statuses, canceled=rights.canceled),
            identities=IdentityObjects(self.connection),
            ansible=Guarded(
                inner=ansible,
                may=rights.check,
                sure=self._confirm,
                told=lambda outcome: self.telling.ended(key, outcome),
            ),
            now=_now,
            owner=_owner(uid),
            on_step=self.telling.on_step,
            pause=rights.sleep,
            at_work=ansible.at_work,
        )
        return Charge(
            source=source, statuses=statuses, world=world, rights=rights, health=ansible.health
        )

    def _confirm(self) -> None:
        """Before anything is changed the Lease itself is asked (CASES C49)."""
        if not self.lease.confirm():
            raise CanceledError("the Lease is not held")


def _detecting(statuses: StatusSubresource, key: ClusterKey) -> None:
    found = status.detecting()
    statuses.change(key, lambda before: {**before, **conditions.applied(found, before, _now())})


def telling(metrics: Metrics) -> Telling:
    """As the operator tells: in metrics and logs."""

    def ended(key: ClusterKey, outcome: Outcome) -> None:
        phase = outcome.playbook.removesuffix(".yml")
        metrics.phase_seconds.labels(key.namespace, key.name, phase).observe(outcome.seconds)
        if not outcome.ok and not outcome.canceled:
            metrics.failures.labels(key.namespace, key.name, phase).inc()
        log.info(
            "run ended",
            run=outcome.run,
            phase=phase,
            ok=outcome.ok,
            canceled=outcome.canceled,
            changed=outcome.changed,
            seconds=round(outcome.seconds, 3),
            failures=[str(failure) for failure in outcome.failures],
        )

    return Telling(on_step=_began, ended=ended)


def _began(plan: Plan, step: Step) -> None:
    name = type(step).__name__.removesuffix("Step").lower()
    structlog.contextvars.bind_contextvars(step=name)
    log.info("step begins", changes=len(step.changes), steps_left=len(plan.steps))


def _owner(uid: str) -> Owner:
    """Every operator of a cluster is the same one to others: which of them works the Lease says."""
    return Owner(name="operator", id=hashlib.sha256(uid.encode()).hexdigest()[:16])


def _now() -> datetime:
    return datetime.now(UTC)
