"""The Job in whose pod a node's disks can be reached, as Rook names and labels it (pure).

It does nothing by itself: Ansible's tasks run in it as on a host, and it is gone after them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.ansible.kubernetes.inventory import CONTAINER
from orchestrator.model import kube_names, ownership
from orchestrator.model.operator_settings import HOSTNAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """What a Job is for: its name with `{}` for the node, and its labels.

    `key` is Rook's name of its kind in the manifest's sections; it goes where pods of `beside` go.
    """

    template: str
    labels: Mapping[str, str]
    key: str
    beside: tuple[str, ...]


PREPARE = Purpose(
    template="rook-ceph-osd-prepare-{}",
    labels={"app": "rook-ceph-osd-prepare"},
    key="prepareosd",
    beside=("all", "osd"),
)
CLEANUP = Purpose(
    template="cluster-cleanup-job-{}",
    labels={"app": "rook-ceph-cleanup", "rook-ceph-cleanup": "true"},
    key="cleanup",
    beside=("all", "mon", "osd"),
)
APPS = ",".join(one.labels["app"] for one in (PREPARE, CLEANUP))
DEADLINE_SECONDS = 1800
"""What ends the pod if nobody is left to do it."""

WAITING = (
    "install -d -o ceph -g ceph -m 0770 /run/ceph; "
    "chown ceph:ceph /var/log/ceph /var/lib/ceph/crash; "
    "trap 'exit 0' TERM; sleep {} & wait"
)
"""Ceph's programs need folders of their own user, which a package would have made at boot."""

OSD_ENVIRONMENT = {"configMapRef": {"name": "rook-ceph-osd-env-override", "optional": True}}
"""Rook's ConfigMap of variables for OSDs and for what prepares them."""

Object = dict[str, Any]


def job(cluster: Mapping[str, Any], node: str, purpose: Purpose = PREPARE) -> Object:
    """The Job of one node; `cluster` is the CephCluster, with the operator's settings beside it."""
    metadata, spec = cluster["metadata"], cluster.get("spec") or {}
    own = {**purpose.labels, "rook_cluster": metadata["namespace"]}
    labels = {**_given(spec, "labels", purpose), **own}
    notes = _given(spec, "annotations", purpose)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": kube_names.job_name(purpose.template, node),
            "namespace": metadata["namespace"],
            "labels": labels,
            "ownerReferences": [ownership.reference(metadata)],
        },
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": DEADLINE_SECONDS,
            "ttlSecondsAfterFinished": 60,
            "template": {
                "metadata": {"labels": labels, **({"annotations": notes} if notes else {})},
                "spec": {
                    **_pod(metadata, spec, purpose),
                    "nodeSelector": {_label(cluster): node},
                },
            },
        },
    }


def _given(spec: Mapping[str, Any], section: str, purpose: Purpose) -> dict[str, str]:
    found = spec.get(section) or {}
    return {**(found.get("all") or {}), **(found.get(purpose.key) or {})}


def _label(cluster: Mapping[str, Any]) -> str:
    return str((cluster.get("operator") or {}).get("hostnameLabel") or HOSTNAME)


def _pod(metadata: Mapping[str, Any], spec: Mapping[str, Any], purpose: Purpose) -> Object:
    version = spec.get("cephVersion") or {}
    data = str(spec.get("dataDirHostPath") or "/var/lib/rook").rstrip("/")
    home = f"{data}/{metadata['namespace']}"
    network = spec.get("network") or {}
    on_host = network.get("provider") == "host" or bool(network.get("hostNetwork"))
    classes = spec.get("priorityClassNames") or {}
    priority = classes.get(purpose.key) or classes.get("all")
    volumes = {
        "/dev": ("devices", "/dev"),
        "/run/udev": ("udev", "/run/udev"),
        "/var/lib/ceph-orchestrator": ("records", f"{home}/orchestrator"),
        "/var/log/ceph": ("rook-ceph-log", f"{home}/log"),
        "/var/lib/ceph/crash": ("rook-ceph-crash", f"{home}/crash"),
        "/rook-data": ("rook-data", data),
    }
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 5,
        "serviceAccountName": "rook-ceph-osd",
        "tolerations": _tolerations(spec, purpose),
        **({"priorityClassName": priority} if priority else {}),
        **({"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"} if on_host else {}),
        "containers": [
            {
                "name": CONTAINER,
                "image": str(version.get("image") or ""),
                "imagePullPolicy": version.get("imagePullPolicy") or "IfNotPresent",
                **({"envFrom": [OSD_ENVIRONMENT]} if purpose is PREPARE else {}),
                "command": ["sh", "-c", WAITING.format(DEADLINE_SECONDS)],
                "securityContext": {"privileged": True, "runAsUser": 0},
                "resources": (spec.get("resources") or {}).get(purpose.key) or {},
                "volumeMounts": [
                    {"name": volume, "mountPath": path} for path, (volume, _) in volumes.items()
                ],
            }
        ],
        "volumes": [
            {"name": volume, "hostPath": {"path": path, "type": "DirectoryOrCreate"}}
            for volume, path in volumes.values()
        ],
    }


def _tolerations(spec: Mapping[str, Any], purpose: Purpose) -> list[Object]:
    """Its own, and those of whatever it prepares or clears away."""
    placement = spec.get("placement") or {}
    kinds = (*purpose.beside, purpose.key)
    return [
        dict(one) for kind in kinds for one in (placement.get(kind) or {}).get("tolerations") or ()
    ]
