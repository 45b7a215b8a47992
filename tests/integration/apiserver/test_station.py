"""`run`, `plan` and `status` for a cluster in Kubernetes: the operator's rules and its Lease."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from lab.kubernetes.plane import ControlPlane
from orchestrator import cli
from orchestrator import operator as composition
from orchestrator.controller import lease
from orchestrator.stores.kubernetes.connection import LEASE
from tests.integration.apiserver.site import SPEC, Site
from tests.waiting import eventually

CREATION = ["facts.yml", "site.yml"]


@pytest.fixture
def orchestrator(
    site: Site, control_plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The command, with simulated hosts in the place of nodes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(composition, "runner_for", lambda _settings, _alone: site.runners)
    always = ["--kubeconfig", str(control_plane.kubeconfig), "--namespace", site.namespace]
    always += ["--operator-namespace", site.namespace]

    def call(command: str, *words: str, operator: bool = True):
        given = always if operator else always[:4]
        return CliRunner().invoke(cli.cli, [command, *given, *words])

    return call


def written(tmp_path: Path, site: Site, **spec: object) -> str:
    path = tmp_path / "cluster.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "ceph.rook.io/v1",
                "kind": "CephCluster",
                "metadata": {"name": "c1", "namespace": site.namespace},
                "spec": {**SPEC, **spec},
            }
        )
    )
    return str(path)


def holder(site: Site) -> str:
    found = site.connection.get(LEASE, site.namespace, lease.NAME) or {"spec": {}}
    return found["spec"].get("holderIdentity") or ""


def test_a_run_does_what_the_operator_does_and_hands_the_lease_back(
    site: Site, orchestrator
) -> None:
    site.apply()
    done = orchestrator("run", "--output", "plain")

    assert done.exit_code == 0, done.output
    assert "converged, HEALTH_OK" in done.output
    assert site.runner().machines.runs[:2] == CREATION
    assert site.ready()
    assert site.get()["metadata"]["finalizers"] == ["cephcluster.ceph.rook.io"]
    assert [one[1] for one in site.events()] == ["ReconcileSucceeded"]
    assert holder(site) == ""

    shown = orchestrator("status", "-o", "json", operator=False)
    assert json.loads(shown.output)["status"]["ceph"]["health"] == "HEALTH_OK"
    assert orchestrator("status", "--wait", "5").exit_code == 0


def test_while_the_operator_works_a_run_is_refused_and_a_plan_is_not(
    site: Site, orchestrator
) -> None:
    site.apply()
    with site.managed():
        eventually(lambda: site.passes("converged"))
        refused = orchestrator("run")
        planned = orchestrator("plan")

        assert refused.exit_code == 3
        assert f"the test holds the Lease {site.namespace}/ceph-orchestrator" in refused.output
        assert planned.exit_code == 0, planned.output
        assert holder(site) == "the test"


def test_a_plan_of_an_edited_manifest_shows_what_would_be_and_changes_nothing(
    site: Site, orchestrator, tmp_path: Path
) -> None:
    site.apply()
    assert orchestrator("run").exit_code == 0
    before, runs = site.get(), list(site.runner().machines.runs)
    edited = written(tmp_path, site, mgr={"count": 1})
    planned = orchestrator("plan", "-f", edited)

    assert planned.exit_code == 10, planned.output
    assert "remove   mgr.b" in planned.output
    assert site.get() == before
    assert site.runner().machines.runs == [*runs, "facts.yml"]
    assert orchestrator("plan").exit_code == 0
    assert holder(site) == ""


def test_a_manifest_that_was_not_applied_is_not_run(
    site: Site, orchestrator, tmp_path: Path
) -> None:
    edited = written(tmp_path, site, mgr={"count": 1})
    nowhere = orchestrator("run", "-f", edited)
    assert nowhere.exit_code == 3
    assert f"there is no CephCluster {site.namespace}/c1 in Kubernetes" in nowhere.output

    site.apply()
    differs = orchestrator("run", "-f", edited)
    assert differs.exit_code == 3
    assert "differ; kubectl apply it first" in differs.output

    site.apply(mgr={"count": 1})
    assert orchestrator("run", "-f", edited).exit_code == 0


def test_the_rules_of_the_operator_hold_for_a_run_too(site: Site, orchestrator) -> None:
    site.apply("c1")
    site.apply("c2")
    several = orchestrator("run")
    assert several.exit_code == 3
    assert "c1, " in several.output
    assert "name one with --namespace and --name" in several.output

    blocked = orchestrator("run", "--name", "c1")
    assert blocked.exit_code == 3
    assert "other CephClusters too: c2" in blocked.output

    site.delete("c2")
    site.label("c1", **{"ceph.rook.io/do-not-reconcile": "true"})
    skipped = orchestrator("run")
    assert skipped.exit_code == 3
    assert "do-not-reconcile" in skipped.output


def test_a_run_of_a_deleted_cluster_takes_it_away(site: Site, orchestrator) -> None:
    site.apply()
    assert orchestrator("run").exit_code == 0
    site.delete()
    gone = orchestrator("run")

    assert gone.exit_code == 0, gone.output
    assert "deleted" in gone.output
    assert site.get() == {}


def test_hosts_and_kubernetes_are_not_mixed(orchestrator, tmp_path: Path) -> None:
    (tmp_path / "hosts.yml").write_text("")
    done = orchestrator("plan", "-i", str(tmp_path / "hosts.yml"))

    assert done.exit_code == 2
    assert "give one of them" in done.output
