"""A workstation for a cluster in Kubernetes: what the operator does, once, before a person's eyes.

It takes the operator's Lease, so the two never work at the same time. Spec, status and identity are
those of the API server; only the artifacts of its runs are here.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from orchestrator.app import Interruption, Workstation, recorder_of
from orchestrator.console.progress import Watcher
from orchestrator.controller.charge import Charge
from orchestrator.controller.lease import NAME, Lease
from orchestrator.controller.passes import Passes
from orchestrator.controller.tokens import CanceledError, Token
from orchestrator.controller.verdict import Ending, Verdict
from orchestrator.model import operator_settings
from orchestrator.model.manifest import parse_object
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import Plan, Reason, Step
from orchestrator.model.spec import CephCluster
from orchestrator.operator import AnsibleFor, Charges, Settings, Telling, identity, teller
from orchestrator.reconcile import Result
from orchestrator.stores import StoreError, files
from orchestrator.stores.kubernetes.clusters import key_of
from orchestrator.stores.kubernetes.connection import CEPH_CLUSTER, Connection, Object, connect


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which CephCluster: the one of a manifest, or of a key, or the only one there is.

    With `preview` the manifest's spec takes the place of the object's: what would be if it were
    applied. Without it the two must be the same.
    """

    manifest: CephCluster | None = None
    key: ClusterKey | None = None
    preview: bool = False

    def object(self, connection: Connection, namespace: str) -> Object:
        """The object of the API server. Raises StoreError and SpecError."""
        if self.manifest is None:
            return _only(connection, self.key, namespace)
        raw = _only(connection, self.manifest.key, "")
        if self.preview:
            spec = self.manifest.spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
            return {**raw, "spec": spec}
        if (
            parse_object(raw, source=f"CephCluster {key_of(raw)}").cluster.spec
            != self.manifest.spec
        ):
            raise StoreError(
                f"the manifest and the CephCluster {self.manifest.key} of Kubernetes differ; "
                "kubectl apply it first, or leave -f out"
            )
        return raw


def _only(connection: Connection, key: ClusterKey | None, namespace: str) -> Object:
    """The CephCluster with this key, or the only one (of a namespace). Raises StoreError."""
    if key is not None:
        found = connection.get(CEPH_CLUSTER, key.namespace, key.name)
        if found is None:
            raise StoreError(f"there is no CephCluster {key} in Kubernetes; kubectl apply it first")
        return found
    known = connection.list(CEPH_CLUSTER, namespace)
    if len(known) == 1:
        return known[0]
    names = ", ".join(sorted(str(key_of(one)) for one in known)) or "none"
    where = f"namespace {namespace}" if namespace else "Kubernetes"
    raise StoreError(f"CephClusters in {where}: {names}; name one with --namespace and --name")


RunnerFor = Callable[[Settings, Callable[[], bool]], AnsibleFor]
"""Makes what makes Ansible; the second tells whether nobody else works on the cluster now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Station(Workstation):
    """One CephCluster of an API server, before a person's eyes."""

    charge: Charge
    lease: Lease
    passes: Passes

    def run(self, *, patience_seconds: float, lock_seconds: float) -> Result:
        """Bring the cluster to what its object says, by the rules of the operator."""
        del lock_seconds  # the Lease has times of its own
        passes = replace(self.passes, patience_seconds=patience_seconds)
        token = self.charge.rights.token
        with self.interruption.noticed(), _holding(self.lease, token):
            self.recorder.begin(self.cluster)
            try:
                found = passes.run(self.charge, token)
            except CanceledError:
                return Result(plan=Plan(), outcome=_canceled())
            return self.recorder.end(_result(found, self.cluster.key))

    def plan(self) -> tuple[Plan, Outcome | None]:
        """What `run` would do now. While somebody else holds the Lease no node is looked into.

        What was last seen of the disks counts then: to look anew would meet the Jobs at work.
        """
        with _held_if_free(self.lease):
            return Workstation.plan(self)

    def rehearse(self) -> tuple[tuple[Step, Outcome], ...]:
        """What `run` would write now; its pods are those of a run, so the Lease is held for it."""
        with _holding(self.lease, self.charge.rights.token):
            return Workstation.rehearse(self)


def station(
    settings: Settings,
    wanted: Wanted,
    watcher: Watcher,
    runner_for: RunnerFor,
) -> Station:
    """Wire a station for a CephCluster that stands in Kubernetes."""
    connection = connect(settings.kubeconfig)
    given = wanted.object(connection, settings.namespace)
    raw = operator_settings.read(settings.environment).applied(given)
    cluster = parse_object(raw, source=f"CephCluster {key_of(raw)}").cluster
    interruption = Interruption()
    recorder = recorder_of(
        cluster, settings.home, watcher, lambda: charge.world.facts.get(cluster.key)
    )
    lease = Lease(
        connection,
        settings.operator_namespace,
        identity(settings.environment),
        times=settings.times,
    )
    makers = Charges(
        settings=settings,
        connection=connection,
        lease=lease,
        telling=Telling(on_step=recorder.on_step, ended=_nothing, on_progress=recorder.on_progress),
        ansible_for=runner_for(settings, lambda: lease.held),
    )
    charge = makers.charge(raw)
    charge.rights.token = Token(interruption.event)
    if wanted.preview:
        charge.world.specs = files.OneSpec(cluster)
    charge.world.on_wait = watcher.on_wait
    return Station(
        cluster=cluster,
        home=settings.home,
        world=charge.world,
        interruption=interruption,
        recorder=recorder,
        charge=charge,
        lease=lease,
        passes=Passes(connection=connection, tell=teller(connection)),
    )


def _result(found: Verdict, key: ClusterKey) -> Result:
    """A verdict that came without a reconcile is a reason why there was none."""
    if found.result is not None:
        return found.result
    if found.ending is Ending.GONE:
        return Result(plan=Plan())
    text = found.text or f"{key} is {found.ending}"
    return Result(plan=Plan(blocked=(Reason(code="NotReconciled", message=text),)))


def _canceled() -> Outcome:
    return Outcome(ok=False, run="", playbook="", canceled=True)


def _nothing(key: ClusterKey, outcome: Outcome) -> None:
    """A person reads how a run ended from the progress, and has no metrics."""
    del key, outcome


@contextmanager
def _holding(lease: Lease, token: Token) -> Iterator[None]:
    """Hold the Lease, or say whose it is; the run is cancelled when it is lost."""
    if not lease.confirm():
        raise StoreError(
            f"{lease.holder() or 'nobody'} holds the Lease {lease.namespace}/{NAME} and works on "
            "the CephClusters; stop that operator first, or let it do the work"
        )
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(lease.times.retry):
            lease.confirm()
            if not lease.held:
                token.cancel("the Lease was lost")

    renewing = threading.Thread(target=renew, name="lease", daemon=True)
    renewing.start()
    try:
        yield
    finally:
        ended.set()
        renewing.join(lease.times.retry + 1)
        lease.release()


@contextmanager
def _held_if_free(lease: Lease) -> Iterator[None]:
    """Hold the Lease for a look, if nobody else does."""
    lease.confirm()
    try:
        yield
    finally:
        lease.release()
