"""Case C11 on a host: what a device and its metadata device may hold, and what is then run."""

import json
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    ceph_volume,
    lvm_list,
    prepare_commands,
    prepare_orders,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
LINK = "/dev/disk/by-id/nvme-EXAMPLE_0001"
FAST = "/dev/nvme0n1"


class Host:
    def __init__(self) -> None:
        self.looks: dict[str, blank.Look] = {}
        self.osds: list[lvm_list.LvmOsd] = []
        self.rows: list[dict[str, str]] | None = None
        self.asked: list[list[str]] = []

    def add(self, device: str, **fields: Any) -> blank.Look:
        plain = {"type": "disk", "size": 100 << 30}
        self.looks[device] = blank.Look(device, device, **{**plain, **fields})
        return self.looks[device]

    def osd(self, number: int, device: str, database: str = "", fsid: str = FSID) -> None:
        self.osds.append(
            lvm_list.LvmOsd(
                id=number,
                uuid=f"11111111-0000-4000-8000-00000000000{number}",
                fsid=fsid,
                path=f"/dev/ceph-{number}/osd-block",
                devices=(device,),
                db_devices=(database,) if database else (),
            )
        )

    def look(self, path: str) -> blank.Look:
        return self.looks.get(path) or blank.Look(path, path, problem="it does not exist")

    def report(self, arguments: list[str], _environment: dict[str, str]) -> str:
        self.asked.append(arguments)
        if self.rows is not None:
            return json.dumps(self.rows)
        count = int(arguments[arguments.index("--osds-per-device") + 1])
        *_words, data = [word for word in arguments if word.startswith("/dev/sd")]
        row = {"data": data, "encryption": "None"}
        return json.dumps([{**row, "block_db": FAST} if FAST in arguments else row] * count)

    def plan(self, *entries: dict[str, Any]) -> prepare_orders.Plan:
        """Plan the last of the wanted devices."""
        full = [{"device_class": "", **entry} for entry in entries]
        parameters = {"fsid": FSID, "allow_loop_devices": False, "devices": full}
        orders = prepare_orders.Orders(parameters)
        return orders.plan(full[-1], self.look(blank.resolve(full[-1]["path"])))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host()
    monkeypatch.setattr(blank, "resolve", lambda path: FAST if path == LINK else path)
    monkeypatch.setattr(blank, "look", host.look)
    monkeypatch.setattr(prepare_orders, "listed", lambda: host.osds)
    monkeypatch.setattr(ceph_volume, "report", host.report)
    host.add(FAST)
    host.add("/dev/sdb")
    host.add("/dev/sdc")
    return host


def test_plain_devices_are_prepared_raw(host: Host) -> None:
    plan = host.plan({"path": "/dev/sdb", "device_class": "ssd"})
    assert (plan.mode, plan.count, plan.environment) == ("raw", 1, {})
    assert plan.command[:2] == ("raw", "prepare")
    assert [one.device for one in plan.seen] == ["/dev/sdb"]
    assert host.asked == []


def test_another_device_of_the_name_is_refused(host: Host) -> None:
    assert host.plan({"path": "/dev/sdb", "size": 100 << 30}).mode == "raw"
    with pytest.raises(HostError, match="another device has its name now"):
        host.plan({"path": "/dev/sdb", "size": 50 << 30})


def test_c11_two_disks_with_two_osds_share_a_metadata_device(host: Host) -> None:
    both = [
        {"path": path, "osds_per_device": 2, "metadata_device": LINK}
        for path in ("/dev/sdb", "/dev/sdc")
    ]
    plan = host.plan(*both)
    assert (plan.mode, plan.count) == ("batch", 2)
    assert [one.device for one in plan.seen] == ["/dev/sdc", FAST]
    words = " ".join(plan.command)
    assert "--block-db-slots 4" in words
    assert words.endswith("/dev/sdc --db-devices /dev/nvme0n1")
    assert len(host.asked) == 1


def test_c11_the_second_disk_gets_the_same_share_after_a_cut(host: Host) -> None:
    both = [
        {"path": path, "osds_per_device": 2, "metadata_device": LINK}
        for path in ("/dev/sdb", "/dev/sdc")
    ]
    host.add(FAST, children=("dm-2", "dm-3"), signatures=("LVM2_member",))
    host.osd(1, "/dev/sdb", FAST)
    host.osd(2, "/dev/sdb", FAST)
    assert "--block-db-slots 4" in " ".join(host.plan(*both).command)
    assert "--block-db-slots 4" in " ".join(host.plan(both[1]).command)


def test_only_the_osds_that_are_missing_are_made(host: Host) -> None:
    host.add("/dev/sdb", children=("dm-2",), signatures=("LVM2_member",))
    host.osd(1, "/dev/sdb")
    host.rows = [{"data": "/dev/sdb", "encryption": "None"}]
    plan = host.plan({"path": "/dev/sdb", "osds_per_device": 2})
    assert plan.count == 1
    assert "--osds-per-device 2" in " ".join(plan.command)


