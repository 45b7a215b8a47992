"""The CronJob that removes old reports of crashes, by Rook's names."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_pruner,
)


def cluster(**spec):
    told = {"crashCollector": {"daysToRetain": 30}, "cephVersion": {"image": "ceph:20"}, **spec}
    raw = {"metadata": {"name": "c", "namespace": "ns", "uid": "u-1"}, "spec": told}
    return kubernetes_cluster.parse(raw)


def job(version="batch/v1", **spec):
    return kubernetes_pruner.job(cluster(**spec), version, "r")


def pod(made):
    return made["spec"]["jobTemplate"]["spec"]["template"]["spec"]


def test_it_is_rooks():
    made = job()
    assert (made["apiVersion"], made["kind"]) == ("batch/v1", "CronJob")
    assert made["metadata"]["name"] == "rook-ceph-crashcollector-pruner"
    assert made["metadata"]["labels"] == {
        "app": "rook-ceph-crashcollector-pruner",
        "rook_cluster": "ns",
    }
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], owner["controller"]) == ("CephCluster", "u-1", True)
    assert made["spec"]["schedule"] == "0 0 * * *"
    (container,) = pod(made)["containers"]
    assert container["image"] == "ceph:20"
    assert container["command"] == ["ceph", "-n", "client.crash", "crash", "prune"]
    assert container["args"] == ["30"]
    assert {"name": "CEPH_ARGS", "value": WAY} in container["env"]


WAY = "-m $(ROOK_CEPH_MON_HOST) -k /etc/ceph/keyring-store/keyring"


def test_it_has_its_own_key_and_nothing_of_a_node():
    volumes = pod(job())["volumes"]
    assert not any("hostPath" in one for one in volumes)
    names = [one["name"] for one in volumes]
    assert names == ["rook-config-override", "rook-ceph-crash-collector-keyring"]
    mounted = [one["name"] for one in pod(job())["containers"][0]["volumeMounts"]]
    assert mounted == names
    assert pod(job())["containers"][0]["securityContext"]["privileged"] is False


def test_it_bears_what_daemons_bear_and_goes_where_the_network_is():
    placement = {"osd": {"tolerations": [{"key": "storage", "operator": "Exists"}]}}
    made = pod(job(placement=placement, network={"provider": "host"}))
    assert made["tolerations"] == placement["osd"]["tolerations"]
    assert made["hostNetwork"] is True
    assert "hostNetwork" not in pod(job())


def told(live, **spec):
    return kubernetes_pruner.told(cluster(**spec), live)


def test_one_as_it_is_to_be_needs_nothing():
    found = told(kubernetes_drift.marked(job()))
    assert (found["record"], found["active"], found["drifted"]) == ("r", "active", [])
    assert told(kubernetes_drift.marked(job("batch/v1beta1")))["drifted"] == []
    assert told(None)["record"] == ""


@pytest.mark.parametrize(
    "spec", [{"crashCollector": {"daysToRetain": 7}}, {"cephVersion": {"image": "ceph:21"}}]
)
def test_another_manifest_changes_it(spec):
    (text,) = told(kubernetes_drift.marked(job()), **spec)["drifted"]
    assert text.startswith("CronJob rook-ceph-crashcollector-pruner differs: spec.jobTemplate")


def test_one_that_is_to_be_left_alone_is():
    live = kubernetes_drift.marked(job())
    live["metadata"]["labels"]["ceph.rook.io/do-not-reconcile"] = "true"
    assert told(live, crashCollector={"daysToRetain": 7})["drifted"] == []
