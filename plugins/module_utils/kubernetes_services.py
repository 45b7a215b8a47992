"""What a node runs beside its daemons, as Rook makes it: crash collector and exporter: pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_pod,
    kubernetes_report,
    kubernetes_scheduling,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

CRASH, EXPORTER = "crash", "exporter"
NAMES = (CRASH, EXPORTER)
APPS = {CRASH: "rook-ceph-crashcollector", EXPORTER: "rook-ceph-exporter"}
USERS = {CRASH: "client.crash", EXPORTER: "client.ceph-exporter"}
SECTIONS = {CRASH: "crashcollector", EXPORTER: "exporter"}
"""Rook's key of each in `resources`, `labels`, `annotations` and `priorityClassNames`."""

PORT, PORT_NAME = 9926, "ceph-exporter-http-metrics"
_PRIORITY, _PERIOD = 5, 5
_DAEMONS = ("all", "mon", "mgr", "osd")


def deployment(cluster: Cluster, name: str, node: str, record: str = "") -> Object:
    """Give the Deployment that runs a service on one node."""
    section = SECTIONS[name]
    theirs = kubernetes_cluster.given(cluster, "labels", section)
    noted = kubernetes_cluster.given(cluster, "annotations", section)
    own = _labels(cluster, name, node)
    inside = {**noted, **({} if noted else _scraping(cluster, name))}
    keep = {**noted, kubernetes_cluster.RECORD: record}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": cluster.metadata(deployment_name(name, node), {**theirs, **own}, keep),
        "spec": {
            "replicas": 1,
            "revisionHistoryLimit": cluster.revisions,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": _selector(name, node)},
            "template": {
                "metadata": {
                    "labels": {**theirs, **own},
                    **({"annotations": inside} if inside else {}),
                },
                "spec": _pod(cluster, name, node),
            },
        },
    }


def deployment_name(name: str, node: str) -> str:
    return kubernetes_cluster.named(f"{APPS[name]}-{{}}", node)


def _selector(name: str, node: str) -> dict[str, str]:
    label = kubernetes_cluster.named("{}", node)
    return {kubernetes_cluster.HOSTNAME: label, "app": APPS[name], "node_name": label}


def _labels(cluster: Cluster, name: str, node: str) -> dict[str, str]:
    return {
        **_selector(name, node),
        **({"crashcollector": "crash"} if name == CRASH else {}),
        "ceph_daemon_id": name,
        "rook_cluster": cluster.namespace,
    }


def _scraping(cluster: Cluster, name: str) -> dict[str, str]:
    """Tell Prometheus where to ask, unless the manifest has annotations of its own."""
    if name != EXPORTER:
        return {}
    return {"prometheus.io/scrape": "true", "prometheus.io/port": str(port(cluster))}


def _pod(cluster: Cluster, name: str, node: str) -> Object:
    keyring = kubernetes_identity.keyring_name(USERS[name])
    mounted = kubernetes_pod.mounts(keyring)
    limits = kubernetes_pod.resources(cluster, SECTIONS[name])
    init = [kubernetes_pod.chown(cluster, mounted, [])]
    if name == CRASH:
        init.insert(0, _folder(cluster, mounted))
    return {
        "restartPolicy": "Always",
        "nodeSelector": {cluster.hostname_label: node},
        **tolerations(cluster, name),
        **kubernetes_pod.network(cluster, _own_network(cluster, name)),
        **kubernetes_scheduling.priority(cluster, SECTIONS[name]),
        "serviceAccountName": "rook-ceph-default",
        "initContainers": [{**one, "resources": limits} for one in init],
        "containers": [{**_container(cluster, name, mounted), "resources": limits}],
        "volumes": kubernetes_pod.volumes(cluster, keyring),
    }


def tolerations(cluster: Cluster, name: str) -> Object:
    """It goes wherever a daemon is, so it bears what any of them bears."""
    placement = cluster.section("placement")
    found: list[Object] = []
    for kind in (*_DAEMONS, SECTIONS[name]):
        listed = (placement.get(kind) or {}).get("tolerations") or []
        found += [dict(one) for one in listed if one not in found]
    return {"tolerations": found} if found else {}


