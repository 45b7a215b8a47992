"""A CephCluster as the builders of its Kubernetes objects read it: names, labels, owner: pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    Object = dict[str, Any]

GROUP = "orchestrator.ceph.io"
RECORD = f"{GROUP}/record"
APPLIED = f"{GROUP}/last-applied"
SETTINGS = f"{GROUP}/settings"
HOST = f"{GROUP}/host"
RESTART_ON = f"{GROUP}/restart-on"
LEFT_ALONE = "ceph.rook.io/do-not-reconcile"

SECRET_TYPE = "kubernetes.io/rook"  # noqa: S105 - a type, no secret
HOSTNAME = "kubernetes.io/hostname"
BUDGET = "PodDisruptionBudget"
CRON_JOB = "CronJob"

_NAME_LIMIT = 63
_HASH_BYTES = 16
_PART = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_VALID = re.compile(rf"{_PART}(\.{_PART})*")
_TIME = "%Y-%m-%dT%H:%M:%S%z"
_MANAGER = "rook-ceph-operator"


@dataclass(frozen=True)
class Cluster:
    """What of the CephCluster the objects are made of, and of the settings of its `operator`."""

    name: str
    namespace: str
    uid: str = ""
    deleting: bool = False
    spec: Mapping[str, Any] = field(default_factory=dict)
    operator: Mapping[str, Any] = field(default_factory=dict)

    def section(self, *path: str) -> Mapping[str, Any]:
        """Give a part of the spec, empty where the manifest does not have it."""
        found: Any = self.spec
        for name in path:
            found = (found or {}).get(name)
        return found or {}

    @property
    def image(self) -> str:
        return str(self.section("cephVersion").get("image", ""))

    @property
    def data_dir(self) -> str:
        return str(self.spec.get("dataDirHostPath") or "/var/lib/rook").rstrip("/")

    @property
    def namespace_dir(self) -> str:
        return f"{self.data_dir}/{self.namespace}"

    @property
    def host_network(self) -> bool:
        network = self.section("network")
        return network.get("provider") == "host" or bool(network.get("hostNetwork"))

    @property
    def hostname_label(self) -> str:
        """Give the label by which nodes are known."""
        return str(self.operator.get("hostnameLabel") or HOSTNAME)

    @property
    def revisions(self) -> int:
        """Give how many old templates of a Deployment Kubernetes keeps."""
        return int(self.operator.get("revisionHistoryLimit") or 0)

    @property
    def msgr2_only(self) -> bool:
        asked = self.section("network", "connections")
        abilities = (asked.get("encryption") or {}, asked.get("compression") or {})
        return bool(asked.get("requireMsgr2")) or any(one.get("enabled") for one in abilities)

    def count(self, kind: str, default: int) -> int:
        return int(self.section(kind).get("count") or default)

    def owner(self, *, controller: bool = True) -> Object:
        """Refer to the CephCluster, so that its objects go with it."""
        return {
            "apiVersion": "ceph.rook.io/v1",
            "kind": "CephCluster",
            "name": self.name,
            "uid": self.uid,
            "blockOwnerDeletion": True,
            **({"controller": True} if controller else {}),
        }

    def metadata(
        self,
        name: str,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        *,
        controller: bool = True,
    ) -> Object:
        """Give the metadata of an object of the cluster's own."""
        return {
            "name": name,
            "namespace": self.namespace,
            "labels": {"rook_cluster": self.namespace, **(labels or {})},
            **({"annotations": dict(annotations)} if annotations else {}),
            **({"ownerReferences": [self.owner(controller=controller)]} if self.uid else {}),
        }


def parse(raw: Mapping[str, Any]) -> Cluster:
    """Read a CephCluster as the API server gives it, and what stands beside it in `operator`."""
    metadata = raw["metadata"]
    return Cluster(
        name=str(metadata["name"]),
        namespace=str(metadata["namespace"]),
        uid=str(metadata.get("uid") or ""),
        deleting=bool(metadata.get("deletionTimestamp")),
        spec=raw.get("spec") or {},
        operator=raw.get("operator") or {},
    )


def pinned(pod: Mapping[str, Any]) -> str:
    """Give the node that the spec of a pod names, by whatever label; empty where it names none."""
    selector = pod.get("nodeSelector") or {}
    return str(selector.get(HOSTNAME) or next(iter(selector.values()), ""))


def record(live: Mapping[str, Any] | None) -> str:
    """Give what an object notes of how it was set up; empty where it is none or not of ours."""
    metadata = (live or {}).get("metadata") or {}
    return str((metadata.get("annotations") or {}).get(RECORD) or "")


def is_left_alone(live: Mapping[str, Any] | None) -> bool:
    """Say whether an object has Rook's label, or annotation, that says hands off."""
    metadata = (live or {}).get("metadata") or {}
    marks = {**(metadata.get("labels") or {}), **(metadata.get("annotations") or {})}
    return LEFT_ALONE in marks


def moment(text: object) -> float:
    """Read the API server's time as seconds of the epoch; 0 where it is none."""
    try:
        return datetime.strptime(str(text), _TIME).timestamp()  # noqa: DTZ007 - _TIME has a zone
    except ValueError:
        return 0.0


def as_text(labels: Mapping[str, str]) -> str:
    """Give a selector of labels as the API server reads it."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def app(kind: str) -> str:
    return f"rook-ceph-{kind}"


def deployment_name(kind: str, daemon_id: str) -> str:
    return f"rook-ceph-{kind}-{daemon_id}"


def named(template: str, node: str, limit: int = _NAME_LIMIT) -> str:
    """Put a node's name into the name of an object; where it is too long, Rook's hash of it.

    So is one that no name may hold: labels, by which nodes may be known, may have capitals and _.
    """
    name = template.format(node)
    if len(name) <= limit and _VALID.fullmatch(name):
        return name
    return template.format(hashlib.sha256(node.encode()).digest()[:_HASH_BYTES].hex())


def selector(cluster: Cluster, kind: str, daemon_id: str) -> dict[str, str]:
    """Give the labels by which a daemon's pods are found; they can never change."""
    own = {"mon": "mon", "mgr": "mgr", "osd": "ceph-osd-id"}.get(kind, kind)
    more = {
        "mon": {"ceph_daemon_id": daemon_id, "mon_cluster": cluster.namespace},
        "mgr": {"ceph_daemon_id": daemon_id, "instance": daemon_id},
    }.get(kind, {})
    return {"app": app(kind), "rook_cluster": cluster.namespace, own: daemon_id, **more}


def labels(cluster: Cluster, kind: str, daemon_id: str) -> dict[str, str]:
    """Give all labels that every daemon has, without those that its own kind adds."""
    return {
        **selector(cluster, kind, daemon_id),
        "ceph_daemon_id": daemon_id,
        "ceph_daemon_type": kind,
        kind: daemon_id,
        "rook.io/operator-namespace": cluster.namespace,
        "app.kubernetes.io/name": f"ceph-{kind}",
        "app.kubernetes.io/instance": daemon_id,
        "app.kubernetes.io/component": "cephclusters.ceph.rook.io",
        "app.kubernetes.io/part-of": cluster.name,
        "app.kubernetes.io/managed-by": _MANAGER,
        "app.kubernetes.io/created-by": _MANAGER,
    }


def given(cluster: Cluster, section: str, kind: str) -> dict[str, str]:
    """Give the manifest's labels or annotations for one kind: its own go before those of all."""
    found = cluster.section(section)
    return {**(found.get("all") or {}), **(found.get(kind) or {})}
