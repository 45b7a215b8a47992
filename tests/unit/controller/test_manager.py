"""What a manager watches, and what of it wakes a pass."""

from types import SimpleNamespace

import pytest

from orchestrator.controller.manager import NODE_SECONDS, Manager, Surroundings
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.queue import NUDGE_SECONDS
from orchestrator.controller.sightings import News
from orchestrator.model.names import ClusterKey

KEY = ClusterKey("ns", "c1")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def around(**more):
    return Surroundings(
        connection=None, metrics=Metrics(), charge=None, make_pass=None, environment={}, **more
    )


@pytest.fixture
def manager():
    made = Manager(around())
    made.queue.clock = Clock()
    made.charges[KEY] = SimpleNamespace(key=KEY)
    return made


def owned(owner="c1"):
    reference = {"kind": "CephCluster", "name": owner}
    return {"metadata": {"namespace": "ns", "name": "x", "ownerReferences": [reference]}}


def due(manager, seconds):
    manager.queue.clock.now += seconds
    return manager.queue.get(0)


def test_all_that_a_cluster_is_made_of_is_watched():
    manager = Manager(around())
    watched = {one.subject.kind.name: one.subject for one in manager.watches}

    assert set(watched) == {
        "CephCluster",
        "ConfigMap",
        "CronJob",
        "Deployment",
        "EndpointSlice",
        "Node",
        "PodDisruptionBudget",
        "Secret",
        "Service",
        "ServiceMonitor",
    }
    assert [name for name, one in watched.items() if one.optional] == ["ServiceMonitor"]
    whole = {name for name, one in watched.items() if not one.metadata_only}
    assert whole == {"CephCluster", "Node"}


@pytest.mark.parametrize(
    ("given", "clusters", "disks"),
    [
        ({}, "", ""),
        ({"operator_namespace": "rook-ceph"}, "", "rook-ceph"),
        ({"operator_namespace": "rook-ceph", "namespace": "storage"}, "storage", "rook-ceph"),
    ],
)
def test_disks_are_told_of_in_the_operators_namespace(given, clusters, disks):
    watches = Manager(around(**given)).watches
    of_disks = [one.subject for one in watches if one.subject.labels == "app=rook-discover"]
    others = {one.subject.namespace for one in watches} - {"", disks}

    assert [one.namespace for one in of_disks] == [disks]
    assert others == {clusters} - {""}


@pytest.mark.parametrize("news", [News.CHANGED, News.DELETED])
def test_what_a_cluster_owns_wakes_its_pass(manager, news):
    manager._on_owned(news, owned())

    assert due(manager, NUDGE_SECONDS) == KEY


@pytest.mark.parametrize(
    ("news", "raw"),
    [
        (News.ADDED, owned()),
        (News.DELETED, owned(owner="another")),
        (News.DELETED, {"metadata": {"namespace": "ns", "name": "x"}}),
    ],
)
def test_what_was_made_and_what_is_of_others_wakes_none(manager, news, raw):
    manager._on_owned(news, raw)

    assert due(manager, 60) is None


def failed(manager):
    """Its pass has failed, and the next one comes in five minutes."""
    manager.queue.add(KEY)
    assert manager.queue.get(0) == KEY
    manager.queue.done(KEY, again=300, hold=True)


def test_a_node_that_comes_ends_the_pause_after_a_failure(manager):
    failed(manager)
    manager._on_node(News.ADDED, {"metadata": {"name": "n1"}})

    assert due(manager, NODE_SECONDS) == KEY


def test_what_may_be_the_echo_of_a_failure_does_not(manager):
    failed(manager)
    manager._on_discovery(News.CHANGED, {"metadata": {"name": "local-device-n1"}})
    manager._on_owned(News.CHANGED, owned())

    assert due(manager, 299) is None
    assert due(manager, 1) == KEY


def test_other_disks_wake_a_pass(manager):
    manager._on_discovery(News.CHANGED, {"metadata": {"name": "local-device-n1"}})

    assert due(manager, NODE_SECONDS) == KEY
