"""The objects of daemons, by Rook's names (ROOK-COMPAT 1 to 4)."""

import json
import os
import subprocess
import time
from dataclasses import replace

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_desired,
    kubernetes_identity,
    kubernetes_mgr,
    kubernetes_mon,
    kubernetes_osd,
    kubernetes_pod,
)

from tests.waiting import eventually

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


def test_a_mon_is_rooks_deployment():
    built = mon()
    assert built["metadata"]["name"] == "rook-ceph-mon-a"
    assert built["spec"]["strategy"] == {"type": "Recreate"}
    assert built["spec"]["selector"]["matchLabels"] == {
        "app": "rook-ceph-mon",
        "ceph_daemon_id": "a",
        "mon": "a",
        "mon_cluster": "rook-ceph",
        "rook_cluster": "rook-ceph",
    }
    names = [one["name"] for one in pod(built)["initContainers"]]
    assert names == ["chown-container-data-dir", "init-mon-fs"]
    (container,) = pod(built)["containers"]
    assert container["name"] == "mon"
    assert "--public-addr=10.96.0.11" in container["args"]
    assert "--public-bind-addr=$(ROOK_POD_IP)" in container["args"]
    assert "--setuser-match-path=/var/lib/ceph/mon/ceph-a/store.db" in container["args"]
    assert pod(built)["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}
    paths = {
        one["name"]: one["hostPath"]["path"] for one in pod(built)["volumes"] if "hostPath" in one
    }
    assert paths == {
        "ceph-daemon-data": "/var/lib/rook/mon-a/data",
        "ceph-daemons-sock-dir": "/var/lib/rook/exporter",
        "rook-ceph-crash": "/var/lib/rook/rook-ceph/crash",
        "rook-ceph-log": "/var/lib/rook/rook-ceph/log",
    }


def test_labels_that_are_new_are_in_no_selector():
    built = mon()
    labels, selector = built["metadata"]["labels"], built["spec"]["selector"]["matchLabels"]
    assert labels["app.kubernetes.io/part-of"] == "my-cluster"
    assert labels["ceph_daemon_type"] == "mon"
    assert labels["mon_daemon"] == "true"
    assert not {"ceph_daemon_type", "mon_daemon", "app.kubernetes.io/name"} & set(selector)


def test_what_the_cluster_owns_goes_with_it():
    (owner,) = mon()["metadata"]["ownerReferences"]
    assert owner["kind"] == "CephCluster"
    assert owner["controller"] is True
    (plain,) = kubernetes_mon.service(cluster(), "a")["metadata"]["ownerReferences"]
    assert "controller" not in plain


def test_on_the_hosts_network_a_mon_binds_to_its_address():
    built = mon(network={"provider": "host"})
    assert pod(built)["hostNetwork"] is True
    assert pod(built)["dnsPolicy"] == "ClusterFirstWithHostNet"
    arguments = pod(built)["containers"][0]["args"]
    assert not [one for one in arguments if one.startswith("--public-bind-addr")]


def test_the_service_of_a_mon_keeps_its_address():
    built = kubernetes_mon.service(cluster(), "b", "10.96.0.12")
    assert built["metadata"]["name"] == "rook-ceph-mon-b"
    assert built["spec"]["clusterIP"] == "10.96.0.12"
    assert [one["name"] for one in built["spec"]["ports"]] == ["tcp-msgr1", "tcp-msgr2"]
    only = kubernetes_mon.service(cluster(network={"connections": {"requireMsgr2": True}}), "b")
    assert [one["port"] for one in only["spec"]["ports"]] == [3300]


def test_the_services_of_mgrs_follow_the_active_one():
    found = kubernetes_mgr.services(cluster(dashboard={"enabled": True, "ssl": True}))
    assert [one["metadata"]["name"] for one in found] == [
        "rook-ceph-mgr",
        "rook-ceph-mgr-dashboard",
    ]
    assert all(one["spec"]["selector"]["mgr_role"] == "active" for one in found)
    assert found[1]["spec"]["ports"][0] == {
        "name": "https-dashboard",
        "port": 8443,
        "targetPort": 8443,
        "protocol": "TCP",
    }


@pytest.mark.parametrize(
    ("dashboard", "port", "inside"),
    [
        ({"enabled": True}, 7000, 7000),
        ({"enabled": True, "port": 80}, 80, 7000),
        ({"enabled": True, "ssl": True, "port": 443}, 443, 8443),
        ({"enabled": True, "ssl": True, "port": 9000}, 9000, 9000),
    ],
)
def test_a_low_port_of_the_dashboard_is_the_services_alone(dashboard, port, inside):
    service = kubernetes_mgr.services(cluster(dashboard=dashboard))[1]
    (found,) = service["spec"]["ports"]
    assert (found["port"], found["targetPort"]) == (port, inside)


LOST = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ([], [{**LOST, "tolerationSeconds": 5}]),
        ([{"key": "x"}], [{"key": "x"}, {**LOST, "tolerationSeconds": 5}]),
        ([{**LOST, "tolerationSeconds": 60}], [{**LOST, "tolerationSeconds": 60}]),
    ],
)
def test_a_mgr_leaves_a_lost_node_after_seconds_unless_the_manifest_says_otherwise(asked, wanted):
    placed = cluster(placement={"mgr": {"tolerations": asked}})
    made = kubernetes_mgr.deployment(placed, {"type": "mgr", "id": "a"}, FSID, "node-1")
    assert pod(made)["tolerations"] == wanted


