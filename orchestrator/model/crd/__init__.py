"""The CustomResourceDefinition of CephCluster, from the models that read its objects.

One source of truth: what the API server accepts is what the parser of manifests understands.
`python -m orchestrator.model.crd` prints it; deploy/crds holds what it printed.
"""

from typing import Any

from orchestrator.model.crd import structural
from orchestrator.model.crd.status import Status
from orchestrator.model.spec import KIND, CephClusterSpec

GROUP = "ceph.rook.io"
VERSION = "v1"
PLURAL = "cephclusters"

COLUMNS = (
    ("DataDirHostPath", "string", ".spec.dataDirHostPath", "Directory used on the nodes"),
    ("MonCount", "string", ".spec.mon.count", "Number of mons"),
    ("Age", "date", ".metadata.creationTimestamp", ""),
    ("Phase", "string", ".status.phase", ""),
    ("Message", "string", ".status.message", "What happens, or what keeps it from happening"),
    ("Health", "string", ".status.ceph.health", "Ceph's health"),
    ("External", "boolean", ".spec.external.enable", ""),
    ("FSID", "string", ".status.ceph.fsid", "Ceph's id of the cluster"),
)
"""Rook's columns of `kubectl get`, in Rook's order: scripts read them."""


def crd() -> dict[str, Any]:
    """Return the whole object, as plain values."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "shortNames": ["ceph"],
                "singular": KIND.lower(),
            },
            "scope": "Namespaced",
            "versions": [_version()],
        },
    }


def _version() -> dict[str, Any]:
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": [_column(*column) for column in COLUMNS],
        "schema": {"openAPIV3Schema": _schema()},
    }


def _column(name: str, kind: str, path: str, description: str) -> dict[str, str]:
    column = {"name": name, "type": kind, "jsonPath": path, "description": description}
    return {key: value for key, value in column.items() if value}


def _schema() -> dict[str, Any]:
    return {
        "description": "A Ceph cluster: which daemons run where, and which disks hold its data.",
        "type": "object",
        "required": ["metadata", "spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": structural.schema(CephClusterSpec, structural.OPEN),
            "status": structural.schema(Status, structural.OPEN_STATUS),
        },
    }
