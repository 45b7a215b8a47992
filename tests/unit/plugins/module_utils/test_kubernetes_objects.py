"""The objects of mons and mgrs, and what daemons share, by Rook's names (ROOK-COMPAT 1 to 4)."""

from dataclasses import replace

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_mgr,
    kubernetes_mon,
    kubernetes_pod,
    kubernetes_scheduling,
)

from tests.fakes.deployments import FSID, cluster, deployments, mon, pod


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
    found = kubernetes_scheduling.placement(cluster(placement=placement), "mon")
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


@pytest.mark.parametrize(
    ("count", "managed", "lost"), [(3, True, 1), (5, True, 2), (2, True, None), (3, False, None)]
)
def test_a_budget_keeps_drains_from_the_quorum(count, managed, lost):
    spec = {"disruptionManagement": {"managePodBudgets": managed}}
    found = kubernetes_mon.budget(cluster(**spec), "policy/v1", count)
    assert (found["spec"]["maxUnavailable"] if found else None) == lost


LOGS = {"logCollector": {"enabled": True, "periodicity": "24h", "maxLogSize": "250M"}}


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