def test_only_several_mgrs_watch_who_is_active():
    daemon = {"type": "mgr", "id": "a"}
    one = kubernetes_mgr.deployment(cluster(mgr={"count": 1}), daemon, FSID, "node-1", "text")
    two = kubernetes_mgr.deployment(cluster(mgr={"count": 2}), daemon, FSID, "node-1", "text")
    assert [container["name"] for container in pod(one)["containers"]] == ["mgr"]
    assert [container["name"] for container in pod(two)["containers"]] == ["mgr", "watch-active"]
    assert one["spec"]["template"]["metadata"]["labels"]["mgr_role"] == "active"
    assert "mgr_role" not in one["spec"]["selector"]["matchLabels"]


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


def test_a_probe_can_be_changed_and_turned_off():
    spec = {"healthCheck": {"livenessProbe": {"mon": {"disabled": True}}, "startupProbe": {}}}
    container = pod(mon(**spec))["containers"][0]
    assert "livenessProbe" not in container
    assert container["startupProbe"]["failureThreshold"] == 6
    spec = {"healthCheck": {"livenessProbe": {"mon": {"probe": {"periodSeconds": 33}}}}}
    assert pod(mon(**spec))["containers"][0]["livenessProbe"]["periodSeconds"] == 33


def test_placement_of_a_kind_goes_before_that_of_all_and_tolerations_add():
    placement = {
        "all": {"nodeAffinity": {"a": 1}, "tolerations": [{"key": "x"}]},
        "mon": {"nodeAffinity": {"b": 2}, "tolerations": [{"key": "y"}]},
    }
    found = kubernetes_pod.placement(cluster(placement=placement), "mon")
    assert found["affinity"]["nodeAffinity"] == {"b": 2}
    assert found["tolerations"] == [{"key": "x"}, {"key": "y"}]


@pytest.mark.parametrize("kind", ["mon", "mgr", "osd"])
def test_settings_that_shape_pods_have_another_hash(kind):
    plain = kubernetes_pod.settings(cluster(), kind)
    assert kubernetes_pod.settings(cluster(), kind) == plain
    other = cluster(cephVersion={"image": "quay.io/ceph/ceph:v21"})
    assert kubernetes_pod.settings(other, kind) != plain
    placed = cluster(placement={kind: {"tolerations": [{"key": "x"}]}})
    assert kubernetes_pod.settings(placed, kind) != plain
    unrelated = cluster(storage={"useAllNodes": True})
    assert kubernetes_pod.settings(unrelated, kind) == plain


def test_node_names_of_any_length_keep_to_rooks_rule():
    assert kubernetes_cluster.named("rook-ceph-osd-{}-status", "node-1") == (
        "rook-ceph-osd-node-1-status"
    )
    name = kubernetes_cluster.named("rook-ceph-osd-{}-status", "n" * 60)
    assert name == "rook-ceph-osd-fb886b452111b2edc8985b277de18e68-status"


def test_the_status_map_of_a_node_is_rooks():
    told = {"id": 3, "osd_uuid": "u-3", "path": "/dev/sdb", "crush_location": "root=default"}
    found = kubernetes_osd.status_map(cluster(), "node-1", [told])
    assert found["metadata"]["name"] == "rook-ceph-osd-node-1-status"
    assert found["metadata"]["labels"]["status"] == "provisioning"
    status = json.loads(found["data"]["status"])
    assert status["status"] == "completed"
    assert status["osds"][0]["uuid"] == "u-3"
    assert status["osds"][0]["lv-mode"] == "raw"


