"""A cluster that is applied and deleted as a person would, and what of it is left."""

import json
from typing import Any

from lab.kubernetes import demo
from tests.kubernetes.site import Site, until

DAEMONS = "app in (rook-ceph-mon,rook-ceph-mgr,rook-ceph-osd)"
ALL = "rook_cluster=rook-ceph"
OWNED = ("deployments", "services", "secrets", "configmaps", "jobs", "poddisruptionbudgets")
CONFIRMED = {"cleanupPolicy": {"confirmation": "yes-really-destroy-data"}}


def manifest(spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": "rook-ceph", "namespace": demo.NAMESPACE}
    return {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": metadata,
        "spec": spec,
    }


def apply(site: Site, *objects: dict[str, Any]) -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    site.kubectl("apply", "--filename", "-", stdin=json.dumps(listed))


def delete(site: Site) -> None:
    site.kubectl("delete", "cephcluster", "rook-ceph", "--wait=false")


def gone(site: Site) -> bool:
    return not site.names("cephclusters")


def pods(site: Site, selector: str = DAEMONS) -> dict[str, str]:
    found = site.get("pods", "--selector", selector)["items"]
    return {one["metadata"]["name"]: one["metadata"]["uid"] for one in found}


def owned(site: Site) -> list[str]:
    """All objects that say that they are the cluster's."""
    return [
        f"{one['kind']} {one['metadata']['name']}"
        for kind in OWNED
        for one in site.get(kind)["items"]
        if any(ref["kind"] == "CephCluster" for ref in one["metadata"].get("ownerReferences", []))
    ]


def until_gone(site: Site) -> None:
    """Wait until the CephCluster is gone, and all that is its own with it."""
    until(lambda: gone(site), 600, "the CephCluster is gone")
    until(lambda: owned(site) == [] and pods(site, ALL) == {}, 90, "all that it owned went with it")
