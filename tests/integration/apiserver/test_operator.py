"""The controller against a real API server: what wakes a pass, what stops it, what it says."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from lab.kubernetes.plane import ControlPlane
from orchestrator import operator
from orchestrator.model import ownership
from orchestrator.model.names import ClusterKey
from orchestrator.stores.kubernetes.connection import (
    CEPH_CLUSTER,
    CONFIG_MAP,
    CRON_JOB,
    ENDPOINT_SLICE,
    NODE,
    SECRET,
    SERVICE_MONITOR,
    Connection,
    Kind,
)
from orchestrator.stores.kubernetes.statuses import StatusSubresource
from tests.fakes.operators import Scripted
from tests.integration.apiserver.monitoring import serve
from tests.integration.apiserver.site import CRD, Site, made
from tests.waiting import eventually

CREATION = ["facts.yml", "site.yml"]


def test_a_cluster_is_made_and_says_so(site: Site) -> None:
    with site.managed():
        site.apply()
        eventually(site.ready)
        eventually(lambda: (site.status().get("ceph") or {}).get("health"))
        eventually(lambda: site.passes("converged"))

        found = site.get()
        assert site.runner().machines.runs == CREATION
        assert found["metadata"]["finalizers"] == ["cephcluster.ceph.rook.io"]
        assert found["status"]["state"] == "Created"
        assert found["status"]["ceph"]["health"] == "HEALTH_OK"
        assert found["status"]["observedGeneration"] == 1
        assert site.condition("Ready")["message"] == "Cluster created successfully"
        assert site.events() == [
            (
                "Normal",
                "ReconcileSucceeded",
                f'successfully configured CephCluster "{site.namespace}/c1"',
            )
        ]


def test_the_operators_own_writes_start_no_pass(site: Site) -> None:
    with site.managed():
        site.apply()
        eventually(lambda: site.passes("converged"))
        before = site.passes()
        for number in range(20):
            found = site.get()
            found["status"]["message"] = f"by hand {number}"
            site.connection.replace(CEPH_CLUSTER, found, subresource="status")
        site.apply(mgr={"count": 1})
        eventually(lambda: site.ready(generation=2))
        eventually(lambda: site.passes() > before)

        assert site.passes() == before + 1


def test_service_monitors_that_nobody_serves_are_told_of_and_fail_nothing(site: Site) -> None:
    def room(runner: Scripted) -> None:
        for machine in runner.machines.machines.values():
            machine.services.append({"name": "monitors", "installed": False})

    site.runners.prepare = room
    with site.managed():
        site.apply(monitoring={"enabled": True})
        eventually(site.ready)
        eventually(lambda: len(site.events()) > 1)
        kinds = [(kind, reason) for kind, reason, _message in site.events()]
        assert sorted(kinds) == [
            ("Normal", "ReconcileSucceeded"),
            ("Warning", "ServiceMonitorsNotServed"),
        ]


def test_an_image_that_is_asked_is_told_in_the_status(site: Site) -> None:
    site.apply()
    meta = site.get()["metadata"]
    key = ClusterKey(site.namespace, "c1")
    operator._detecting(StatusSubresource(site.connection, meta["uid"]), key)

    found = site.condition("Progressing")
    assert (found["status"], found["reason"]) == ("True", "ClusterProgressing")
    assert found["message"] == site.status()["message"] == "Detecting Ceph version"


def test_a_no_of_ceph_to_all_restarts_is_counted_in_the_status(site: Site) -> None:
    with site.managed():
        site.apply(continueUpgradeAfterChecksEvenIfNotHealthy=True)
        eventually(lambda: site.passes("converged"))
        machines = site.runner().machines
        machines.refusals = dict.fromkeys(range(3), "pg 11.3 would become inactive")
        for _machine, unit in machines.units("osd"):
            unit.record = "0000.net"
        site.label("c1", again="x")
        eventually(lambda: (site.status().get("storage") or {}).get("restartsRefusedSince"))
        assert "restarts all the same in 10 min" in site.status()["message"]
        assert machines.restarted == []


def test_an_edit_in_mid_run_cancels_that_clusters_run_and_no_other(site: Site) -> None:
    site.runners.prepare = lambda runner: runner.held.set()
    other = Site(
        site.connection, f"{site.namespace}-other", site.home, site.runners, site.metrics
    ).begin()
    with site.managed(namespace=""):
        site.apply()
        other.apply()
        mine, theirs = site.runner(), other.runner()
        eventually(mine.busy.is_set)
        eventually(theirs.busy.is_set)

        site.apply(mgr={"count": 1})
        eventually(lambda: mine.canceled)
        mine.held.clear()
        eventually(lambda: site.ready(generation=2))

        assert site.status()["observedGeneration"] == 2
        assert len([unit for _, unit in mine.machines.units("mgr")]) == 1
        assert theirs.busy.is_set()
        assert theirs.canceled == 0
        assert other.status()["phase"] == "Progressing"

        theirs.held.clear()
        eventually(other.ready)
        assert theirs.machines.runs == CREATION


def test_a_cancelled_run_is_no_error_of_the_cluster(site: Site) -> None:
    site.runners.prepare = lambda runner: runner.held.set()
    with site.managed():
        site.apply()
        runner = site.runner()
        eventually(runner.busy.is_set)
        runner.busy.clear()
        site.apply(mgr={"count": 1})
        eventually(lambda: runner.canceled and runner.busy.is_set())

        assert site.status()["state"] == "Creating"
        assert site.passes("failed") == 0
        assert site.events() == []
        runner.held.clear()
        eventually(lambda: site.ready(generation=2))


def test_a_spec_that_is_not_understood_is_told_and_its_mended_one_is_worked_on(site: Site) -> None:
    with site.managed():
        site.apply(mon={"count": 3}, network={"addressRanges": {"public": ["10.0.0.0/99"]}})
        eventually(lambda: site.passes("invalid"))

        assert "10.0.0.0/99" in site.status()["message"]
        assert site.condition("UpToDate")["reason"] == "ManifestInvalid"
        assert site.runner().machines.runs == []

        site.apply(network=None)
        eventually(lambda: site.ready(generation=2))


def test_a_failed_run_is_tried_again_without_any_edit(site: Site) -> None:
    def cut(runner: Scripted) -> None:
        runner.machines.cut_after = 1

    site.runners.prepare = cut
    with site.managed():
        site.apply()
        eventually(site.ready)

        assert site.passes("failed") == 1
        assert ("Warning", "ReconcileFailed") in [one[:2] for one in site.events()]
        assert len(site.runner().machines.fsids) == 1


def test_hands_off_means_no_pass_until_the_label_is_gone(site: Site) -> None:
    with site.managed():
        site.apply()
        eventually(site.ready)
        site.label("c1", **{"ceph.rook.io/do-not-reconcile": "true"})
        eventually(lambda: site.passes("skipped"))
        runs = list(site.runner().machines.runs)
        site.apply(mgr={"count": 1})
        eventually(lambda: site.passes("skipped") == 2)

        assert site.runner().machines.runs == runs
        assert ("Normal", "ReconcileSkipped") in [one[:2] for one in site.events()]

        site.label("c1", **{"ceph.rook.io/do-not-reconcile": None})
        eventually(lambda: site.ready(generation=2))


def test_two_clusters_in_a_namespace_wait_for_each_other(site: Site) -> None:
    with site.managed():
        site.apply("c1")
        eventually(site.ready)
        fsid = site.status()["ceph"]["fsid"]
        site.apply("c2")
        eventually(lambda: site.passes("blocked", "c1") and site.passes("blocked", "c2"))

        assert "other CephClusters too: c2" in site.status("c1")["message"]
        assert "other CephClusters too: c1" in site.status("c2")["message"]
        assert site.condition("Ready", "c1")["status"] == "True"
        assert site.runner("c2").machines.runs == []
        assert site.runner("c1").machines.runs == CREATION

        site.delete("c2")
        eventually(lambda: not site.get("c2"))
        site.apply("c1", mgr={"count": 1})
        eventually(lambda: site.ready(generation=2))

        assert site.connection.get(SECRET, site.namespace, "rook-ceph-mon")
        assert site.status()["ceph"]["fsid"] == fsid


def test_an_owned_object_that_was_changed_by_hand_wakes_a_pass(site: Site) -> None:
    with site.managed():
        site.apply()
        eventually(lambda: site.passes("converged"))
        before = eventually(lambda: site.passes("converged"))
        body = {"data": {"data": "somebody=else"}}
        site.connection.patch(CONFIG_MAP, site.namespace, "rook-ceph-mon-endpoints", body)

        eventually(lambda: site.passes("converged") > before)


POD = {
    "restartPolicy": "Never",
    "containers": [{"name": "prune", "image": "localhost/none"}],
}
DAILY = {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": {"spec": POD}}}}
BESIDE: dict[Kind, dict[str, Any]] = {
    CRON_JOB: {"spec": DAILY},
    ENDPOINT_SLICE: {"addressType": "IPv4", "endpoints": []},
    SERVICE_MONITOR: {"spec": {"selector": {}, "endpoints": []}},
}


@pytest.fixture
def _served(control_plane: ControlPlane, connection: Connection) -> Iterator[None]:
    """ServiceMonitors, for one test: others are about servers without them."""
    serve(control_plane.kubeconfig)
    yield
    connection.delete(CRD, "", "servicemonitors.monitoring.coreos.com")
    eventually(lambda: not connection.served(SERVICE_MONITOR.api_version))


@pytest.mark.usefixtures("_served")
@pytest.mark.parametrize("kind", BESIDE, ids=lambda kind: kind.name)
def test_what_stands_beside_the_daemons_wakes_a_pass_when_it_is_deleted(
    site: Site, kind: Kind
) -> None:
    with site.managed():
        site.apply()
        eventually(lambda: site.passes("converged"))
        found = site.get()["metadata"]
        meta = {
            "name": "beside",
            "namespace": site.namespace,
            "labels": {"rook_cluster": site.namespace},
            "ownerReferences": [ownership.reference(found)],
        }
        version = site.connection.resource(kind).group_version
        body = {"apiVersion": version, "kind": kind.name, "metadata": meta, **BESIDE[kind]}
        site.connection.create(kind, body)
        before = site.passes("converged")
        site.connection.delete(kind, site.namespace, "beside")

        eventually(lambda: site.passes("converged") > before)


def test_a_node_that_comes_and_a_disk_that_is_found_wake_a_pass(site: Site) -> None:
    with site.managed():
        site.apply()
        before = eventually(lambda: site.passes("converged"))
        node = {"metadata": {"name": f"node-of-{site.namespace}"}}
        site.connection.create(NODE, {"apiVersion": "v1", "kind": "Node", **node})
        eventually(lambda: site.passes("converged") > before)

        before = site.passes("converged")
        made(
            site.connection,
            CONFIG_MAP,
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {
                    "name": "local-device-n1",
                    "namespace": site.namespace,
                    "labels": {"app": "rook-discover"},
                },
            },
        )
        eventually(lambda: site.passes("converged") > before)


def test_a_new_operator_changes_nothing_and_watches_health_at_once(site: Site) -> None:
    with site.managed():
        site.apply()
        eventually(site.ready)
        eventually(lambda: site.passes("converged"))  # the status is there a moment earlier
    runner = site.runner()
    runs = list(runner.machines.runs)
    runner.machines.store.config[("global", "x")] = "y"
    with site.managed():
        again = eventually(lambda: site.runner() is not runner and site.runner())
        eventually(lambda: again.asked)
        eventually(lambda: site.passes("converged") >= 2)

        assert again.machines.runs == [*runs, "facts.yml"]
        assert len(again.machines.fsids) == 1


def test_health_is_told_in_mid_run_and_moves_nothing_else(site: Site) -> None:
    site.environment["ROOK_CEPH_STATUS_CHECK_INTERVAL"] = "1s"
    with site.managed():
        site.apply()
        eventually(site.ready)
        runner = site.runner()
        runner.held.set()
        site.apply(mgr={"count": 1})
        eventually(runner.busy.is_set)
        phase = eventually(lambda: site.status()["phase"] == "Progressing" and site.status())
        runner.unhealthy = "timed out after 15 s"
        eventually(lambda: site.status()["ceph"]["health"] == "HEALTH_ERR")

        found = site.status()
        assert found["ceph"]["details"] == {
            "error": {"severity": "Urgent", "message": "timed out after 15 s"}
        }
        assert found["ceph"]["fsid"] == phase["ceph"]["fsid"]
        for name in ("phase", "message", "state"):
            assert found[name] == phase[name]

        runner.unhealthy = ""
        eventually(lambda: site.status()["ceph"]["health"] == "HEALTH_OK")
        assert site.status()["ceph"]["previousHealth"] == "HEALTH_ERR"
        runner.held.clear()
        eventually(lambda: site.ready(generation=2))


def test_a_mon_that_leaves_the_quorum_wakes_a_pass(site: Site) -> None:
    site.environment["ROOK_MON_HEALTHCHECK_INTERVAL"] = "1s"
    with site.managed():
        site.apply()
        eventually(lambda: site.passes("converged"))
        machines = site.runner().machines
        machine, mon = next(machines.units("mon"))
        mon.active = "failed"
        eventually(lambda: mon.active == "active")

        assert len(machines.quorum()) == 3
        assert machine.reachable


def test_another_object_of_the_same_name_is_another_cluster(site: Site) -> None:
    with site.managed():
        site.apply()
        eventually(site.ready)
        first = site.runner()
        fsid = site.status()["ceph"]["fsid"]
        site.delete()
        eventually(lambda: not site.get())
        for name, kind in (("rook-ceph-mon", SECRET), ("rook-ceph-mon-endpoints", CONFIG_MAP)):
            site.connection.delete(kind, site.namespace, name)  # nobody collects garbage here
        site.apply()
        eventually(site.ready)

        assert site.runner() is not first
        assert site.status()["ceph"]["fsid"] != fsid
        assert first.source.read() is None


def test_a_bug_in_one_cluster_is_the_trouble_of_that_one_alone(site: Site) -> None:
    class BrokenError(Exception):
        pass

    def broken() -> None:
        raise BrokenError

    other = Site(
        site.connection, f"{site.namespace}-other", site.home, site.runners, site.metrics
    ).begin()
    with site.managed(namespace="") as manager:
        site.apply()
        eventually(site.ready)
        site.runner().members = broken
        site.apply(mgr={"count": 1})
        eventually(lambda: site.passes("error") >= 1)
        other.apply()
        eventually(other.ready)

        assert manager.trouble() == ""


@pytest.mark.parametrize("conflicts", [1, 5])
def test_a_status_that_somebody_else_writes_too_is_written_all_the_same(
    site: Site, monkeypatch: pytest.MonkeyPatch, conflicts: int
) -> None:
    left = threading.Semaphore(conflicts)
    replace = Connection.replace

    def crowded(self: Connection, kind, body, *, subresource=""):
        if subresource == "status" and left.acquire(blocking=False):
            found = self.get(kind, body["metadata"]["namespace"], body["metadata"]["name"])
            found["metadata"].setdefault("annotations", {})[f"n{id(body)}"] = "another writer"
            replace(self, kind, found)
        return replace(self, kind, body, subresource=subresource)

    monkeypatch.setattr(Connection, "replace", crowded)
    with site.managed():
        site.apply()
        eventually(site.ready)
        eventually(lambda: site.passes("converged"))

        assert site.passes("error") == 0
