"""Case C11 and the rest of the commands: what is run, and what a report must say before it is."""

import json
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import prepare_commands
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.prepare_commands import (
    Order,
    ReportError,
)

LINKS = {
    "/dev/disk/by-id/nvme-EXAMPLE_0001": "/dev/nvme0n1",
    "/dev/nvme-link": "/dev/nvme0n1",
}


def resolve(path: str) -> str:
    return LINKS.get(path, path)


def row(data: str, **more: str) -> dict[str, str]:
    """One line of `lvm batch --report --format json`, as Ceph 20 prints it."""
    return {"data": data, "data_size": "223.00 GB", "encryption": "None", **more}


def with_db(data: str, device: str = "/dev/nvme0n1") -> dict[str, str]:
    return row(data, block_db=device, block_db_size="59.00 GB")


ORDER = Order("/dev/sdb", total=2, count=2, metadata="/dev/nvme0n1", slots=4)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order("/dev/sdb"), "raw prepare --bluestore --data /dev/sdb"),
        (
            Order("/dev/sdb", "ssd"),
            "raw prepare --bluestore --data /dev/sdb --crush-device-class ssd",
        ),
    ],
)
def test_raw(order: Order, expected: str) -> None:
    assert prepare_commands.raw(order) == expected.split()


BATCH = "lvm batch --prepare --bluestore --no-auto --yes --osds-per-device"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order("/dev/sdb", total=3, count=3), f"{BATCH} 3 /dev/sdb"),
        (
            Order("/dev/sdb", "ssd", encrypted=True),
            f"{BATCH} 1 --crush-device-class ssd --dmcrypt /dev/sdb",
        ),
        (ORDER, f"{BATCH} 2 --block-db-slots 4 /dev/sdb --db-devices /dev/nvme0n1"),
        (
            Order("/dev/sdb", metadata="/dev/nvme0n1", slots=4, database_bytes=1 << 30),
            f"{BATCH} 1 --block-db-size 1073741824 /dev/sdb --db-devices /dev/nvme0n1",
        ),
    ],
)
def test_batch(order: Order, expected: str) -> None:
    assert prepare_commands.batch(order, report=False) == expected.split()


PREPARE = "lvm prepare --bluestore --data"


def test_a_report_differs_from_the_work_in_nothing_else() -> None:
    report = prepare_commands.batch(ORDER, report=True)
    assert "--yes" not in report
    asks = {"--report", "--format", "json"}
    work = [word for word in prepare_commands.batch(ORDER, report=False) if word != "--yes"]
    assert [word for word in report if word not in asks] == work


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (Order("/dev/dm-1", volume="vg/lv"), f"{PREPARE} vg/lv"),
        (
            Order("/dev/dm-1", "ssd", volume="vg/lv", metadata="/dev/nvme0n1", slots=2),
            f"{PREPARE} vg/lv --crush-device-class ssd --block.db /dev/nvme0n1 --block.db-slots 2",
        ),
        (
            Order("/dev/sdb", metadata="/dev/nvme0n1", database_bytes=5, encrypted=True),
            f"{PREPARE} /dev/sdb --dmcrypt --block.db /dev/nvme0n1 --block.db-size 5",
        ),
        (
            Order("/dev/sdb", metadata="/dev/nvme0n1p2", metadata_is_partition=True),
            f"{PREPARE} /dev/sdb --block.db /dev/nvme0n1p2",
        ),
    ],
)
def test_volume(order: Order, expected: str) -> None:
    assert prepare_commands.volume(order) == expected.split()


@pytest.mark.parametrize(
    ("entry", "kind", "expected"),
    [
        ({}, "disk", "raw"),
        ({"mode": "raw", "osds_per_device": 1}, "part", "raw"),
        ({"osds_per_device": 2}, "disk", "batch"),
        ({"encrypted": True}, "disk", "batch"),
        ({"metadata_device": "/dev/sdz"}, "disk", "batch"),
        ({"mode": "lvm"}, "disk", "batch"),
        ({}, "lvm", "volume"),
        ({"mode": "raw"}, "lvm", "volume"),
    ],
)
def test_mode(entry: dict[str, Any], kind: str, expected: str) -> None:
    assert prepare_commands.mode(entry, kind) == expected


