"""Manifests and machine rooms for tests, with only what a test cares about spelled out."""

from typing import Any

from orchestrator.model.manifest import parse_object
from orchestrator.model.spec import CephCluster
from tests.fakes.machines import Disk, Machine, Machines

ALL_DISKS = {"useAllNodes": True, "useAllDevices": True}


def cluster(**spec: Any) -> CephCluster:
    values = {"dataDirHostPath": "/var/lib/rook", "storage": ALL_DISKS, **spec}
    manifest = {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {"name": "test", "namespace": "rook-ceph"},
        "spec": values,
    }
    return parse_object(manifest, source="test").cluster


def room(hosts: int = 3, disks: int = 1) -> Machines:
    machines = {
        f"store-{number}": Machine(
            name=f"store-{number}",
            address=f"10.0.0.{number}",
            disks=[Disk(f"sd{chr(97 + index)}") for index in range(disks)],
        )
        for number in range(1, hosts + 1)
    }
    return Machines(machines=machines)
