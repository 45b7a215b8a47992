"""One pass over one CephCluster: what must be so before a reconcile, and what follows from it.

The reconcile itself is the one of the command line (`converge`). Around it stand the rules of the
cluster's object: the label that says hands off, two clusters in one namespace, dependents that
block a deletion, and the finalizers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from orchestrator import conditions, status
from orchestrator.conditions import Condition
from orchestrator.controller import external, verdict
from orchestrator.controller.charge import Charge
from orchestrator.controller.sightings import SKIP_LABEL, Raw, cluster_view
from orchestrator.controller.tokens import Token
from orchestrator.controller.verdict import Ending, Verdict
from orchestrator.converge import Patience, converge
from orchestrator.model.facts import Cluster
from orchestrator.model.manifest import SpecError, parse_object
from orchestrator.model.plan import Plan, Reason
from orchestrator.model.spec import CephCluster
from orchestrator.planning.host_services import UNSERVED
from orchestrator.reconcile import Result
from orchestrator.stores import StoreError
from orchestrator.stores.kubernetes import dependents
from orchestrator.stores.kubernetes.clusters import deleting, key_of, uid_of
from orchestrator.stores.kubernetes.connection import CEPH_CLUSTER, Connection, Object
from orchestrator.stores.kubernetes.events import NORMAL, WARNING
from orchestrator.stores.kubernetes.external_metrics import Metrics
from orchestrator.stores.kubernetes.identities import owning

ANNOUNCED = frozenset({UNSERVED.code, "SpareOsd"})
"""Notes on a plan that stop nothing, and that somebody in Kubernetes has to hear of."""

Tell = Callable[[Raw, str, str, str], None]
"""Write an Event of a CephCluster: its kind, reason and message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """Makes passes for any charge; it holds nothing of any of them."""

    connection: Connection
    tell: Tell
    patience_seconds: float = 0.0

    def run(self, charge: Charge, token: Token) -> Verdict:
        """Raises CanceledError, StoreError; anything else is a bug."""
        raw = charge.source.read()
        if raw is None:
            return Verdict(ending=Ending.GONE)
        view = cluster_view(raw)
        structlog.contextvars.bind_contextvars(generation=view.generation)
        if view.skipped:
            text = f'reconcile of CephCluster "{charge.key}" is skipped: it has label {SKIP_LABEL}'
            self.tell(raw, NORMAL, "ReconcileSkipped", text)
            return Verdict(ending=Ending.SKIPPED, text=text)
        try:
            return self._judged(charge, raw, token)
        except SpecError as error:
            return self._invalid(charge, raw, str(error))

    def _judged(self, charge: Charge, raw: Object, token: Token) -> Verdict:
        rivals = self._rivals(charge)
        if deleting(raw) and rivals and not self._owns(charge):
            charge.source.release()
            return Verdict(ending=Ending.GONE)
        cluster = parse_object(raw, source=f"CephCluster {charge.key}").cluster
        if deleting(raw):
            return self._deleted(charge, cluster, raw, token)
        if rivals:
            return self._blocked(charge, raw, _several(rivals))
        charge.source.hold()
        if cluster.spec.external.enable:
            return self._connected(charge, cluster, raw)
        return self._reconciled(charge, raw, token)

    def _connected(self, charge: Charge, cluster: CephCluster, raw: Object) -> Verdict:
        found, seen = external.connected(
            charge, cluster, lambda condition: self._say(charge, condition)
        )
        if seen:
            self._metrics(cluster, raw, seen)
        self._told(charge, raw, found)
        return found

    def _metrics(self, cluster: CephCluster, raw: Object, seen: Cluster) -> None:
        """What leads Prometheus to it; a cluster that answers is connected without that, too."""
        try:
            complete = Metrics(self.connection, raw).keep(cluster, seen)
        except StoreError as error:
            self.tell(raw, WARNING, "ExternalMetricsFailed", str(error))
            return
        if not complete:
            self.tell(raw, WARNING, UNSERVED.code, UNSERVED.message)

    def _rivals(self, charge: Charge) -> tuple[str, ...]:
        """Other CephClusters of the namespace: its Secrets and mons have room for one (C49)."""
        found = self.connection.list(CEPH_CLUSTER, charge.key.namespace)
        return tuple(sorted(key_of(one).name for one in found if uid_of(one) != charge.uid))

    def _owns(self, charge: Charge) -> bool:
        """Whether the namespace's Ceph cluster is this one's, or nobody can tell whose it is."""
        return owning(self.connection, charge.key.namespace, charge.uid)

    def _invalid(self, charge: Charge, raw: Object, text: str) -> Verdict:
        """What runs is left alone until the spec is mended; where nothing runs, it may go."""
        if deleting(raw) and charge.world.identities.remembered(charge.key) is None:
            charge.source.release()
            return Verdict(ending=Ending.GONE)
        world = charge.world
        charge.statuses.change(charge.key, lambda before: status.invalid(text, before, world.now()))
        self._failed(raw, text)
        return Verdict(ending=Ending.INVALID, text=text)

    def _blocked(self, charge: Charge, raw: Object, why: Reason) -> Verdict:
        result = Result(plan=Plan(blocked=(why,)))
        self._say(charge, status.ended(result.plan, None))
        self._failed(raw, why.message)
        return verdict.of(result)

    def _deleted(self, charge: Charge, cluster: CephCluster, raw: Object, token: Token) -> Verdict:
        """Nothing is taken away while something stands on the cluster; then a plan like any."""
        held = self._dependents(cluster)
        if held:
            blocked = conditions.deletion_blocked(charge.key, held)
            self._say(charge, status.being_deleted())
            self._say(charge, blocked)
            again = verdict.DEPENDENTS_SECONDS
            return Verdict(ending=Ending.BLOCKED, again=again, text=blocked.message)
        before = charge.statuses.get(charge.key)
        if conditions.found(before, conditions.DELETION_IS_BLOCKED):
            self._say(charge, conditions.deletion_free(charge.key))
        if cluster.spec.external.enable:
            external.forgotten(self.connection, charge)
            charge.source.release()
            return Verdict(ending=Ending.GONE)
        found = self._reconciled(charge, raw, token)
        if found.ending is not Ending.CONVERGED:
            return found
        charge.source.release()
        return Verdict(ending=Ending.GONE)

    def _dependents(self, cluster: CephCluster) -> dict[str, tuple[str, ...]]:
        namespace = cluster.key.namespace
        found = dict(dependents.children(self.connection, namespace))
        if not cluster.spec.cleanup_policy.allow_uninstall_with_volumes:
            volumes = dependents.volumes(self.connection, namespace)
            found |= {"PersistentVolumes": volumes} if volumes else {}
        return found

    def _reconciled(self, charge: Charge, raw: Object, token: Token) -> Verdict:
        charge.world.facts.pop(charge.key, None)
        result = converge(
            charge.key, charge.world, Patience(seconds=self.patience_seconds, sleep=token.sleep)
        )
        token.check()
        found = verdict.of(result)
        self._told(charge, raw, found)
        return found

    def _told(self, charge: Charge, raw: Object, found: Verdict) -> None:
        for notice in found.result.plan.notices if found.result else ():
            if notice.code in ANNOUNCED:
                self.tell(raw, WARNING, notice.code, status.sentence(notice))
        if found.text:
            self._failed(raw, found.text)
        elif found.ending is Ending.CONVERGED:
            text = f'successfully configured CephCluster "{charge.key}"'
            self.tell(raw, NORMAL, "ReconcileSucceeded", text)

    def _failed(self, raw: Object, text: str) -> None:
        message = f'failed to reconcile CephCluster "{key_of(raw)}". {text}'
        self.tell(raw, WARNING, "ReconcileFailed", message)

    def _say(self, charge: Charge, condition: Condition) -> None:
        """Write a condition, unless the status has it already: a block is asked about for ever."""
        now = charge.world.now()
        charge.statuses.change(
            charge.key,
            lambda before: (
                before
                if conditions.said(condition, before)
                else {**before, **conditions.applied(condition, before, now)}
            ),
        )


def _several(rivals: tuple[str, ...]) -> Reason:
    names = ", ".join(rivals)
    return Reason(
        code="SeveralClusters",
        message=f"the namespace has other CephClusters too: {names}; it has room for one, so none "
        "is reconciled and what runs is left as it is, until the others are deleted",
    )
