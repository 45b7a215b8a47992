"""What Prometheus may know: passes, steps, failures, the queue and each cluster's health."""

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from orchestrator.model.names import ClusterKey

HEALTH = {"HEALTH_OK": 0, "HEALTH_WARN": 1, "HEALTH_ERR": 2}
"""The numbers of Ceph's own exporter (ceph_health_status)."""

PASS_BUCKETS = (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 3600)
CLUSTER = ("namespace", "name")


class Metrics:
    """One set for the life of the process, whatever is rebuilt in it. Times are seconds."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, buckets=PASS_BUCKETS, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        self.passes = counter(
            "ceph_orchestrator_passes",
            "Reconcile passes that ended, by result",
            (*CLUSTER, "result"),
        )
        self.pass_seconds = histogram(
            "ceph_orchestrator_pass_duration_seconds", "How long reconcile passes took", CLUSTER
        )
        self.phase_seconds = histogram(
            "ceph_orchestrator_phase_duration_seconds",
            "How long playbook runs took, by phase",
            (*CLUSTER, "phase"),
        )
        self.failures = counter(
            "ceph_orchestrator_failures",
            "Playbook runs that failed, by phase",
            (*CLUSTER, "phase"),
        )
        self.queue_depth = gauge(
            "ceph_orchestrator_queue_depth", "Clusters that are due and not yet at work"
        )
        self.at_work = gauge("ceph_orchestrator_passes_at_work", "Reconcile passes at work now")
        self.leader = gauge("ceph_orchestrator_leader", "Whether this process holds the Lease")
        self.health = gauge(
            "ceph_orchestrator_cluster_health_status",
            "Ceph's health: 0 HEALTH_OK, 1 HEALTH_WARN, 2 HEALTH_ERR",
            CLUSTER,
        )
        self.ready = gauge(
            "ceph_orchestrator_cluster_up_to_date",
            "Whether the last pass found nothing left to do",
            CLUSTER,
        )

    def text(self) -> bytes:
        """The exposition format of Prometheus."""
        return generate_latest(self.registry)

    def healthy(self, key: ClusterKey, health: str) -> None:
        """Note what Ceph says of its health; a word that Ceph does not have is none."""
        if health in HEALTH:
            self.health.labels(key.namespace, key.name).set(HEALTH[health])

    def forget(self, key: ClusterKey) -> None:
        """A cluster that is gone has no health; what happened to it stays counted."""
        for gauge in (self.health, self.ready):
            gauge.remove_by_labels({"namespace": key.namespace, "name": key.name})
