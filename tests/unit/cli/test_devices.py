"""`orchestrator devices`: every disk with its verdict."""

import json

import pytest
import yaml


def test_devices_tells_of_every_disk_and_touches_nothing(orchestrator, fake):
    fake.machines.machines["store-2"].disks[0].content = "ext4"

    result = orchestrator("devices", "-f", "F", "-i", "I")

    assert (result.exit_code, fake.machines.runs) == (0, ["facts.yml"])
    rows = [" ".join(line.split()) for line in result.stdout.splitlines() if "store-" in line]
    assert rows == [
        "store-1 /dev/disk/by-id/wwn-sda 10.0 GiB selected Selected matched by useAllDevices",
        "store-2 /dev/disk/by-id/wwn-sda 10.0 GiB skipped Filesystem holds ext4",
        "store-3 /dev/disk/by-id/wwn-sda 10.0 GiB selected Selected matched by useAllDevices",
    ]


@pytest.mark.parametrize(("form", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_devices_as_a_document_with_the_hosts_that_did_not_answer(built, fake, form, load):
    fake.machines.machines["store-3"].reachable = False

    result = built("devices", "-f", "F", "-i", "I", "-o", form)

    found = load(result.stdout)
    assert result.exit_code == 0
    assert [(one["host"], one["state"]) for one in found["devices"]] == [
        ("store-1", "osd.0"),
        ("store-2", "osd.1"),
    ]
    assert [(one["host"], one["code"]) for one in found["hosts"]] == [
        ("store-3", "HostUnreachable")
    ]


NODES = "{nodes: [{name: store-x}, {name: store-1, devices: [{name: sdz}]}]}"


def test_nodes_and_devices_that_the_manifest_names_and_no_host_has_are_told(orchestrator, tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(path.read_text().replace("{useAllNodes: true, useAllDevices: true}", NODES))

    table = orchestrator("devices", "-f", "F", "-i", "I")
    document = orchestrator("devices", "-f", "F", "-i", "I", "-o", "json")

    known = "it has store-1, store-2, store-3"
    node = f"storage.nodes names store-x, and the inventory has no such host for OSDs; {known}"
    assert (table.exit_code, document.exit_code) == (0, 0)
    assert f"NodeNotFound: {node}" in table.stdout.splitlines()
    assert json.loads(document.stdout)["unmatched"] == [
        {"host": None, "code": "NodeNotFound", "message": node},
        {
            "host": "store-1",
            "code": "DeviceNotFound",
            "message": "no device of this host is named sdz",
        },
    ]


def test_devices_that_could_not_be_looked_at_are_1(orchestrator, fake):
    fake.broken = "ansible"

    result = orchestrator("devices", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stdout) == (1, "")