@pytest.mark.parametrize(
    ("entry", "kind", "words"),
    [
        ({}, "disk", ""),
        ({"encrypted": True}, "disk", ""),
        ({"mode": "raw", "encrypted": True}, "disk", "mode raw does not go with"),
        ({"mode": "raw"}, "lvm", "mode raw does not go with"),
        ({"encrypted": True}, "part", "encryption of a partition"),
        ({"encrypted": True}, "lvm", "encryption of a partition"),
        ({"osds_per_device": 2}, "lvm", "holds one OSD only"),
        ({"size": 100}, "disk", ""),
        ({"size": 0}, "disk", ""),
        ({"size": 200}, "disk", "it has 100 bytes and not 200: another device has its name now"),
    ],
)
def test_what_rook_refuses_too_and_another_device_of_the_name(
    entry: dict[str, Any], kind: str, words: str
) -> None:
    problem = prepare_commands.problem(entry, kind, 100)
    assert words in problem
    assert bool(words) == bool(problem)


@pytest.mark.parametrize(
    ("rows", "order"),
    [
        ([row("/dev/sdb")], Order("/dev/sdb")),
        ([row("/dev/sdb", encryption="dmcrypt")], Order("/dev/sdb", encrypted=True)),
        ([with_db("/dev/sdb")] * 2, ORDER),
        ([with_db("/dev/sdb", "/dev/nvme-link")] * 2, ORDER),
        ([row("/dev/sdb")], Order("/dev/sdb", total=2, count=1)),  # the other one is there
    ],
)
def test_c11_a_report_as_wanted(rows: list[dict[str, str]], order: Order) -> None:
    prepare_commands.check_report(json.dumps(rows), order, resolve)
    prepare_commands.check_report(f"--> DEPRECATION NOTICE\n{json.dumps(rows)}", order, resolve)


@pytest.mark.parametrize(
    ("rows", "order", "words"),
    [
        ([with_db("/dev/sdb")] * 3, ORDER, "would make 3 OSDs on /dev/sdb where 2 are wanted"),
        ([with_db("/dev/sdb")], ORDER, "would make 1 OSDs"),
        ([], ORDER, "would make 0 OSDs"),
        ([row("/dev/sdb")] * 2, ORDER, "would take nothing as block_db where /dev/nvme0n1 is"),
        ([with_db("/dev/sdb", "/dev/nvme1n1")] * 2, ORDER, "would take /dev/nvme1n1 as block_db"),
        ([with_db("/dev/sdb")], Order("/dev/sdb"), "as block_db where nothing is wanted"),
        ([row("/dev/sdc")], Order("/dev/sdb"), "would take /dev/sdc as data where /dev/sdb is"),
        ([row("/dev/sdb", encryption="dmcrypt")], Order("/dev/sdb"), "encryption is dmcrypt"),
        ([row("/dev/sdb")], Order("/dev/sdb", encrypted=True), "encryption is None"),
    ],
)
def test_c11_e_a_report_that_differs_stops_it(
    rows: list[dict[str, str]], order: Order, words: str
) -> None:
    with pytest.raises(ReportError, match=words):
        prepare_commands.check_report(json.dumps(rows), order, resolve)


