"""The list of devices as people and scripts get it."""

import io

import pytest
from rich.console import Console

from orchestrator.console.devices import devices_document, devices_table, size
from orchestrator.model.device_report import Listing
from orchestrator.model.plan import Reason
from tests.fakes import facts
from tests.fakes.selecting import ALL, decisions

FOUND = decisions(
    ALL,
    facts.osd_disk("sdb", 3),
    facts.disk("sdc", model="ST4000"),
    facts.disk("sdd", filesystem="ext4", model="odd [bold]name"),
)
LISTING = Listing(
    devices=FOUND,
    aside=(Reason(code="HostUnreachable", host="store-b", message="nothing is done: timed out"),),
    unmatched=(
        Reason(code="NodeNotFound", message="storage.nodes names store-x"),
        Reason(code="DeviceNotFound", host="store-a", message="no device is named [bold]sdx"),
    ),
)


def shown():
    out = io.StringIO()
    Console(file=out, width=200).print(devices_table(LISTING))
    return [" ".join(line.split()) for line in out.getvalue().splitlines() if line.strip()]


def test_every_device_is_a_row_with_its_reason_and_all_that_has_none_a_line():
    head, _, *rows = shown()

    assert head == "HOST DEVICE SIZE MODEL STATE CODE REASON"
    by_id = "store-a /dev/disk/by-id/wwn"
    assert rows == [
        f"{by_id}-sdb 10.0 GiB osd.3 ExistingOsd osd.3, uuid {facts.uuid(3)}",
        f"{by_id}-sdc 10.0 GiB ST4000 selected Selected matched by useAllDevices",
        f"{by_id}-sdd 10.0 GiB odd [bold]name skipped Filesystem holds ext4",
        "store-b: HostUnreachable: nothing is done: timed out",
        "NodeNotFound: storage.nodes names store-x",
        "store-a: DeviceNotFound: no device is named [bold]sdx",
        "help: docs/troubleshooting.md#devices",
        "help: docs/troubleshooting.md#hostunreachable",
        "help: docs/troubleshooting.md#nodenotfound",
        "help: docs/troubleshooting.md#devicenotfound",
    ]


def test_the_document_has_plain_values():
    found = devices_document(LISTING)

    assert found["devices"][0] == {
        "host": "store-a",
        "device": "/dev/disk/by-id/wwn-sdb",
        "path": "/dev/sdb",
        "size": 10737418240,
        "model": "",
        "state": "osd.3",
        "code": "ExistingOsd",
        "reason": f"osd.3, uuid {facts.uuid(3)}",
    }
    assert found["hosts"] == [
        {
            "host": "store-b",
            "code": "HostUnreachable",
            "message": "nothing is done: timed out",
        }
    ]
    assert found["unmatched"] == [
        {"host": None, "code": "NodeNotFound", "message": "storage.nodes names store-x"},
        {"host": "store-a", "code": "DeviceNotFound", "message": "no device is named [bold]sdx"},
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (1024, "1.0 KiB"),
        (4 * 10**12, "3.6 TiB"),
        (10**19, "8881.8 PiB"),
    ],
)
def test_sizes_are_short(number, text):
    assert size(number) == text
