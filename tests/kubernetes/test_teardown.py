"""A cluster goes: held up by what stands on it, without its data, and with it; and it comes back.

The tests follow each other on one cluster, and the last one leaves none behind.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab import disks, hosts
from lab.kubernetes import demo
from lab.kubernetes.cluster import Cluster
from tests.e2e.contents import OTHER_FSID, foreign_osd
from tests.kubernetes import footprint
from tests.kubernetes.deletion import (
    ALL,
    CONFIRMED,
    apply,
    delete,
    gone,
    manifest,
    owned,
    pods,
    until_gone,
)
from tests.kubernetes.site import MANIFESTS, Site, until

pytestmark = pytest.mark.kubernetes

POOLS = str(MANIFESTS / "blockpools.yaml")
POOL = {
    "apiVersion": "ceph.rook.io/v1",
    "kind": "CephBlockPool",
    "metadata": {"name": "replicapool", "namespace": demo.NAMESPACE},
    "spec": {"replicated": {"size": 3}},
}
IDENTITY = ("secret/rook-ceph-mon", "configmap/rook-ceph-mon-endpoints")
STALE = "holds the store of a mon of another Ceph cluster"
LABEL = b"bluestore block device"
LETTER = "a note that has to outlive the cluster"


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    """What the tests hand on to each other."""
    return {}


@pytest.fixture(scope="module", autouse=True)
def pools(built: Site) -> Iterator[None]:
    """Rook's kind of a pool is served; the operator, which runs already, has to notice."""
    built.kubectl("apply", "--filename", POOLS)
    name = "crd/cephblockpools.ceph.rook.io"
    built.kubectl("wait", "--for=condition=Established", name, "--timeout=90s", timeout=120)
    yield
    built.kubectl("delete", "--filename", POOLS, "--ignore-not-found")


def condition(site: Site, kind: str) -> dict[str, Any]:
    listed = site.status().get("conditions") or []
    return next((one for one in listed if one["type"] == kind), {})


def scale(site: Site, count: int, *words: str) -> None:
    site.kubectl("scale", "deployment", *words, f"--replicas={count}")


def test_dependents_block_a_deletion_and_nothing_is_touched(
    built: Site, lab: Cluster, kept: dict[str, Any]
) -> None:
    built.healthy()
    kept["spec"] = built.get("cephcluster/rook-ceph")["spec"]
    kept["fsid"] = built.ceph("status")["fsid"]
    built.toolbox("ceph", "osd", "pool", "create", "kept", "8")
    built.toolbox("ceph", "osd", "pool", "application", "enable", "kept", "rados")
    built.toolbox("sh", "-c", f"printf '{LETTER}' | rados --pool kept put letter -")
    before = pods(built)
    apply(built, POOL)
    delete(built)
    until(lambda: condition(built, "DeletionIsBlocked") != {}, 60, "the deletion is blocked")
    said = condition(built, "DeletionIsBlocked")
    assert (said["status"], said["reason"]) == ("True", "ObjectHasDependents")
    assert said["message"] == (
        'CephCluster "rook-ceph/rook-ceph" will not be deleted until all dependents are removed: '
        "CephBlockPools: [replicapool]"
    )
    assert built.status()["phase"] == "Deleting"
    assert pods(built) == before
    assert built.ceph("status")["health"]["status"] == "HEALTH_OK"


def test_without_confirmation_objects_go_and_no_byte_of_the_nodes_changes(
    built: Site, lab: Cluster, kept: dict[str, Any]
) -> None:
    kept["identity"] = [built.get(name) for name in IDENTITY]
    scale(built, 0, "rook-ceph-operator")
    until(lambda: pods(built, "app=rook-ceph-operator") == {}, 90, "the operator has ended")
    scale(built, 0, "--selector", ALL)
    until(lambda: pods(built, ALL) == {}, 180, "no daemon runs: nobody writes to the disks")
    kept["disks"], kept["folders"] = footprint.all_disks(lab), footprint.folders(lab)
    built.kubectl("delete", "cephblockpool", "replicapool")
    scale(built, 1, "rook-ceph-operator")
    until(lambda: gone(built), 600, "the CephCluster is gone")
    until(lambda: owned(built) == [], 90, "all that it owned went with it")
    assert built.names("secrets", "rook_cluster=rook-ceph") == []
    assert footprint.all_disks(lab) == kept["disks"]
    assert footprint.folders(lab) == kept["folders"]


