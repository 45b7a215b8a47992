"""A cluster that Rook made: recognised, noted as kept, and nothing of it is built or started again.

The session's cluster becomes one that Rook made: every object is written as Rook writes it, and
what only this operator has is taken away. Then the operator starts, as after Rook's was removed.
"""

import json
from typing import Any

import pytest

from lab.kubernetes import demo
from tests.kubernetes import rook
from tests.kubernetes.site import Site, until

pytestmark = [pytest.mark.kubernetes, pytest.mark.long]

KINDS = "app in (rook-ceph-mon,rook-ceph-mgr,rook-ceph-osd)"
SECRETS = ("rook-ceph-mon", "rook-ceph-mons-keyring", "rook-ceph-admin-keyring", "rook-ceph-config")
NOTES = ("ceph-orchestrator-devices", "rook-ceph-detect-version")


@pytest.fixture(scope="module")
def before() -> dict[str, Any]:
    """How the cluster was when Rook's operator left."""
    return {}


@pytest.fixture(scope="module", autouse=True)
def rooks(built: Site, before: dict[str, Any]) -> None:
    built.healthy()
    before["fsid"] = built.ceph("status")["fsid"]
    scale(built, 0)
    until(lambda: not built.names("pods", "app=rook-ceph-operator"), 90, "the operator has ended")
    rewrite(built, before["fsid"])
    for name in built.names("deployments", KINDS):
        built.kubectl("rollout", "status", f"deployment/{name}", "--timeout=600s", timeout=660)
    until(lambda: all_up(built), 180, "all of Rook's OSDs are up")
    until(lambda: healthy(built), 240, "Rook's cluster is healthy")
    before |= look(built)
    before["mons"] = built.get("configmap/rook-ceph-mon-endpoints")["data"]
    scale(built, 1)
    until(lambda: adopted(built), 600, "every Deployment is noted as kept")
    until(lambda: converged(built), 300, "the operator found nothing left to do")


def scale(site: Site, count: int) -> None:
    site.kubectl("scale", demo.OPERATOR, f"--replicas={count}")


def rewrite(site: Site, fsid: str) -> None:
    """Every object as Rook writes it, and nothing beside them."""
    deployments = site.get("deployments", "--selector", KINDS)["items"]
    keyrings = [name for name in site.names("secrets") if name.endswith("-keyring")]
    secrets = [site.get(f"secret/{name}") for name in sorted({*SECRETS, *keyrings})]
    put(
        site,
        *(rook.deployment(one, fsid) for one in deployments),
        *(
            rook.stripped(one)
            for one in site.get("services", "--selector", "rook_cluster")["items"]
        ),
        *(rook.unlabelled(one) for one in secrets),
        rook.unlabelled(site.get("configmap/rook-config-override")),
        rook.endpoints(site.get("configmap/rook-ceph-mon-endpoints")),
    )
    noted = [name for name in site.names("configmaps") if name.startswith(NOTES)]
    site.kubectl("delete", "configmaps", *noted)
    for key in site.ceph("config-key", "ls"):
        if "orchestrator" in key:
            site.toolbox("ceph", "config-key", "rm", key)


def put(site: Site, *objects: dict[str, Any]) -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    site.kubectl("replace", "--filename", "-", stdin=json.dumps(listed))


def all_up(site: Site) -> bool:
    osds = site.ceph("osd", "stat")
    return bool(osds["num_up_osds"] == osds["num_osds"])


def healthy(site: Site) -> bool:
    return all_up(site) and bool(site.ceph("status")["health"]["status"] == "HEALTH_OK")


def look(site: Site) -> dict[str, Any]:
    """What must not change: pods with their restarts, specs, and what Ceph says of its daemons."""
    osds = site.ceph("osd", "dump")["osds"]
    return {
        "pods": {
            one["metadata"]["uid"]: sum(
                container["restartCount"] for container in one["status"]["containerStatuses"]
            )
            for one in site.get("pods", "--selector", KINDS)["items"]
        },
        "deployments": {
            one["metadata"]["name"]: (one["metadata"]["uid"], one["spec"])
            for one in site.get("deployments", "--selector", KINDS)["items"]
        },
        "services": {
            one["metadata"]["name"]: one["spec"]["clusterIP"]
            for one in site.get("services", "--selector", "rook_cluster")["items"]
        },
        "monmap": site.ceph("mon", "dump")["epoch"],
        "osds": {one["osd"]: (one["uuid"], one["up_from"]) for one in osds},
        "secrets": {name: site.get(f"secret/{name}")["data"] for name in SECRETS[:3]},
    }


def test_it_is_recognised_and_no_pod_starts_again(built: Site, before: dict[str, Any]) -> None:
    built.healthy()
    after = look(built)
    assert after == {name: before[name] for name in after}
    status = built.get("cephcluster/rook-ceph")["status"]
    assert (status["ceph"]["fsid"], status["phase"]) == (before["fsid"], "Ready")
    assert built.ceph("status")["fsid"] == before["fsid"]


def adopted(site: Site) -> bool:
    found = site.get("deployments", "--selector", KINDS)["items"]
    return all(rook.OURS + "record" in one["metadata"]["annotations"] for one in found)


def converged(site: Site) -> bool:
    conditions = site.get("cephcluster/rook-ceph")["status"].get("conditions") or []
    told = {one["type"]: one["status"] for one in conditions}
    return site.passes() > 0 and told.get("UpToDate") == "True"


def test_disks_were_looked_at_and_nothing_was_prepared(built: Site, before: dict[str, Any]) -> None:
    assert built.get("jobs")["items"] == []
    assert built.ceph("osd", "stat")["num_osds"] == len(before["osds"])
    noted = built.names("configmaps", "app=ceph-orchestrator-devices")
    assert len(noted) == len(built.get("nodes")["items"])


def test_its_mons_keep_their_places_whatever_the_order_of_rooks_lists(
    built: Site, before: dict[str, Any]
) -> None:
    now = built.get("configmap/rook-ceph-mon-endpoints")["data"]
    old = before["mons"]
    assert sorted(now["data"].split(",")) == sorted(old["data"].split(","))
    assert json.loads(now["mapping"]) == json.loads(old["mapping"])
    assert now["maxMonId"] == old["maxMonId"]


def test_from_then_on_an_edit_by_hand_is_undone(built: Site) -> None:
    name = built.names("deployments", "app=rook-ceph-mgr")[-1]
    built.kubectl("scale", f"deployment/{name}", "--replicas=0")
    until(lambda: replicas(built, name) == 1, 180, "the mgr is back")
    built.kubectl("rollout", "status", f"deployment/{name}", "--timeout=360s", timeout=400)
    built.healthy()


def replicas(site: Site, name: str) -> int:
    return int(site.get(f"deployment/{name}")["spec"]["replicas"])
