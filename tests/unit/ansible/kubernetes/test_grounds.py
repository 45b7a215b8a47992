"""Which nodes' disks are looked into, and when a look serves no more."""

import pytest

from orchestrator.ansible.kubernetes import grounds, nodes
from orchestrator.ansible.kubernetes.grounds import Ground, Note
from orchestrator.model.outcome import Outcome
from tests.fakes import facts

NOTHING = Outcome(ok=True, run="", playbook="facts.yml", reports={})
NODES = nodes.read(
    [{"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}} for name in "ab"]
)


def cluster(*, deleted=False, **spec):
    metadata = {"name": "c", "namespace": "rook-ceph", "uid": "u-1"}
    return {
        "apiVersion": "ceph.rook.io/v1",
        "kind": "CephCluster",
        "metadata": {**metadata, **({"deletionTimestamp": "x"} if deleted else {})},
        "spec": {"dataDirHostPath": "/var/lib/rook", **spec},
        "operator": {"hostnameLabel": "kubernetes.io/hostname"},
    }


def searched(raw, *, asked):
    return [host.name for host in grounds.searched(raw, NODES, NOTHING, asked=asked)]


DESTROY = {"cleanupPolicy": {"confirmation": "yes-really-destroy-data"}}


@pytest.mark.parametrize(
    ("raw", "asked", "names"),
    [
        (cluster(storage={"useAllNodes": True, "useAllDevices": True}), False, []),
        (cluster(deleted=True), True, []),
        (cluster(deleted=True, **DESTROY), True, ["a", "b"]),
        (cluster(deleted=True, **DESTROY), False, ["a", "b"]),
    ],
)
def test_disks_are_searched_once_ceph_can_be_asked_or_where_they_are_to_be_cleared(
    raw, asked, names
):
    assert searched(raw, asked=asked) == names


def test_only_what_no_longer_holds_is_looked_for_again():
    hosts = [facts.host("a"), facts.host("b"), facts.host("c"), facts.silent("d")]
    now = {host.name: Ground(signature="now") for host in hosts}
    notes = {
        hosts[0].name: Note(ground=Ground(signature="now"), report={}),
        hosts[1].name: Note(ground=Ground(signature="before"), report={}),
    }

    assert grounds.unlooked(hosts, now, notes) == ["b", "c"]