def test_c11_e_nothing_runs_when_the_report_differs(host: Host) -> None:
    host.rows = [{"data": "/dev/sdb", "encryption": "None", "block_db": FAST}] * 3
    entry = {"path": "/dev/sdb", "osds_per_device": 2, "metadata_device": LINK}
    with pytest.raises(prepare_commands.ReportError, match="nothing was written"):
        host.plan(entry)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"problem": "it does not exist"}, "its metadata device .*: it does not exist"),  # C11 d
        ({"signatures": ("ext4",)}, "its metadata device .* holds ext4"),
        ({"children": ("dm-9",), "signatures": ("LVM2_member",)}, "its metadata device"),
        ({"mountpoint": "/srv"}, "is mounted on /srv"),
        ({"in_use": True}, "has it open"),
        ({"copies": ("a copy",)}, "whose head is damaged"),
    ],
)
def test_a_metadata_device_that_holds_anything_else_is_refused(
    host: Host, fields: dict[str, Any], words: str
) -> None:
    host.add(FAST, **fields)
    with pytest.raises(HostError, match=words):
        host.plan({"path": "/dev/sdb", "metadata_device": LINK})
    assert host.asked == []


@pytest.mark.parametrize("fsid", [FSID, "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"])
def test_more_volumes_than_our_dbs_are_somebody_else_s(host: Host, fsid: str) -> None:
    host.add(FAST, children=("dm-2", "dm-3"), signatures=("LVM2_member",))
    host.osd(1, "/dev/sdd", FAST, fsid)
    with pytest.raises(HostError, match="its metadata device"):
        host.plan({"path": "/dev/sdb", "metadata_device": FAST})


def test_a_data_disk_with_foreign_volumes_is_refused(host: Host) -> None:
    host.add("/dev/sdb", children=("dm-2",), signatures=("LVM2_member",))
    with pytest.raises(HostError, match="partitions or holders"):
        host.plan({"path": "/dev/sdb", "osds_per_device": 2})
    host.add("/dev/sdb", children=("dm-2", "dm-3"), signatures=("LVM2_member",))
    host.osd(1, "/dev/sdb")
    with pytest.raises(HostError, match="holds more than this cluster's 1 OSDs"):
        host.plan({"path": "/dev/sdb", "osds_per_device": 2})


def test_c11_b_conflicts_are_told_before_anything_is_asked(host: Host) -> None:
    with pytest.raises(HostError, match="conflicting osds_per_device"):
        host.plan(
            {"path": "/dev/sdb", "metadata_device": LINK, "osds_per_device": 2},
            {"path": "/dev/sdc", "metadata_device": "nvme0n1", "osds_per_device": 3},
        )
    assert host.asked == []


def test_c11_c_a_partition_serves_one_osd(host: Host) -> None:
    host.add("/dev/nvme0n1p2", type="part")
    plan = host.plan({"path": "/dev/sdb", "metadata_device": "nvme0n1p2"})
    assert plan.command[-2:] == ("--block.db", "/dev/nvme0n1p2")
    assert [one.device for one in plan.seen] == ["/dev/sdb", "/dev/nvme0n1p2"]
    with pytest.raises(HostError, match="can serve one OSD only"):
        host.plan({"path": "/dev/sdb", "metadata_device": "nvme0n1p2", "osds_per_device": 2})
    with pytest.raises(HostError, match="can serve one OSD only"):
        host.plan(
            {"path": "/dev/sdb", "metadata_device": "nvme0n1p2"},
            {"path": "/dev/sdc", "metadata_device": "nvme0n1p2"},
        )


def test_a_logical_volume_is_named_as_lvm_does(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.add("/dev/mapper/vg-lv", type="lvm")
    monkeypatch.setattr(program, "run", lambda *_arguments: "  vg/lv\n")
    plan = host.plan({"path": "/dev/mapper/vg-lv"})
    assert (plan.mode, plan.command[-1]) == ("volume", "vg/lv")
    monkeypatch.setattr(program, "run", lambda *_arguments: "\n")
    with pytest.raises(HostError, match="no logical volume"):
        host.plan({"path": "/dev/mapper/vg-lv"})


def test_a_loop_device_is_named_to_ceph_volume(host: Host) -> None:
    host.add("/dev/loop7", type="loop")
    entry = {"path": "/dev/loop7", "device_class": ""}
    parameters = {"fsid": FSID, "allow_loop_devices": True, "devices": [entry]}
    plan = prepare_orders.Orders(parameters).plan(entry, host.look("/dev/loop7"))
    assert plan.environment == {"CEPH_VOLUME_ALLOW_LOOP_DEVICES": "1"}


def test_volumes_that_cannot_be_listed_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(_seconds: float, errors: list[str]) -> list[lvm_list.LvmOsd]:
        errors.append("it broke")
        return []

    monkeypatch.setattr(lvm_list, "ask", ask)
    with pytest.raises(HostError, match="it broke"):
        prepare_orders.listed()