def _own_network(cluster: Cluster, name: str) -> Any:  # noqa: ANN401 - from the manifest
    return (
        cluster.section("monitoring", "exporter").get("hostNetwork") if name == EXPORTER else None
    )


def _folder(cluster: Cluster, mounted: list[Object]) -> Object:
    """Give the init step that makes the folder of what was handed in."""
    return {
        **kubernetes_pod.container(cluster, "make-container-crash-dir", mounted),
        "command": ["mkdir", "-p"],
        "args": ["/var/lib/ceph/crash/posted"],
    }


def _container(cluster: Cluster, name: str, mounted: list[Object]) -> Object:
    built = kubernetes_pod.container(cluster, f"ceph-{name}", mounted)
    # It drops root by itself: which number the user ceph has, only the image knows.
    arguments = f"-m $(ROOK_CEPH_MON_HOST) -k {kubernetes_pod.KEYRING}"
    if name == CRASH:
        known = [*built["env"], {"name": "CEPH_ARGS", "value": arguments}]
        return {**built, "env": known, "command": ["ceph-crash"]}
    arguments = f"-n {USERS[name]} {arguments}"
    return {
        **built,
        "env": [*built["env"], {"name": "CEPH_ARGS", "value": arguments}],
        "command": ["ceph-exporter"],
        "args": _options(cluster),
        "ports": [{"name": "http-metrics", "containerPort": port(cluster), "protocol": "TCP"}],
    }


def _options(cluster: Cluster) -> list[str]:
    asked = cluster.section("monitoring", "exporter")
    values = {
        "--sock-dir": "/run/ceph",
        "--port": port(cluster),
        "--prio-limit": _given(asked, "perfCountersPrioLimit", _PRIORITY),
        "--stats-period": _given(asked, "statsPeriodSeconds", _PERIOD),
    }
    found = [word for pair in values.items() for word in map(str, pair)]
    network = cluster.section("network")
    six = network.get("ipFamily") == "IPv6" or bool(network.get("dualStack"))
    return [*found, "--addrs", "::"] if six else found


def _given(asked: Mapping[str, Any], name: str, default: int) -> int:
    value = asked.get(name)
    return default if value is None else int(value)


def port(cluster: Cluster) -> int:
    return int(cluster.section("monitoring", "exporter").get("port") or PORT)


def services(cluster: Cluster, name: str) -> list[Object]:
    """Give the Services that lead to all pods of a service."""
    if name != EXPORTER:
        return []
    labels = {"app": APPS[name], "rook_cluster": cluster.namespace}
    number = port(cluster)
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": cluster.metadata(APPS[name], labels),
            "spec": {
                "type": "ClusterIP",
                "selector": labels,
                "ports": [
                    {"name": PORT_NAME, "port": number, "targetPort": number, "protocol": "TCP"}
                ],
            },
        }
    ]


def of_node(
    cluster: Cluster,
    node: str,
    live: Mapping[tuple[str, str], Mapping[str, Any]],
    keyrings: frozenset[str],
    programs: Collection[str] | None = None,
) -> Iterator[Object]:
    """Tell how the services of a node are; `live` has objects by kind and name.

    `programs` are those in the cluster's image, None where that is not known.
    """
    for name in NAMES:
        made = live.get(("Deployment", deployment_name(name, node)))
        known = kubernetes_cluster.record(made) and not kubernetes_cluster.is_left_alone(made)
        yield kubernetes_report.service(
            name,
            made,
            _drifted(cluster, name, node, live) if known else [],
            installed=programs is None or f"ceph-{name}" in programs,
            keyring=kubernetes_identity.keyring_name(USERS[name]) in keyrings,
        )


def _drifted(
    cluster: Cluster, name: str, node: str, live: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[str]:
    """Compare with what there would be now: all of it follows from the manifest."""
    made = live[("Deployment", deployment_name(name, node))]
    record = made["metadata"]["annotations"][kubernetes_cluster.RECORD]
    found = []
    for wanted in (deployment(cluster, name, node, record), *services(cluster, name)):
        kind, own = wanted["kind"], wanted["metadata"]["name"]
        there = live.get((kind, own))
        if there is None:
            found.append(f"{kind} {own}: missing")
        elif differing := kubernetes_drift.unlike(there, wanted):
            found.append(f"{kind} {own} differs: {kubernetes_drift.told(differing)}")
    return found
