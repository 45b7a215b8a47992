"""Deployments of Rook's are noted as kept, and their pods go on running."""

import copy
import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_adoption,
    kubernetes_cluster,
    kubernetes_daemons,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_mon,
)

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
NODE = {"key": "storage", "operator": "Exists"}


def raw(**spec):
    return {
        "metadata": {"name": "my-cluster", "namespace": "rook-ceph", "uid": "u-1"},
        "spec": {"cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"}, **spec},
    }


def wanted(**spec):
    cluster = kubernetes_cluster.parse(raw(**spec))
    daemon = {"type": "mon", "id": "a", "record": "r1"}
    return kubernetes_mon.deployment(cluster, daemon, FSID, "10.96.0.11", "node-1")


def rooks(**spec):
    """The same mon as Rook writes it: no note of ours, and some things of its own."""
    live = copy.deepcopy(wanted(**spec))
    live["metadata"]["annotations"] = {"banzaicloud.com/last-applied": "UEsDBA=="}
    live["metadata"]["labels"]["rook-version"] = "v1.20.1"
    live["metadata"] |= {"uid": "u-9", "resourceVersion": "7", "managedFields": [{}]}
    pod = live["spec"]["template"]["spec"]
    pod["tolerations"] = [*pod.get("tolerations", []), NODE]
    pod["initContainers"][1]["command"] = ["ceph-mon"]
    pod["initContainers"][1]["args"].append("--mkfs")
    live["status"] = {"replicas": 1}
    return live


def test_what_we_wrote_is_no_stranger():
    assert kubernetes_adoption.is_strange(rooks())
    assert not kubernetes_adoption.is_strange(wanted())


def test_pods_that_are_as_asked_are_noted_as_such_and_not_touched():
    live = rooks()
    before = copy.deepcopy(live)
    adopted = kubernetes_adoption.adopted(live, wanted(), "mon")
    assert live == before
    assert adopted["spec"] == live["spec"]
    assert adopted["metadata"]["labels"] == live["metadata"]["labels"]
    assert adopted["metadata"]["resourceVersion"] == "7"
    assert "status" not in adopted
    notes = adopted["metadata"]["annotations"]
    ours = wanted()["metadata"]["annotations"]
    assert {name: notes[name] for name in ours} == ours
    assert notes["banzaicloud.com/last-applied"] == "UEsDBA=="
    assert not kubernetes_adoption.is_strange(adopted)


def test_an_adopted_mon_asks_for_nothing_and_its_later_edit_is_seen():
    adopted = kubernetes_adoption.adopted(rooks(), wanted(), "mon")
    assert seen(adopted) == {"record": "r1", "drifted": []}
    adopted["spec"]["replicas"] = 0
    assert seen(adopted)["drifted"] == ["Deployment rook-ceph-mon-a was edited: spec.replicas"]


def seen(live, **spec):
    known = kubernetes_daemons.Known(
        cluster=kubernetes_cluster.parse(raw(**spec)),
        identity=kubernetes_identity.Identity(fsid=FSID),
        mons=kubernetes_identity.MonMap(),
        deployments=[live],
    )
    (found,) = kubernetes_daemons.of_node(known, "node-1", first=False)
    return {name: found[name] for name in ("record", "drifted")}


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({"cephVersion": {"image": "quay.io/ceph/ceph:v20.2.5"}}, ["image"]),
        ({"network": {"provider": "host"}}, ["hostNetwork"]),
        ({"resources": {"mon": {"limits": {"memory": "2Gi"}}}}, ["resources"]),
        ({"priorityClassNames": {"mon": "high"}}, ["priorityClassName"]),
        ({"placement": {"mon": {"tolerations": [{"key": "x"}]}}}, ["tolerations"]),
        (
            {"placement": {"all": {"nodeAffinity": {"requiredDuring": {"nodeSelectorTerms": []}}}}},
            ["nodeAffinity"],
        ),
    ],
)
def test_what_the_manifest_asks_otherwise_makes_new_pods_at_the_next_look(spec, named):
    asked = wanted(**spec)
    assert kubernetes_adoption.differences(rooks(), asked, "mon") == named
    adopted = kubernetes_adoption.adopted(rooks(), asked, "mon")
    assert adopted["spec"] == rooks()["spec"]
    assert seen(adopted, **spec)["record"] == f"r1.{kubernetes_daemons.STALE}"


def test_resources_that_the_manifest_gave_up_are_a_difference_and_other_words_are_none():
    limited = {"resources": {"mon": {"limits": {"cpu": "0.5"}}}}
    assert kubernetes_adoption.differences(rooks(**limited), wanted(), "mon") == ["resources"]
    same = {"resources": {"mon": {"limits": {"cpu": "500m"}}}}
    assert kubernetes_adoption.differences(rooks(**limited), wanted(**same), "mon") == []


def test_the_note_is_what_was_found():
    adopted = kubernetes_adoption.adopted(rooks(), wanted(), "mon")
    text = adopted["metadata"]["annotations"][kubernetes_cluster.APPLIED]
    assert json.loads(text)["spec"] == rooks()["spec"]
    assert kubernetes_drift.edited(adopted) == []
