"""What a node runs beside its daemons, by Rook's names (ROOK-COMPAT 1, 3 and 4)."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_services,
)

KEYRINGS = frozenset({"rook-ceph-crash-collector-keyring", "rook-ceph-exporter-keyring"})


def cluster(**spec):
    raw = {
        "metadata": {"name": "my-cluster", "namespace": "rook-ceph", "uid": "u-1"},
        "spec": {"cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"}, **spec},
    }
    return kubernetes_cluster.parse(raw)


def pod(built):
    return built["spec"]["template"]["spec"]


def built(name, node="node-1", **spec):
    return kubernetes_services.deployment(cluster(**spec), name, node, "r1")


def test_the_collector_of_crashes_is_rooks_deployment():
    found = built("crash")
    assert found["metadata"]["name"] == "rook-ceph-crashcollector-node-1"
    labels = found["metadata"]["labels"]
    assert (labels["app"], labels["crashcollector"], labels["ceph_daemon_id"]) == (
        "rook-ceph-crashcollector",
        "crash",
        "crash",
    )
    assert (labels["node_name"], labels["rook_cluster"]) == ("node-1", "rook-ceph")
    assert "rook_cluster" not in found["spec"]["selector"]["matchLabels"]
    assert [one["name"] for one in pod(found)["initContainers"]] == [
        "make-container-crash-dir",
        "chown-container-data-dir",
    ]
    (container,) = pod(found)["containers"]
    assert (container["name"], container["command"]) == ("ceph-crash", ["ceph-crash"])
    environment = {one["name"]: one.get("value") for one in container["env"]}
    assert environment["CEPH_ARGS"] == (
        "-m $(ROOK_CEPH_MON_HOST) -k /etc/ceph/keyring-store/keyring"
    )
    assert {"rook-ceph-crash-collector-keyring", "rook-ceph-crash"} <= {
        one["name"] for one in pod(found)["volumes"]
    }
    assert pod(found)["nodeSelector"] == {"kubernetes.io/hostname": "node-1"}
    assert not container["securityContext"]["privileged"]


def test_the_exporter_is_rooks_deployment_behind_one_service():
    found = built("exporter")
    assert found["metadata"]["name"] == "rook-ceph-exporter-node-1"
    (container,) = pod(found)["containers"]
    assert container["command"] == ["ceph-exporter"]
    assert container["args"] == [
        *("--sock-dir", "/run/ceph", "--port", "9926"),
        *("--prio-limit", "5", "--stats-period", "5"),
    ]
    assert found["spec"]["template"]["metadata"]["annotations"] == {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "9926",
    }
    (service,) = kubernetes_services.services(cluster(), "exporter")
    assert service["metadata"]["name"] == "rook-ceph-exporter"
    assert service["spec"]["selector"] == {"app": "rook-ceph-exporter", "rook_cluster": "rook-ceph"}
    assert service["spec"]["ports"][0]["name"] == "ceph-exporter-http-metrics"
    assert service["spec"]["ports"][0]["port"] == 9926
    assert kubernetes_services.services(cluster(), "crash") == []


def test_the_manifest_says_where_and_how_the_exporter_serves():
    asked = {"port": 9999, "perfCountersPrioLimit": 0, "statsPeriodSeconds": 9, "hostNetwork": True}
    found = built("exporter", monitoring={"exporter": asked}, network={"ipFamily": "IPv6"})
    assert pod(found)["hostNetwork"] is True
    assert pod(found)["containers"][0]["args"][2:] == [
        *("--port", "9999", "--prio-limit", "0", "--stats-period", "9", "--addrs", "::")
    ]
    assert "hostNetwork" not in pod(built("crash", monitoring={"exporter": asked}))
    own = built("exporter", annotations={"exporter": {"a": "b"}})
    assert own["spec"]["template"]["metadata"]["annotations"] == {"a": "b"}


@pytest.mark.parametrize(("name", "key"), [("crash", "crashcollector"), ("exporter", "exporter")])
def test_each_has_rooks_key_of_its_own_in_the_manifest(name, key):
    limits = {"limits": {"memory": "60Mi"}}
    spec = {
        "resources": {key: limits},
        "labels": {"all": {"a": "1"}, key: {"b": "2"}},
        "priorityClassNames": {"all": "low", key: "high"},
    }
    found = built(name, **spec)
    assert pod(found)["containers"][0]["resources"] == limits
    assert all(one["resources"] == limits for one in pod(found)["initContainers"])
    assert pod(found)["priorityClassName"] == "high"
    assert {"a": "1", "b": "2"}.items() <= found["metadata"]["labels"].items()


def test_it_bears_what_any_daemon_bears():
    one, other = {"key": "one"}, {"key": "other"}
    placement = {
        "mon": {"tolerations": [one]},
        "osd": {"tolerations": [one, other], "nodeAffinity": {"a": 1}},
    }
    found = pod(built("crash", placement=placement))
    assert found["tolerations"] == [one, other]
    assert "affinity" not in found
    assert "tolerations" not in pod(built("crash"))


def test_a_node_of_a_long_name_is_named_by_rooks_hash():
    found = built("crash", node="n" * 70)
    name = found["metadata"]["name"]
    assert len(name) <= 63
    assert name.startswith("rook-ceph-crashcollector-")
    assert all(len(value) <= 63 for value in found["metadata"]["labels"].values())


def live(*objects):
    return {(one["kind"], one["metadata"]["name"]): kubernetes_drift.marked(one) for one in objects}


def seen(objects, **spec):
    found = kubernetes_services.of_node(cluster(**spec), "node-1", objects, KEYRINGS)
    return {one["name"]: one for one in found}


def made(**spec):
    (service,) = kubernetes_services.services(cluster(**spec), "exporter")
    return live(built("crash", **spec), built("exporter", **spec), service)


def test_a_service_that_is_as_it_should_be_needs_nothing():
    found = seen(made())
    assert list(found) == ["crash", "exporter"]
    for one in found.values():
        assert (one["installed"], one["active"], one["enabled"]) == (True, "active", True)
        assert (one["record"], one["drifted"], one["keyring"]) == ("r1", [], True)


def test_a_service_that_is_not_there_is_not_running():
    found = seen({})
    assert set(found) == {"crash", "exporter"}
    for one in found.values():
        assert (one["active"], one["enabled"], one["record"], one["drifted"]) == ("", False, "", [])


def test_another_manifest_and_an_edit_are_told():
    changed = seen(made(), resources={"crashcollector": {"limits": {"cpu": 1}}})
    assert changed["crash"]["drifted"][0].startswith(
        "Deployment rook-ceph-crashcollector-node-1 differs: spec.template.spec.initContainers[0]"
    )
    assert changed["exporter"]["drifted"] == []
    less = seen(made(labels={"all": {"a": "1"}}))
    note = "metadata.annotations.orchestrator.ceph.io/last-applied"
    assert less["crash"]["drifted"] == [
        f"Deployment rook-ceph-crashcollector-node-1 differs: {note}"
    ]
    objects = made()
    del objects["Service", "rook-ceph-exporter"]
    objects["Deployment", "rook-ceph-exporter-node-1"]["spec"]["replicas"] = 0
    assert seen(objects)["exporter"]["drifted"] == [
        "Deployment rook-ceph-exporter-node-1 differs: spec.replicas",
        "Service rook-ceph-exporter: missing",
    ]


def test_what_is_to_be_left_alone_is():
    objects = made()
    exporter = objects["Deployment", "rook-ceph-exporter-node-1"]
    exporter["spec"]["replicas"] = 0
    exporter["metadata"]["labels"]["ceph.rook.io/do-not-reconcile"] = "true"
    assert seen(objects)["exporter"]["drifted"] == []


def test_a_program_that_the_image_lacks_is_told():
    found = kubernetes_services.of_node(cluster(), "node-1", {}, KEYRINGS, ("ceph-crash",))
    assert {one["name"]: one["installed"] for one in found} == {"crash": True, "exporter": False}