def test_the_identity_is_rooks_secrets():
    first, mons, admin = kubernetes_identity.identity(cluster(), FSID, "MONKEY", "ADMINKEY")
    assert [one["metadata"]["name"] for one in (first, mons, admin)] == [
        "rook-ceph-mon",
        "rook-ceph-mons-keyring",
        "rook-ceph-admin-keyring",
    ]
    assert {one["type"] for one in (first, mons, admin)} == {"kubernetes.io/rook"}
    assert first["metadata"]["finalizers"] == ["ceph.rook.io/disaster-protection"]
    assert set(first["data"]) == {"fsid", "mon-secret", "ceph-username", "ceph-secret"}
    assert mons["metadata"]["annotations"] == {"cephx-keyring": ""}
    assert "[mon.]" in kubernetes_identity.values(mons)["keyring"]
    held = kubernetes_identity.read_identity(first)
    assert (held.fsid, held.mon_key, held.admin_key) == (FSID, "MONKEY", "ADMINKEY")
    assert "MONKEY" not in repr(held)


def test_the_old_form_of_the_secret_is_read():
    old = kubernetes_identity.secret(
        cluster(), "rook-ceph-mon", {"fsid": FSID, "mon-secret": "M", "admin-secret": "A"}
    )
    assert kubernetes_identity.read_identity(old).admin_key == "A"


def test_a_restricted_user_is_no_admin():
    stored = kubernetes_identity.secret(
        cluster(),
        "rook-ceph-mon",
        {
            "fsid": FSID,
            "mon-secret": "mon-secret",
            "admin-secret": "admin-secret",
            "ceph-username": "client.healthchecker",
            "ceph-secret": "K",
        },
    )
    held = kubernetes_identity.read_identity(stored)
    assert (held.user, held.user_key, held.admin_key, held.mon_key) == (
        "client.healthchecker",
        "K",
        "",
        "",
    )


ROOKS_MAP = {
    "data": "b=[fd00::2]:3300,a=10.0.0.1:6789",
    "mapping": '{"node":{"a":{"Name":"n1","Hostname":"node-1","Address":"192.168.1.5"},"b":null}}',
    "maxMonId": "3",
    "outOfQuorum": "b",
}


def test_rooks_map_of_mons_is_read_and_written():
    found = kubernetes_identity.read_map(ROOKS_MAP)
    assert found.formed
    assert found.mons["a"].node == "node-1"
    assert found.mons["a"].addrs == "[v2:10.0.0.1:3300,v1:10.0.0.1:6789]"
    assert found.mons["b"].addrs == "[v2:[fd00::2]:3300]"
    assert kubernetes_identity.mon_host(found) == "[v2:10.0.0.1:3300,v1:10.0.0.1:6789]"
    written = kubernetes_identity.endpoints(cluster(), found)
    assert kubernetes_identity.read_map(written["data"]) == found


def test_a_new_namespace_never_had_a_quorum():
    assert not kubernetes_identity.read_map(None).formed
    assert not kubernetes_identity.read_map({"maxMonId": "-1"}).formed


def test_the_order_of_rooks_lists_says_nothing():
    one = {"mon_host": "[v2:1.1.1.1:3300,v1:1.1.1.1:6789],[v2:2.2.2.2:3300]"}
    other = {"mon_host": "[v2:2.2.2.2:3300],[v2:1.1.1.1:3300,v1:1.1.1.1:6789]"}
    assert kubernetes_identity.same_config(one, other)
    assert not kubernetes_identity.same_config(one, {"mon_host": "[v2:2.2.2.2:3300]"})


@pytest.mark.parametrize(
    ("entity", "name"),
    [
        ("mgr.a", "rook-ceph-mgr-a-keyring"),
        ("client.crash", "rook-ceph-crash-collector-keyring"),
        ("client.ceph-exporter", "rook-ceph-exporter-keyring"),
        ("client.admin", "rook-ceph-admin-keyring"),
        ("mon.", "rook-ceph-mons-keyring"),
    ],
)
def test_keyrings_have_rooks_names(entity, name):
    assert kubernetes_identity.keyring_name(entity) == name


