"""A cluster that is as described: it is left alone, by one operator and by the one after it."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from lab.kubernetes import demo
from tests.kubernetes.site import OPERATORS, Site, until

pytestmark = pytest.mark.kubernetes

LEASE = "lease/ceph-orchestrator"
PASSES = 3
STILL_SECONDS = 5.0
LEASE_SECONDS = 30.0
OBJECTS = "deployments,services,secrets,configmaps,jobs,cronjobs,poddisruptionbudgets"
PODS = "rook_cluster=rook-ceph"


def written(site: Site) -> dict[str, str]:
    """The version of each object of the cluster: who writes to one makes it another."""
    found = [
        *site.get(OBJECTS)["items"],
        *site.get("pods", "--selector", PODS)["items"],
    ]
    ours = (one for one in found if one["metadata"]["name"] != "rook-ceph-operator")
    return {f"{one['kind']} {one['metadata']['name']}": version(one) for one in ours}


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    names = before.keys() | after.keys()
    return sorted(name for name in names if before.get(name) != after.get(name))


def version(raw: dict[str, Any]) -> str:
    return f"{raw['metadata']['uid']} {raw['metadata']['resourceVersion']}"


def holder(site: Site) -> str:
    return str(site.get(LEASE)["spec"].get("holderIdentity") or "")


def checked(site: Site) -> datetime:
    return datetime.fromisoformat(site.status()["ceph"]["lastChecked"])


def one_more_pass(site: Site, number: int) -> None:
    """Wake a pass and wait for its end; how long it takes is measured by the bench."""
    passes = site.passes()
    site.kubectl("annotate", "--overwrite", demo.NAME, f"tests/look={number}")
    until(lambda: site.passes() > passes, 60, "a pass was made")


def test_a_pass_that_finds_nothing_to_do_starts_and_writes_nothing(built: Site):
    built.healthy()
    one_more_pass(built, 0)
    until(lambda: is_still(built), 120, "Kubernetes has ended what came before")
    before, jobs = written(built), started(built)
    for number in range(1, 1 + PASSES):
        one_more_pass(built, number)
    assert started(built) == jobs
    assert changed(before, written(built)) == []


def is_still(site: Site) -> bool:
    """Whether nothing is at work; a pod that ends is written to first when it is gone."""
    before = written(site)
    time.sleep(STILL_SECONDS)
    return site.works() == [] and changed(before, written(site)) == []


def started(site: Site) -> set[str]:
    """The Jobs that ever started a pod, as far as Kubernetes remembers."""
    events = site.get("events")["items"]
    return {one["metadata"]["name"] for one in events if one["involvedObject"].get("kind") == "Job"}


def test_when_the_leader_is_killed_the_other_replica_takes_over_and_changes_nothing(built: Site):
    built.kubectl("scale", demo.OPERATOR, "--replicas=2")
    built.kubectl("rollout", "status", demo.OPERATOR, "--timeout=360s", timeout=400)
    leader = holder(built)
    assert leader in built.operators()
    (other,) = (name for name in built.operators() if name != leader)
    assert built.passes(other) == 0
    until(lambda: is_still(built), 120, "Kubernetes has ended what came before")
    before, fsid = written(built), built.status()["ceph"]["fsid"]
    built.kill(leader)
    killed = datetime.now(UTC)
    until(lambda: holder(built) == other, 2 * LEASE_SECONDS, "the other replica has the Lease")
    until(lambda: checked(built) > killed, 20, "the new leader looks at Ceph at once")
    until(lambda: built.passes(other) > 0, 60, "the new leader has made a pass")
    assert built.passes(other) == built.passes(other, "converged")
    assert changed(before, written(built)) == []
    assert built.healthy()["status"]["ceph"]["fsid"] == fsid
    built.kubectl("scale", demo.OPERATOR, "--replicas=1")
    until(lambda: len(built.names("pods", OPERATORS)) == 1, 90, "one replica is left")
