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


def test_devices_that_could_not_be_looked_at_are_1(orchestrator, fake):
    fake.broken = "ansible"

    result = orchestrator("devices", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stdout) == (1, "")
