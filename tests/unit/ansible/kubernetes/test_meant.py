"""What of the manifest starts a new look into a node's disks."""

import pytest

from orchestrator.ansible.kubernetes import meant

STORAGE = {
    "useAllNodes": False,
    "useAllDevices": False,
    "deviceFilter": "^sd",
    "config": {"osdsPerDevice": "1", "deviceClass": "hdd"},
    "nodes": [
        {"name": "node-1", "devices": [{"name": "sdb", "config": {"initialWeight": "1"}}]},
        {"name": "node-2", "resources": {"limits": {"memory": "4Gi"}}},
    ],
}


def changed(**fields):
    return {"storage": {**STORAGE, **fields}}


def node(**fields):
    return changed(nodes=[{**STORAGE["nodes"][0], **fields}, STORAGE["nodes"][1]])


@pytest.mark.parametrize(
    "spec",
    [
        changed(fullRatio=0.9, nearFullRatio=0.7, backfillFullRatio=0.8),
        changed(flappingRestartIntervalHours=2),
        changed(scheduleAlways=True, onlyApplyOSDPlacement=True),
        changed(allowDeviceClassUpdate=True, allowOsdCrushWeightUpdate=True),
        changed(osdMaxUpdatesInParallel=3),
        changed(config={"osdsPerDevice": "1", "deviceClass": "ssd", "primaryAffinity": "0.5"}),
        node(devices=[{"name": "sdb", "config": {"initialWeight": "2"}}]),
        node(resources={"limits": {"memory": "8Gi"}}),
        {"storage": STORAGE, "mon": {"count": 5}},
    ],
)
def test_what_says_nothing_of_disks_is_no_ground_to_look_again(spec):
    assert meant.of_node(spec, "node-1") == meant.of_node(changed(), "node-1")


@pytest.mark.parametrize(
    "spec",
    [
        changed(useAllNodes=True),
        changed(useAllDevices=True),
        changed(deviceFilter="^vd"),
        changed(devicePathFilter="^/dev/disk/by-path/"),
        changed(devices=[{"fullpath": "/dev/sdc"}]),
        changed(config={"osdsPerDevice": "2", "deviceClass": "hdd"}),
        changed(config={"osdsPerDevice": "1", "deviceClass": "hdd", "size": "1T:"}),
        changed(nodes=[]),
        node(useAllDevices=True),
        node(devices=[{"name": "sdc"}]),
        node(devices=[{"name": "sdb", "config": {"metadataDevice": "nvme0n1"}}]),
        node(config={"encryptedDevice": "true"}),
        {"storage": STORAGE, "cleanupPolicy": {"wipeDevicesFromOtherClusters": True}},
    ],
)
def test_what_says_something_of_disks_is(spec):
    assert meant.of_node(spec, "node-1") != meant.of_node(changed(), "node-1")


def test_what_is_said_of_another_nodes_disks_is_no_ground():
    assert meant.of_node(node(useAllDevices=True), "node-2") == meant.of_node(changed(), "node-2")


def test_a_node_may_be_meant_by_its_short_name():
    spec = changed(nodes=[{"name": "Node-1", "useAllDevices": True}])
    (own,) = meant.of_node(spec, "node-1.example.com")["own"]
    assert own["useAllDevices"] is True


def test_an_empty_spec_says_nothing():
    assert meant.of_node({}, "node-1") == {
        "wipe": False,
        "all": False,
        "cluster": {"config": {}, "devices": []},
        "own": [],
    }