# As ceph-volume of Ceph 20.2.4 printed them on a host, for disks of 6 GiB.
RECORDED = [
    (
        (
            '[{"data": "/dev/sdb", "data_size": "3.00 GB", "encryption": "None"}, '
            '{"data": "/dev/sdb", "data_size": "3.00 GB", "encryption": "None"}]'
        ),
        Order("/dev/sdb", total=2, count=2),
    ),
    (
        '[{"data": "/dev/sdb", "data_size": "6.00 GB", "encryption": "dmcrypt"}]',
        Order("/dev/sdb", encrypted=True, device_class="ssd"),
    ),
    (
        (
            '[{"data": "/dev/sdb", "data_size": "3.00 GB", "encryption": "None", '
            '"block_db": "/dev/nvme0n1", "block_db_size": "1.50 GB"}, '
            '{"data": "/dev/sdb", "data_size": "3.00 GB", "encryption": "None", '
            '"block_db": "/dev/nvme0n1", "block_db_size": "1.50 GB"}]'
        ),
        Order("/dev/sdb", total=2, count=2, metadata="/dev/nvme0n1", slots=4),
    ),
    (
        (
            '[{"data": "/dev/sdb", "data_size": "3.00 GB", "encryption": "dmcrypt", '
            '"block_db": "/dev/nvme0n1", "block_db_size": "1024.00 MB"}, '
            '{"data": "/dev/sdb", "data_size": "3.00 GB", "encryption": "dmcrypt", '
            '"block_db": "/dev/nvme0n1", "block_db_size": "1024.00 MB"}]'
        ),
        Order("/dev/sdb", encrypted=True, total=2, count=2, metadata="/dev/nvme0n1"),
    ),
]
SAID = "--> passed data devices: 1 physical, 0 LVM\n"


@pytest.mark.parametrize(("text", "order"), RECORDED)
def test_c11_reports_of_a_real_ceph_volume_are_understood(text: str, order: Order) -> None:
    prepare_commands.check_report(text, order, resolve)
    prepare_commands.check_report(SAID + text, order, resolve)


def test_c11_a_database_that_does_not_fit_is_refused_in_ceph_volumes_words() -> None:
    text = (
        f"{SAID}--> 10.00 GB was requested for block_db_size, but only 3.00 GB can be fulfilled\n"
    )
    with pytest.raises(ReportError, match=r"only 3\.00 GB can be fulfilled"):
        prepare_commands.check_report(text, Order("/dev/sdb", metadata="/dev/nvme0n1"), resolve)


@pytest.mark.parametrize("text", ["no JSON", "{}", "[1]", "[{]"])
def test_what_is_no_report_stops_it(text: str) -> None:
    with pytest.raises(ReportError, match="report is not"):
        prepare_commands.check_report(text, Order("/dev/sdb"), resolve)


Entry = tuple[dict[str, Any], str, str]


def disk(data: str, metadata: str = "", **entry: Any) -> Entry:
    return entry, data, resolve(metadata)


LINK = "/dev/disk/by-id/nvme-EXAMPLE_0001"


@pytest.mark.parametrize(
    ("entries", "refused"),
    [
        (
            [disk("/dev/sdb", LINK, osds_per_device=2), disk("/dev/sdc", LINK, osds_per_device=2)],
            {},
        ),
        (
            # C11 b: the link and the name are one device
            [
                disk("/dev/sdb", LINK, osds_per_device=2),
                disk("/dev/sdc", "/dev/nvme0n1", osds_per_device=3),
            ],
            {"/dev/sdb": "conflicting osds_per_device", "/dev/sdc": "conflicting osds_per_device"},
        ),
        (
            [disk("/dev/sdb", LINK, database_size_mb=5), disk("/dev/sdc", LINK)],
            {"/dev/sdb": "conflicting database_size_mb", "/dev/sdc": "conflicting"},
        ),
        (
            # never data by link
            [disk("/dev/sdb", LINK), disk("/dev/nvme0n1")],
            {"/dev/sdb": "is wanted for data too"},
        ),
        ([disk("/dev/sdb", osds_per_device=2), disk("/dev/sdc", osds_per_device=3)], {}),
    ],
)
def test_c11_one_metadata_device_for_several(entries: list[Entry], refused: dict[str, str]) -> None:
    found = prepare_commands.conflicts(entries)
    assert set(found) == set(refused)
    assert all(words in found[data] for data, words in refused.items())


def test_sizes_are_in_mebibytes() -> None:
    assert prepare_commands.database_bytes(1024) == 1 << 30
