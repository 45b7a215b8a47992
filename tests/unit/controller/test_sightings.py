"""What a watch shows, and what of it is news (CASES C45)."""

import pytest

from orchestrator.controller.sightings import (
    News,
    Sightings,
    cluster_view,
    identity_text,
    node_view,
    owned_view,
    owner_of,
    stops_run,
)
from orchestrator.model.names import ClusterKey


def an_object(name="c1", uid="u1", **more):
    meta = {"name": name, "namespace": "rook-ceph", "uid": uid, "resourceVersion": "90", **more}
    return {"metadata": meta, "status": {}}


def cluster(generation=1, **more):
    return an_object(generation=generation, **more)


@pytest.fixture
def seen():
    return Sightings(cluster_view)


def test_an_object_is_news_once(seen):
    assert seen.seen(cluster()) is News.ADDED
    assert seen.seen(cluster()) is News.NONE


def test_our_own_status_is_no_news(seen):
    seen.seen(cluster())
    written = cluster(resourceVersion="91", managedFields=[{"manager": "us"}])
    written["status"] = {"phase": "Progressing"}

    assert seen.seen(written) is News.NONE


def test_a_finalizer_is_no_news(seen):
    seen.seen(cluster())

    assert seen.seen(cluster(finalizers=["cephcluster.ceph.rook.io"])) is News.NONE


@pytest.mark.parametrize(
    "change",
    [
        {"generation": 2},
        {"deletionTimestamp": "2030-01-01T00:00:00Z"},
        {"labels": {"ceph.rook.io/do-not-reconcile": "true"}},
        {"annotations": {"a": "b"}},
    ],
)
def test_what_people_change_is_news(seen, change):
    seen.seen(cluster())

    assert seen.seen(cluster(**change)) is News.CHANGED


def test_one_made_anew_under_the_same_name_is_another_object(seen):
    seen.seen(cluster(uid="u1"))

    assert identity_text(cluster(uid="u1")) != identity_text(cluster(uid="u9"))
    assert seen.gone(cluster(uid="u1")) is News.DELETED
    assert seen.seen(cluster(uid="u9")) is News.ADDED


def test_a_deletion_is_news_once_and_only_of_what_was_seen(seen):
    assert seen.gone(cluster()) is News.NONE
    seen.seen(cluster())

    assert seen.gone(cluster()) is News.DELETED
    assert seen.gone(cluster()) is News.NONE


@pytest.mark.parametrize("metadata", [None, {}, {"name": None, "labels": None, "uid": None}])
def test_null_where_something_is_expected_breaks_nothing(metadata):
    raw = {"metadata": metadata, "spec": None, "status": {"conditions": None}}

    assert cluster_view(raw).generation == 0
    assert node_view(raw) == node_view({})
    assert owned_view(raw) == owned_view({})
    assert owner_of(raw) is None


@pytest.mark.parametrize(
    ("now", "stops"),
    [
        ({}, False),
        ({"generation": 2}, True),
        ({"annotations": {"a": "b"}}, False),
        ({"labels": {"a": "b"}}, False),
        ({"labels": {"ceph.rook.io/do-not-reconcile": ""}}, True),
        ({"deletionTimestamp": "2030-01-01T00:00:00Z"}, True),
    ],
)
def test_a_run_is_stopped_by_what_asks_for_something_else(now, stops):
    assert stops_run(cluster_view(cluster()), cluster_view(cluster(**now))) is stops


def test_taking_the_label_off_stops_no_run():
    skipped = cluster_view(cluster(labels={"ceph.rook.io/do-not-reconcile": ""}))

    assert not stops_run(skipped, cluster_view(cluster()))


def a_node(**more):
    return {
        "metadata": {
            "name": "n1",
            "labels": {"kubernetes.io/hostname": "n1"},
            "annotations": more.get("annotations"),
        },
        "spec": {"unschedulable": more.get("unschedulable"), "taints": more.get("taints")},
        "status": {
            "conditions": [
                {
                    "type": "Ready",
                    "status": more.get("ready", "True"),
                    "lastHeartbeatTime": more.get("beat", "1"),
                },
                {"type": "MemoryPressure", "status": more.get("pressure", "False")},
            ],
            "addresses": [{"type": "InternalIP", "address": more.get("address", "10.0.0.1")}],
            "images": more.get("images"),
        },
    }


@pytest.mark.parametrize(
    "change",
    [
        {"beat": "2"},
        {"pressure": "True"},
        {"images": [{"names": ["x"]}]},
        {"annotations": {"flannel.alpha.coreos.com/public-ip": "10.0.0.1"}},
        {"unschedulable": False},
        {"taints": []},
    ],
)
def test_a_nodes_heartbeat_is_no_news(change):
    assert node_view(a_node(**change)) == node_view(a_node())


@pytest.mark.parametrize(
    "change",
    [
        {"ready": "Unknown"},
        {"unschedulable": True},
        {"taints": [{"key": "a", "effect": "NoSchedule"}]},
        {"address": "10.0.0.2"},
        {"annotations": {"network.rook.io/mon-ip": "10.0.0.9"}},
    ],
)
def test_what_placement_asks_of_a_node_is_news(change):
    assert node_view(a_node(**change)) != node_view(a_node())


def test_a_deployments_status_is_no_news_and_its_spec_is():
    before = an_object(generation=3)

    assert owned_view(an_object(generation=3, resourceVersion="91")) == owned_view(before)
    assert owned_view(an_object(generation=4)) != owned_view(before)


def test_of_what_has_no_generation_each_version_is_news():
    assert owned_view(an_object(resourceVersion="91")) != owned_view(an_object())
    assert owned_view(an_object()) == owned_view(an_object())


@pytest.mark.parametrize("controller", [{}, {"controller": True}])
def test_an_owned_object_wakes_its_cluster_and_no_other(controller):
    owned = an_object(ownerReferences=[{"kind": "CephCluster", "name": "c", **controller}])
    other = an_object(ownerReferences=[{"kind": "ReplicaSet", "name": "c"}])

    assert owner_of(owned) == ClusterKey("rook-ceph", "c")
    assert owner_of(other) is None
