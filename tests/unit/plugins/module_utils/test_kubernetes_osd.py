"""The Deployment of an OSD, its resources and its restarts (ROOK-COMPAT 4)."""

import hashlib
import json
import os
import subprocess
import time

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_osd,
    kubernetes_pod,
)

from orchestrator.model import kube_names
from tests.fakes.deployments import FSID, cluster, mon, osd, pod
from tests.waiting import eventually


def test_an_osd_is_rooks_deployment():
    built = osd()
    assert built["metadata"]["name"] == "rook-ceph-osd-3"
    assert built["spec"]["selector"]["matchLabels"] == {
        "app": "rook-ceph-osd",
        "ceph-osd-id": "3",
        "rook_cluster": "rook-ceph",
    }
    steps = pod(built)["initContainers"]
    assert [one["name"] for one in steps] == [
        "activate",
        "expand-bluefs",
        "chown-container-data-dir",
    ]
    assert steps[0]["command"] == ["python3", "-c", "print()"]
    assert steps[0]["args"] == ["--id=3"]
    labels = built["metadata"]["labels"]
    assert labels["topology-location-rack"] == "r1"
    assert labels["device-class"] == "ssd"
    assert labels["osd"] == "3"
    data = next(one for one in pod(built)["volumes"] if one["name"] == "activate-osd")
    assert data["hostPath"]["path"] == f"/var/lib/rook/rook-ceph/{FSID}_u-3"
    environment = {one["name"]: one.get("value") for one in pod(built)["containers"][0]["env"]}
    assert environment["ROOK_OSD_UUID"] == "u-3"
    assert environment["ROOK_BLOCK_PATH"] == "/dev/sdb"
    assert environment["ROOK_CV_MODE"] == "raw"


def test_what_an_osd_reads_at_its_start_makes_new_pods():
    template = osd()["spec"]["template"]
    assert template["metadata"]["annotations"]["orchestrator.ceph.io/restart-on"]


def test_resources_of_a_device_class_go_first():
    built = osd(resources={"osd": {"limits": {"memory": "4Gi"}}, "osd-ssd": {"limits": {"cpu": 2}}})
    assert pod(built)["containers"][0]["resources"] == {"limits": {"cpu": 2}}


def test_node_names_of_any_length_keep_to_rooks_rule():
    assert kubernetes_cluster.named("rook-ceph-osd-{}-status", "node-1") == (
        "rook-ceph-osd-node-1-status"
    )
    name = kubernetes_cluster.named("rook-ceph-osd-{}-status", "n" * 60)
    assert name == "rook-ceph-osd-fb886b452111b2edc8985b277de18e68-status"


@pytest.mark.parametrize("node", ["Server1", "rack_1", "a.-b", "a-"])
def test_node_names_that_no_object_can_have_are_hashed_as_long_ones_are(node):
    hashed = hashlib.sha256(node.encode()).hexdigest()[:32]
    assert kubernetes_cluster.named("local-device-{}", node) == f"local-device-{hashed}"
    assert kube_names.object_name("local-device-{}", node) == f"local-device-{hashed}"
    assert kube_names.job_name("prepare-{}", node) == f"prepare-{hashed}"


def test_the_status_map_of_a_node_is_rooks():
    told = {"id": 3, "osd_uuid": "u-3", "path": "/dev/sdb", "crush_location": "root=default"}
    found = kubernetes_osd.status_map(cluster(), "node-1", [told])
    assert found["metadata"]["name"] == "rook-ceph-osd-node-1-status"
    assert found["metadata"]["labels"]["status"] == "provisioning"
    status = json.loads(found["data"]["status"])
    assert status["status"] == "completed"
    assert status["osds"][0]["uuid"] == "u-3"
    assert status["osds"][0]["lv-mode"] == "raw"


