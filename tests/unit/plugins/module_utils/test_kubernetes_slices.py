"""The EndpointSlices of the mons (ROOK-COMPAT 3)."""

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_slices,
)

VERSION = "discovery.k8s.io/v1"


def cluster(**spec):
    raw = {"metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u-1"}, "spec": spec}
    return kubernetes_cluster.parse(raw)


def mons(*addresses, out=()):
    found = {
        name: kubernetes_identity.Mon(name=name, address=one)
        for name, one in zip("abc", addresses, strict=False)
    }
    return kubernetes_identity.MonMap(mons=found, out=out)


def built(found, **spec):
    return kubernetes_slices.slices(cluster(**spec), found, VERSION)


def test_active_mons_are_listed_by_the_family_of_their_addresses():
    found = built(mons("10.0.0.1", "fd00::2", "10.0.0.3", out=("c",)))
    assert [one["metadata"]["name"] for one in found] == kubernetes_slices.names()
    assert [one["addressType"] for one in found] == ["IPv4", "IPv6"]
    assert [one["endpoints"][0]["addresses"] for one in found] == [["10.0.0.1"], ["fd00::2"]]
    assert [len(one["endpoints"]) for one in found] == [1, 1]
    labels = found[0]["metadata"]["labels"]
    assert labels["kubernetes.io/service-name"] == "rook-ceph-active-mons"
    assert [one["port"] for one in found[0]["ports"]] == [6789, 3300]


def test_a_mon_that_is_known_by_a_name_is_in_no_slice():
    assert built(mons("mon.example")) == []


def test_mons_without_the_old_messenger_have_one_port():
    (found,) = built(mons("10.0.0.1"), network={"connections": {"requireMsgr2": True}})
    assert [one["port"] for one in found["ports"]] == [3300]


def test_other_mons_and_a_missing_slice_are_told():
    (old,) = built(mons("10.0.0.1"))
    live = {old["metadata"]["name"]: kubernetes_drift.marked(old)}
    assert kubernetes_slices.wrong(cluster(), mons("10.0.0.1"), live) == []
    assert kubernetes_slices.wrong(cluster(), mons("10.0.0.1", "fd00::2", "10.0.0.9"), live) == [
        "EndpointSlice rook-ceph-active-mons-ipv4 differs: endpoints",
        "EndpointSlice rook-ceph-active-mons-ipv6: missing",
    ]
