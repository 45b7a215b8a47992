"""A cluster in Kubernetes as the modules see it, and Deployments of its daemons."""

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_desired,
    kubernetes_mgr,
    kubernetes_mon,
)

FSID = "0a1b2c3d-1111-4222-8333-444455556666"


def cluster(**spec):
    raw = {
        "metadata": {"name": "my-cluster", "namespace": "rook-ceph", "uid": "u-1"},
        "spec": {
            "cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"},
            "dataDirHostPath": "/var/lib/rook",
            **spec,
        },
    }
    return kubernetes_cluster.parse(raw)


def mon(**spec):
    daemon = {"type": "mon", "id": "a", "record": "r1"}
    return kubernetes_mon.deployment(cluster(**spec), daemon, FSID, "10.96.0.11", "node-1")


def pod(built):
    return built["spec"]["template"]["spec"]


def osd(**spec):
    known = kubernetes_desired.Daemons(
        cluster=cluster(**spec),
        fsid=FSID,
        node="node-1",
        conf={"osd": {"crush_location": "root=default host=node-1 rack=r1"}},
        programs={"/x/activate": "print()"},
    )
    return known.deployment(
        {
            "type": "osd",
            "id": 3,
            "record": "r.1",
            "restart_on": "public=10.0.0.0/8",
            "before_start": [{"argv": ["/x/activate", "--id=3"], "creates": "/y"}],
            "about": {"uuid": "u-3", "path": "/dev/sdb", "device_class": "ssd"},
        }
    )


def deployments(**spec):
    mgr = {"type": "mgr", "id": "a"}
    return [
        mon(**spec),
        kubernetes_mgr.deployment(cluster(**spec), mgr, FSID, "node-1"),
        osd(**spec),
    ]
