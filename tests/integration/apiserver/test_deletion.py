"""Deletion: what blocks it, what it takes away, and that nothing holds the object up for ever."""

from collections.abc import Iterator
from typing import Any

import pytest

from orchestrator.stores.kubernetes.clusters import FINALIZER
from orchestrator.stores.kubernetes.connection import (
    CONFIG_MAP,
    PERSISTENT_VOLUME,
    SECRET,
    Connection,
    Kind,
)
from tests.fakes.operators import Scripted
from tests.integration.apiserver.site import CRD, Site, made
from tests.waiting import eventually

POOL = Kind("ceph.rook.io/v1", "CephBlockPool")
STORE = Kind("ceph.rook.io/v1", "CephObjectStore")


def a_crd(kind: str) -> dict[str, Any]:
    """As little as the API server takes: some child kinds are there, the others are not."""
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True}
    return {
        "apiVersion": CRD.api_version,
        "kind": CRD.name,
        "metadata": {"name": f"{plural}.ceph.rook.io"},
        "spec": {
            "group": "ceph.rook.io",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


@pytest.fixture(scope="session")
def _children(connection: Connection) -> None:
    for kind in (POOL, STORE):
        made(connection, CRD, a_crd(kind.name))
    eventually(lambda: {POOL, STORE} <= set(connection.served(POOL.api_version)))


@pytest.fixture
def built(site: Site) -> Iterator[Site]:
    with site.managed():
        site.apply()
        eventually(site.ready)
        eventually(lambda: site.passes("converged"))
        yield site


def child(site: Site, kind: Kind, name: str) -> None:
    meta = {"name": name, "namespace": site.namespace}
    body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": meta, "spec": {}}
    site.connection.create(kind, body)


def finalizers(site: Site, kind: Kind, name: str) -> list[str]:
    found = site.connection.get(kind, site.namespace, name) or {"metadata": {}}
    return list(found["metadata"].get("finalizers") or ())


def test_a_deleted_clusters_daemons_go_and_then_the_object(built: Site) -> None:
    runner = built.runner()
    disks = [disk.osd for machine in runner.machines.machines.values() for disk in machine.disks]
    built.delete()
    eventually(lambda: not built.get())

    assert runner.machines.runs[-3:-1] == ["absent.yml", "absent.yml"]
    assert not [unit for _, unit in runner.machines.units("osd") if unit.active == "active"]
    after = [disk.osd for machine in runner.machines.machines.values() for disk in machine.disks]
    assert after == disks
    assert finalizers(built, SECRET, "rook-ceph-mon") == []
    assert finalizers(built, CONFIG_MAP, "rook-ceph-mon-endpoints") == []


@pytest.mark.usefixtures("_children")
def test_children_block_and_are_listed_and_nothing_is_touched(built: Site) -> None:
    child(built, POOL, "replicapool")
    child(built, POOL, "archive")
    child(built, STORE, "objects")
    runs = list(built.runner().machines.runs)
    built.delete()
    blocked = eventually(lambda: built.condition("DeletionIsBlocked"))

    expected = (
        f'CephCluster "{built.namespace}/c1" will not be deleted until all dependents are removed: '
        "CephBlockPools: [archive replicapool], CephObjectStores: [objects]"
    )
    assert (blocked["status"], blocked["reason"]) == ("True", "ObjectHasDependents")
    assert blocked["message"] == expected
    assert built.condition("Deleting")["message"] == "Deleting the CephCluster"
    assert (built.status()["phase"], built.status()["message"]) == ("Deleting", expected)
    assert built.runner().machines.runs == runs

    for kind, name in ((POOL, "replicapool"), (POOL, "archive"), (STORE, "objects")):
        built.connection.delete(kind, built.namespace, name)
    built.label("c1", nudged="true")
    eventually(lambda: not built.get())


@pytest.mark.usefixtures("_children")
def test_a_block_that_ended_is_told(built: Site) -> None:
    child(built, POOL, "replicapool")
    built.delete()
    eventually(lambda: built.condition("DeletionIsBlocked"))
    runner = built.runner()
    runner.held.set()
    built.connection.delete(POOL, built.namespace, "replicapool")
    built.label("c1", nudged="true")
    eventually(runner.busy.is_set)

    told = built.condition("DeletionIsBlocked")
    assert (told["status"], told["reason"]) == ("False", "ObjectHasNoDependents")
    assert told["message"] == (
        f'CephCluster "{built.namespace}/c1" has no dependent custom resources blocking deletion'
    )
    runner.held.clear()
    eventually(lambda: not built.get())


def volume(site: Site, name: str, cluster: str, driver: str = "rook-ceph.rbd.csi.ceph.com") -> None:
    csi = {"driver": driver, "volumeHandle": name, "volumeAttributes": {"clusterID": cluster}}
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "csi": csi}
    meta = {"name": f"{name}-{site.namespace}"}
    body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec}
    site.connection.create(PERSISTENT_VOLUME, body)


def test_volumes_of_this_cluster_block_and_those_of_others_do_not(built: Site) -> None:
    volume(built, "mine", built.namespace)
    volume(built, "another", "elsewhere")
    volume(built, "foreign", built.namespace, "ebs.csi.aws.com")
    built.delete()
    blocked = eventually(lambda: built.condition("DeletionIsBlocked"))
    assert blocked["message"].endswith(f"removed: PersistentVolumes: [mine-{built.namespace}]")

    built.apply(cleanupPolicy={"allowUninstallWithVolumes": True})
    eventually(lambda: not built.get())


def test_with_the_confirmation_the_disks_are_cleared(built: Site) -> None:
    machines = built.runner().machines.machines.values()
    assert all(disk.osd for machine in machines for disk in machine.disks)
    built.apply(cleanupPolicy={"confirmation": "yes-really-destroy-data"})
    eventually(lambda: built.passes("blocked"))
    built.delete()
    eventually(lambda: not built.get())

    assert not any(disk.osd for machine in machines for disk in machine.disks)


def test_the_confirmation_alone_deletes_nothing(built: Site) -> None:
    runs = list(built.runner().machines.runs)
    built.apply(cleanupPolicy={"confirmation": "yes-really-destroy-data"})
    eventually(lambda: built.passes("blocked"))

    assert "playbook" not in built.status()["message"]
    assert [run for run in built.runner().machines.runs[len(runs) :] if run != "facts.yml"] == []
    assert built.get()["metadata"]["finalizers"] == [FINALIZER]


def test_a_deletion_in_mid_run_cancels_it(site: Site) -> None:
    def hold(runner: Scripted) -> None:
        runner.held.set()

    site.runners.prepare = hold
    with site.managed():
        site.apply()
        runner = site.runner()
        eventually(runner.busy.is_set)
        site.delete()
        eventually(lambda: runner.canceled)
        runner.held.clear()
        eventually(lambda: not site.get())

        assert runner.machines.fsids == set()


def test_a_cluster_that_was_never_understood_can_be_deleted(site: Site) -> None:
    with site.managed():
        site.apply(network={"addressRanges": {"public": ["10.0.0.0/99"]}})
        eventually(lambda: site.passes("invalid"))
        site.delete()
        eventually(lambda: not site.get())


def test_of_two_in_a_namespace_the_one_that_has_the_daemons_can_be_deleted(built: Site) -> None:
    built.apply("c2")
    eventually(lambda: built.passes("blocked", "c2"))
    first, second = built.runner("c1"), built.runner("c2")
    built.delete("c1")
    eventually(lambda: not built.get("c1"))

    assert "absent.yml" in first.machines.runs
    assert set(second.machines.runs) <= {"facts.yml"}
