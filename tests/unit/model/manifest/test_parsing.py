"""What a good manifest becomes."""

import cProfile
import textwrap

import pytest

from orchestrator.model import manifest
from orchestrator.model.names import ClusterKey
from tests.fakes.manifests import NODES, SPEC, parse, whole


def spec_of(text):
    return parse(SPEC + textwrap.indent(textwrap.dedent(text), "  ")).cluster.spec


def test_a_small_manifest_is_read_whole():
    spec = spec_of(
        """
        dataDirHostPath: /var/lib/rook
        mon: {count: 5, allowMultiplePerNode: true}
        mgr:
          count: 2
          modules: [{name: rook, enabled: false}]
        cephConfig: {global: {mon_data_avail_warn: "5"}}
        network: {addressRanges: {public: [192.0.2.0/24]}}
        storage:
          useAllDevices: false
          nodes:
          - name: store-a
            useAllDevices: true
            deviceFilter: "^sd[b-d]$"
            devices: [{name: sdb, config: {deviceClass: ssd}}]
        """
    )

    assert (spec.mon.count, spec.mon.allow_multiple_per_node) == (5, True)
    assert [(one.name, one.enabled) for one in spec.mgr.modules] == [("rook", False)]
    assert spec.ceph_config == {"global": {"mon_data_avail_warn": "5"}}
    assert spec.network.address_ranges.public == ("192.0.2.0/24",)
    assert spec.storage.use_all_devices is False
    (node,) = spec.storage.nodes
    assert (node.name, node.use_all_devices, node.device_filter) == ("store-a", True, "^sd[b-d]$")
    assert node.devices[0].config == {"deviceClass": "ssd"}


def test_the_metadata_is_what_a_pass_needs():
    cluster = parse(
        """
        {apiVersion: ceph.rook.io/v1, kind: CephCluster, status: {phase: Ready}, spec: {},
        metadata: {name: c, namespace: ns, generation: 4, uid: u1,
        deletionTimestamp: 2030-01-01T00:00:00Z,
        creationTimestamp: 2030-01-01T00:00:00Z, managedFields: [{manager: kubectl}],
        labels: {a: b}, annotations: {c: d, e: null}}}
        """
    ).cluster

    assert cluster.key == ClusterKey("ns", "c")
    assert (cluster.generation, cluster.uid, cluster.deleting) == (4, "u1", True)
    assert (cluster.labels, cluster.annotations) == ({"a": "b"}, {"c": "d"})


def test_without_a_namespace_it_is_kubectls():
    cluster = parse(SPEC + "  mon: {}\n").cluster

    assert str(cluster.key) == "default/my-cluster"
    assert (cluster.generation, cluster.deleting) == (1, False)


def test_null_equals_absent():
    spec = spec_of(
        """
        mon: {count: null}
        mgr:
        dashboard: null
        cephConfig: {global: null}
        network: {provider: null, selectors: null}
        storage:
          useAllNodes: true
          useAllDevices: null
          deviceFilter: "^sd[b-d]$"
          config: null
          storageClassDeviceSets: null
        """
    )

    assert (spec.mon.count, spec.mgr.count) == (3, 1)
    assert spec.ceph_config == {}
    assert spec.storage.use_all_devices is None
    assert spec.storage.config == {}


def test_a_kubernetes_object_is_read_by_the_same_rules_without_lines():
    spec = {"mon": {"count": 5}, "mgr": None, "storage": {"nodes": [], "useAllNodes": True}}
    assert manifest.parse_object(whole(spec), source="ns/c").cluster.spec.mon.count == 5

    with pytest.raises(manifest.SpecError) as caught:
        manifest.parse_object(whole({"mon": {"count": "x"}}), source="ns/c")
    assert str(caught.value).startswith('ns/c: spec.mon.count: "x": must be an integer')


def test_reading_costs_the_same_for_each_host():
    few, many = (_calls_to_read(manifest_of(hosts)) for hosts in (20, 200))

    assert many < 11 * few


def manifest_of(hosts: int) -> str:
    devices = ", ".join(f"{{name: sd{letter}}}" for letter in "bcdefghijk")
    nodes = "".join(
        f"    - name: host-{host}\n      devices: [{devices}]\n" for host in range(hosts)
    )
    return SPEC + NODES + "  storage:\n    nodes:\n" + nodes


def _calls_to_read(text: str) -> int:
    """Function calls, which no busy machine makes more of."""
    profile = cProfile.Profile()
    with profile:
        parse(text)
    return sum(entry.callcount for entry in profile.getstats())