def test_resources_of_a_node_go_before_those_of_a_device_class():
    limits = {"limits": {"memory": "8Gi"}}
    nodes = [{"name": "node-2"}, {"name": "node-1", "resources": limits}]
    common = {"limits": {"cpu": 2, "memory": "4Gi"}, "requests": {"cpu": 1}}
    built = osd(storage={"nodes": nodes}, resources={"osd-ssd": common})
    assert pod(built)["containers"][0]["resources"] == {
        "limits": {"cpu": 2, "memory": "8Gi"},
        "requests": {"cpu": 1},
    }
    assert pod(osd(storage={"nodes": nodes}))["containers"][0]["resources"] == limits
    elsewhere = osd(storage={"nodes": [{"name": "node-2", "resources": limits}]})
    assert pod(elsewhere)["containers"][0]["resources"] == {}


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ({"nodes": [{"name": "Node-1.example.com"}]}, "8Gi"),
        ({"nodes": [{"name": "node-1.other.example"}, {"name": "node-1"}]}, "9Gi"),
        ({"nodes": [{"name": "node-1"}], "useAllNodes": True}, None),
    ],
    ids=["full", "exact", "all-nodes"],
)
def test_a_node_is_meant_as_for_its_disks(storage, expected):
    nodes = [
        {**one, "resources": {"limits": {"memory": f"{8 + place}Gi"}}}
        for place, one in enumerate(storage["nodes"])
    ]
    found = pod(osd(storage={**storage, "nodes": nodes}))["containers"][0]["resources"]
    assert (found.get("limits") or {}).get("memory") == expected


FLAPPING = {"storage": {"flappingRestartIntervalHours": 2}}


def test_an_osd_that_flaps_may_pause():
    container = pod(osd(**FLAPPING))["containers"][0]
    assert container["command"][:2] == ["sh", "-c"]
    assert {"name": "FLAPPING_SECONDS", "value": "7200"} in container["env"]
    assert pod(osd())["containers"][0]["command"] == ["ceph-osd"]
    plain = kubernetes_pod.settings(cluster(), "osd")
    assert kubernetes_pod.settings(cluster(**FLAPPING), "osd") != plain
    assert kubernetes_pod.settings(cluster(**FLAPPING), "mon") == kubernetes_pod.settings(
        cluster(), "mon"
    )


@pytest.mark.parametrize(("program", "code", "seconds"), [("exit 0", 0, 1.0), ("exit 3", 3, 0.0)])
def test_the_pause_is_made_after_an_end_without_an_error_alone(tmp_path, program, code, seconds):
    script = pod(osd(**FLAPPING))["containers"][0]["command"][2]
    found, took = flapped(tmp_path, script, program)
    assert (found.wait(timeout=20), took() >= seconds) == (code, True)


def test_whoever_stops_a_pod_need_not_wait_for_the_osds_pause(tmp_path):
    script = pod(osd(**FLAPPING))["containers"][0]["command"][2]
    found, took = flapped(tmp_path, script, "echo up >up; exec sleep 30")
    eventually((tmp_path / "up").exists)
    found.terminate()
    found.wait(timeout=20)
    assert took() < 20


def flapped(folder, script, program):
    (folder / "ceph-osd").write_text(f"#!/bin/sh\n{program}\n")
    (folder / "ceph-osd").chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}", "FLAPPING_SECONDS": "1"}
    start = time.monotonic()
    found = subprocess.Popen(["sh", "-c", script, "ceph-osd"], cwd=folder, env=path)
    return found, lambda: time.monotonic() - start


def test_osds_have_the_variables_of_rooks_config_map_and_no_other_daemon_has():
    wanted = [{"configMapRef": {"name": "rook-ceph-osd-env-override", "optional": True}}]
    steps = [*pod(osd())["initContainers"], *pod(osd())["containers"]]
    assert [one["name"] for one in steps if one.get("envFrom") == wanted] == ["activate", "osd"]
    assert not any("envFrom" in one for one in pod(mon())["containers"])


def test_osds_of_a_node_may_have_a_configuration_of_their_own():
    own = kubernetes_pod.conf_map("node-1", {"rook-config-override-node-1"})
    daemon = {"type": "osd", "id": "3", "osd_uuid": "u-3", "before_start": [], "conf_map": own}
    built = kubernetes_osd.deployment(cluster(), daemon, FSID, "node-1", {})
    assert kubernetes_pod.mounted_conf(pod(built)) == "rook-config-override-node-1"
    assert kubernetes_pod.mounted_conf(pod(osd())) == "rook-config-override"
    assert kubernetes_pod.conf_map("node-2", {own}) == "rook-config-override"
    plain = {"volumes": [{"name": "rook-config-override", "configMap": {"name": "other"}}]}
    assert kubernetes_pod.mounted_conf(plain) == "other"
    assert kubernetes_pod.mounted_conf({}) == ""
