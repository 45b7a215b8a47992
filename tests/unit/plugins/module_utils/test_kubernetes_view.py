"""Ceph's view of a cluster in Kubernetes: when nobody answers, and when nobody can be asked."""

import errno

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_client,
    cluster_view,
    kubernetes_api,
    kubernetes_cluster,
    kubernetes_daemons,
    kubernetes_identity,
    kubernetes_view,
)

NOBODY = cluster_view.Waiting((), 1)


def failing(number, message):
    class Client:
        def __init__(self, **_settings):
            raise ceph_client.CephError(number, message)

    return Client


def test_mons_that_do_not_answer_are_no_view(monkeypatch):
    monkeypatch.setattr(ceph_client, "CephClient", failing(errno.ETIMEDOUT, "timed out"))

    assert kubernetes_view.ask("client.admin", 1.0, NOBODY) == kubernetes_view.Asked()


def test_without_librados_it_is_said_what_to_install(monkeypatch):
    text = "Python's binding of librados is missing: install the package python3-rados"
    monkeypatch.setattr(ceph_client, "CephClient", failing(errno.ENOPKG, text))

    with pytest.raises(kubernetes_api.KubernetesError, match="install the package python3-rados"):
        kubernetes_view.ask("client.admin", 1.0, NOBODY)


def known(**given):
    raw = {"metadata": {"name": "c", "namespace": "rook-ceph", **given.pop("metadata", {})}}
    mon = kubernetes_identity.Mon(name="a", address="10.0.0.1", node="node-1")
    return kubernetes_daemons.Known(
        cluster=kubernetes_cluster.parse(raw),
        identity=kubernetes_identity.Identity(),
        mons=kubernetes_identity.MonMap(mons={"a": mon}),
        **given,
    )


def test_what_the_namespace_has_once_is_told_with_the_first_node():
    first = kubernetes_view.services(known(), "node-1", first=True)
    once = ["csi", "budgets", "monitors", "pruner"]
    assert [one["name"] for one in first] == ["crash", "exporter", *once]
    other = kubernetes_view.services(known(), "node-2", first=False)
    assert [one["name"] for one in other] == ["crash", "exporter"]


def test_of_a_cluster_that_goes_no_services_are_left_to_plan():
    going = known(metadata={"deletionTimestamp": "2030-01-02T03:04:05Z"})
    assert kubernetes_view.services(going, "node-1", first=True) == []


def test_a_node_has_the_version_and_the_programs_of_the_image():
    found = known(version="20.2.4", programs=("ceph-crash",))
    told = kubernetes_view.report(found, "node-1", {"first": False}, {})
    assert told["ceph_version"] == "20.2.4"
    assert {one["name"]: one["installed"] for one in told["services"]} == {
        "crash": True,
        "exporter": False,
    }
