"""What counts as a difference between a live object and the wanted one."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_drift as drift,
)


def deployment(**template):
    return {
        "kind": "Deployment",
        "metadata": {"name": "rook-ceph-mon-a", "labels": {"mon": "a"}},
        "spec": {"replicas": 1, "template": {"spec": template}},
    }


@pytest.mark.parametrize(
    ("live", "wanted"),
    [
        ({"a": 1, "defaulted": "Always"}, {"a": 1}),
        ({"cpu": "500m"}, {"cpu": "0.5"}),
        ({"memory": "1Gi"}, {"memory": "1024Mi"}),
        ({"memory": "1Gi"}, {"memory": 1073741824}),
        ({}, {"empty": {}, "none": [], "off": False, "text": ""}),
        ({"list": [{"name": "x", "more": 1}]}, {"list": [{"name": "x"}]}),
    ],
)
def test_what_the_api_server_adds_or_writes_otherwise_is_no_difference(live, wanted):
    assert drift.differences(live, wanted) == []


@pytest.mark.parametrize(
    ("live", "wanted", "path"),
    [
        ({"a": 1}, {"a": 2}, ".a"),
        ({}, {"a": {"b": "x"}}, ".a.b"),
        ({"list": [1, 2]}, {"list": [1]}, ".list"),
        ({"list": [{"image": "x"}]}, {"list": [{"image": "y"}]}, ".list[0].image"),
        ({"memory": "2Gi"}, {"memory": "1Gi"}, ".memory"),
        ({"replicas": 0}, {"replicas": 1}, ".replicas"),
    ],
)
def test_a_difference_is_named_by_its_path(live, wanted, path):
    assert drift.differences(live, wanted) == [path]


def test_an_edit_by_hand_is_told_from_what_was_last_applied():
    live = drift.marked(deployment(image="ceph:20"))
    assert drift.edited(live) == []
    live["spec"]["replicas"] = 0
    live["metadata"]["labels"] = {"mon": "b"}
    assert set(drift.edited(live)) == {".spec.replicas", ".metadata.labels.mon"}


def test_an_object_of_somebody_else_was_not_edited():
    assert drift.edited(deployment(image="ceph:20")) == []
    assert drift.applied(deployment(image="ceph:20")) is None


def test_a_field_that_is_not_wanted_any_more_is_a_difference():
    live = drift.marked(deployment(image="ceph:20", hostNetwork=True))
    wanted = drift.marked(deployment(image="ceph:20"))
    (path,) = drift.differences(live, wanted)
    assert path == ".metadata.annotations.orchestrator.ceph.io/last-applied"


def test_no_value_of_a_secret_stands_in_an_annotation():
    secret = {
        "kind": "Secret",
        "metadata": {"name": "rook-ceph-mon", "annotations": {"cephx-keyring": ""}},
        "data": {"mon-secret": "QVFB"},
    }
    assert drift.marked(secret) == secret
