"""The CronJob that removes reports of crashes which are old enough, as Rook makes it: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_pod,
    kubernetes_report,
    kubernetes_scheduling,
    kubernetes_services,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

NAME = "pruner"
OBJECT = "rook-ceph-crashcollector-pruner"

_USER = kubernetes_services.USERS[kubernetes_services.CRASH]
_SECTION = kubernetes_services.SECTIONS[kubernetes_services.CRASH]
_MIDNIGHT = "0 0 * * *"
_LATE_SECONDS = 60
"""A run that could not begin in time is left out; the next one removes the same."""


def job(cluster: Cluster, version: str, record: str = "") -> Object:
    """Give the CronJob in a version that the server has."""
    theirs = kubernetes_cluster.given(cluster, "labels", _SECTION)
    labels = {**theirs, "app": OBJECT, "rook_cluster": cluster.namespace}
    noted = kubernetes_cluster.given(cluster, "annotations", _SECTION)
    inside = {"labels": labels, **({"annotations": noted} if noted else {})}
    keep = {**noted, kubernetes_cluster.RECORD: record}
    return {
        "apiVersion": version,
        "kind": kubernetes_cluster.CRON_JOB,
        "metadata": cluster.metadata(OBJECT, labels, keep),
        "spec": {
            "schedule": _MIDNIGHT,
            "startingDeadlineSeconds": _LATE_SECONDS,
            "jobTemplate": {"spec": {"template": {"metadata": inside, "spec": _pod(cluster)}}},
        },
    }


def _pod(cluster: Cluster) -> Object:
    """It only speaks to the cluster: it has nothing of the node on which it happens to be."""
    keyring = kubernetes_identity.keyring_name(_USER)
    volumes = [one for one in kubernetes_pod.volumes(cluster, keyring) if "hostPath" not in one]
    names = {one["name"] for one in volumes}
    mounted = [one for one in kubernetes_pod.mounts(keyring) if one["name"] in names]
    return {
        "restartPolicy": "Never",
        **kubernetes_services.tolerations(cluster, kubernetes_services.CRASH),
        **kubernetes_pod.network(cluster),
        **kubernetes_scheduling.priority(cluster, _SECTION),
        "serviceAccountName": "rook-ceph-default",
        "containers": [_container(cluster, mounted)],
        "volumes": volumes,
    }


def _container(cluster: Cluster, mounted: list[Object]) -> Object:
    built = kubernetes_pod.container(cluster, "ceph-crash-pruner", mounted)
    arguments = f"-m $(ROOK_CEPH_MON_HOST) -k {kubernetes_pod.KEYRING}"
    days = int(cluster.section("crashCollector").get("daysToRetain") or 0)
    return {
        **built,
        "env": [*built["env"], {"name": "CEPH_ARGS", "value": arguments}],
        "command": ["ceph", "-n", _USER, "crash", "prune"],
        "args": [str(days)],
        "resources": kubernetes_pod.resources(cluster, _SECTION),
    }


def told(cluster: Cluster, live: Mapping[str, Any] | None) -> Object:
    """Tell how it is; `live` is the one that there is."""
    record = kubernetes_cluster.record(live)
    alone = kubernetes_cluster.is_left_alone(live)
    drifted = _drifted(cluster, live, record) if live and record and not alone else []
    return kubernetes_report.service(NAME, live, drifted)


def _drifted(cluster: Cluster, live: Mapping[str, Any], record: str) -> list[str]:
    """Compare with what there would be now: all of it follows from the manifest."""
    differing = kubernetes_drift.unlike(live, job(cluster, str(live["apiVersion"]), record))
    if not differing:
        return []
    return [f"{kubernetes_cluster.CRON_JOB} {OBJECT} differs: {kubernetes_drift.told(differing)}"]