@pytest.mark.parametrize(
    ("count", "managed", "lost"), [(3, True, 1), (5, True, 2), (2, True, None), (3, False, None)]
)
def test_a_budget_keeps_drains_from_the_quorum(count, managed, lost):
    spec = {"disruptionManagement": {"managePodBudgets": managed}}
    found = kubernetes_mon.budget(cluster(**spec), "policy/v1", count)
    assert (found["spec"]["maxUnavailable"] if found else None) == lost


LOGS = {"logCollector": {"enabled": True, "periodicity": "24h", "maxLogSize": "250M"}}


def deployments(**spec):
    mgr = {"type": "mgr", "id": "a"}
    return [
        mon(**spec),
        kubernetes_mgr.deployment(cluster(**spec), mgr, FSID, "node-1"),
        osd(**spec),
    ]


def test_logs_go_to_files_where_they_are_rotated_and_nowhere_else():
    for one in deployments():
        assert "log-collector" not in [each["name"] for each in pod(one)["containers"]]
        assert "--default-log-to-file=false" in pod(one)["containers"][0]["args"]
    limits = {"limits": {"memory": "100Mi"}}
    names = []
    for one in deployments(**LOGS, resources={"logcollector": limits}):
        daemon, collector = pod(one)["containers"]
        assert "--default-log-to-file=true" in daemon["args"]
        assert (collector["name"], collector["resources"]) == ("log-collector", limits)
        name, period, kept, size, _program, socket = collector["command"][4:]
        assert (period, kept, size) == ("daily", "7", "250M")
        assert socket == f"/run/ceph/ceph-{name}.asok"
        names.append(name)
    assert names == ["mon.a", "mgr.a", "osd.3"]


@pytest.mark.parametrize("kind", ["mon", "mgr", "osd"])
def test_rotation_is_a_change_of_the_pods(kind):
    plain = kubernetes_pod.settings(cluster(), kind)
    assert kubernetes_pod.settings(cluster(logCollector={"enabled": False}), kind) == plain
    rotated = kubernetes_pod.settings(cluster(**LOGS), kind)
    weekly = {"logCollector": {**LOGS["logCollector"], "periodicity": "weekly"}}
    assert len({plain, rotated, kubernetes_pod.settings(cluster(**weekly), kind)}) == 3


def test_resources_of_a_node_go_before_those_of_a_device_class():
    limits = {"limits": {"memory": "8Gi"}}
    nodes = [{"name": "node-2"}, {"name": "node-1", "resources": limits}]
    built = osd(storage={"nodes": nodes}, resources={"osd-ssd": {"limits": {"cpu": 2}}})
    assert pod(built)["containers"][0]["resources"] == limits
    elsewhere = osd(storage={"nodes": [{"name": "node-2", "resources": limits}]})
    assert pod(elsewhere)["containers"][0]["resources"] == {}


def test_a_map_that_was_lost_is_told_by_the_mons_deployments():
    kept = kubernetes_identity.recovered([mon(), {**mon(), "metadata": {"labels": {}}}])
    assert kept.mons.keys() == {"a"}
    assert kept.mons["a"] == kubernetes_identity.Mon(
        name="a", address="10.96.0.11", port=6789, node="node-1"
    )
    assert (kept.highest, kept.formed) == (0, True)
    only_new = mon(network={"connections": {"requireMsgr2": True}})
    assert kubernetes_identity.recovered([only_new]).mons["a"].port == 3300
    assert not kubernetes_identity.recovered([]).formed


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


def test_the_operators_settings_shape_the_objects():
    known = replace(
        cluster(), operator={"hostnameLabel": "example.com/machine", "revisionHistoryLimit": 3}
    )
    daemon = {"type": "mon", "id": "a", "record": "r1"}
    built = kubernetes_mon.deployment(known, daemon, FSID, "10.96.0.11", "m-1")
    assert pod(built)["nodeSelector"] == {"example.com/machine": "m-1"}
    assert kubernetes_cluster.pinned(pod(built)) == "m-1"
    (apart,) = pod(built)["affinity"]["podAntiAffinity"].popitem()[1]
    assert apart["topologyKey"] == "example.com/machine"
    assert built["spec"]["revisionHistoryLimit"] == 3
    assert mon()["spec"]["revisionHistoryLimit"] == 0
    assert pod(mon())["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}
