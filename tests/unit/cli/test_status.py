"""`orchestrator status`: the last known one, or that of a look."""

import json

import yaml

from orchestrator.model.names import ClusterKey
from orchestrator.stores import files
from tests.fakes.commands import KEY, home


def test_the_status_of_a_run_that_was_killed_says_that_nobody_works(orchestrator, tmp_path):
    message = "Configuring Ceph OSDs"
    dead = {"phase": "Progressing", "state": "Creating", "message": message}
    files.StatusFile(home(tmp_path)).put(KEY, dead)

    told = orchestrator("status", "-f", "F", "-o", "json")

    assert json.loads(told.stdout)["status"]["state"] == "Error"
    with files.FileLock(home(tmp_path)).hold(KEY):
        told = orchestrator("status", "-f", "F", "-o", "json")
    assert json.loads(told.stdout)["status"] == dead


def test_the_status_is_the_last_known_one_of_the_only_cluster(built, fake):
    fake.machines.runs.clear()

    result = built("status", "-o", "json")

    found = json.loads(result.stdout)
    assert (result.exit_code, fake.machines.runs) == (0, [])
    assert (found["apiVersion"], found["kind"]) == ("ceph.rook.io/v1", "CephCluster")
    assert found["metadata"] == {"name": "test", "namespace": "rook-ceph"}
    assert found["status"]["phase"] == "Ready"


def test_the_status_is_a_table_for_people(built):
    result = built("status", "-f", "F")

    assert result.exit_code == 0
    for text in ("NAMESPACE", "PHASE", "HEALTH_OK", "Ready=True", "20.2.4"):
        assert text in result.stdout


def test_the_status_is_yaml(built):
    assert yaml.safe_load(built("status", "-o", "yaml").stdout)["status"]["state"] == "Created"


def test_a_status_with_an_inventory_looks_first(built, fake):
    fake.machines.machines["store-3"].units["mon.c"].active = "failed"
    fake.machines.runs.clear()

    result = built("status", "-f", "F", "-i", "I", "-o", "json")

    assert fake.machines.runs == ["facts.yml"]
    assert result.exit_code == 0
    assert json.loads(result.stdout)["status"]["message"] == (
        "no run is at work; `orchestrator run` goes on with this: Configuring Ceph Mons"
    )


def test_health_is_waited_for_and_1_if_it_does_not_come(built, fake, monkeypatch):
    assert built("status", "-f", "F", "-i", "I", "--wait", "5").exit_code == 0

    for machine in fake.machines.machines.values():
        for unit in machine.units.values():
            unit.active = "failed"
    assert built("status", "-f", "F", "-i", "I", "--wait", "0.01").exit_code == 1


def test_a_cluster_of_which_nothing_is_known_is_1(orchestrator):
    result = orchestrator("status", "-f", "F")

    assert result.exit_code == 1
    assert result.stderr == (
        "Error: nothing is known of rook-ceph/test here; run `orchestrator run`, or give -i\n"
    )


def test_which_cluster_is_asked_when_there_are_several(built, tmp_path):
    files.StatusFile(home(tmp_path)).put(ClusterKey("a", "b"), {"phase": "Ready"})

    result = built("status")

    assert result.exit_code == 2
    assert "clusters known here: a/b, rook-ceph/test; name the manifest with -f" in result.stderr


def test_the_status_lists_the_devices_too(built):
    found = yaml.safe_load(built("status", "-f", "F", "-o", "yaml").stdout)

    storage = found["status"]["storage"]
    assert storage["deviceCounts"] == {"osd": 3, "selected": 0, "skipped": 0}
    assert [one["state"] for one in storage["devices"]] == ["osd.0", "osd.1", "osd.2"]