def test_a_new_cluster_on_old_data_is_refused_in_words(
    built: Site, lab: Cluster, kept: dict[str, Any]
) -> None:
    apply(built, manifest(kept["spec"]))
    until(lambda: STALE in built.status().get("message", ""), 180, "the refusal is in the status")
    message = built.status()["message"]
    assert kept["fsid"] in message
    assert "rook-ceph-mon-endpoints" in message
    assert built.status()["state"] == "Error"
    held = footprint.folders(lab, "mon-*", f"rook-ceph/{kept['fsid']}_*")
    assert held == {name: text for name, text in kept["folders"].items() if name in held}
    assert {name.partition("/")[0].partition(":")[2] for name in held} >= {"mon-a", "rook-ceph"}
    assert footprint.all_disks(lab) == kept["disks"]


def test_the_refused_one_goes_with_confirmation_and_the_old_data_stays(
    built: Site, lab: Cluster, kept: dict[str, Any]
) -> None:
    built.patch(CONFIRMED)
    delete(built)
    until_gone(built)
    assert footprint.all_disks(lab) == kept["disks"]
    after = footprint.folders(lab)
    assert {name: after.get(name) for name in kept["folders"]} == kept["folders"]


def test_with_its_secret_and_its_map_the_old_cluster_comes_back(
    built: Site, kept: dict[str, Any]
) -> None:
    apply(built, *map(restored, kept["identity"]))
    apply(built, manifest(kept["spec"]))
    built.healthy()
    built.renew_toolbox()
    assert built.ceph("status")["fsid"] == kept["fsid"]
    assert built.toolbox("rados", "--pool", "kept", "get", "letter", "-") == LETTER
    uid = built.get("cephcluster/rook-ceph")["metadata"]["uid"]
    for name in IDENTITY:
        (owner,) = built.get(name)["metadata"]["ownerReferences"]
        assert owner["uid"] == uid


def restored(raw: dict[str, Any]) -> dict[str, Any]:
    """An object as a backup has it: what the API server gave it is not part of it."""
    metadata = {name: raw["metadata"][name] for name in ("name", "namespace")}
    rest = {name: value for name, value in raw.items() if name in ("type", "data")}
    return {"apiVersion": "v1", "kind": raw["kind"], "metadata": metadata, **rest}


def test_with_confirmation_only_this_clusters_disks_and_folders_are_cleared(
    built: Site, lab: Cluster, kept: dict[str, Any]
) -> None:
    kept["osds"] = ours = {name for name, image in footprint.images(lab) if holds_osd(image)}
    foreign_disk(lab, "node-1")
    strange = {
        "node-1": "mon-z/data",
        "node-2": f"rook-ceph/{OTHER_FSID}_u-9",
        "node-3": "other/log",
    }
    for node, folder in strange.items():
        keyring = "[mon.]\\n\\tkey = AQBsdHJhbmdlAAAQAHN0cmFuZ2U=\\n"
        path = f"{footprint.DATA}/{folder}"
        footprint.on(lab, node, f"mkdir -p {path} && printf '{keyring}' > {path}/keyring")
    before = footprint.all_disks(lab)
    folders = footprint.folders(lab, *strange.values())
    confirmed = {**CONFIRMED["cleanupPolicy"], "allowUninstallWithVolumes": True}
    built.patch({"cleanupPolicy": confirmed})
    delete(built)
    until_gone(built)
    assert built.get("jobs")["items"] == []
    until(lambda: privileged(built) == [], 60, "no pod with privileges is left")
    after = footprint.all_disks(lab)
    assert {name: after[name] for name in before.keys() - ours} == {
        name: before[name] for name in before.keys() - ours
    }
    for name, image in footprint.images(lab):
        if name in ours:
            with image.open("rb") as file:
                assert file.read(4096) == bytes(4096), name
    assert footprint.folders(lab, *strange.values()) == folders
    left = {name.partition(":")[2] for name in footprint.folders(lab)}
    assert not [name for name in left if kept["fsid"] in name or name.startswith("mon-a/")]


def holds_osd(image: Path) -> bool:
    with image.open("rb") as file:
        return file.read(len(LABEL)) == LABEL


def foreign_disk(lab: Cluster, node: str) -> None:
    """Give a node a disk that holds another cluster's OSD."""
    letter = disks.add(lab.lab, node, "6G")
    foreign_osd(disks.image(lab.lab, node, letter))
    hosts.rescan_disks(lab.lab, node)


def privileged(site: Site) -> list[str]:
    return [
        one["metadata"]["name"]
        for one in site.get("pods")["items"]
        for container in one["spec"]["containers"]
        if (container.get("securityContext") or {}).get("privileged")
    ]
