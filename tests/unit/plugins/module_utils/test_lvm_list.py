"""Case C03, two clusters on one host, and other lists of `ceph-volume lvm list`."""

import json
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, lsblk, lvm_list

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
OUR_OSD = "11111111-0000-4000-8000-000000000001"


def volume(
    path: str, disk: str, fsid: str, uuid: str, kind: str = "block", **tags: str
) -> dict[str, Any]:
    return {
        "type": kind,
        "lv_path": path,
        "path": path,
        "devices": [disk],
        "tags": {
            "ceph.cluster_fsid": fsid,
            "ceph.osd_fsid": uuid,
            "ceph.osd_id": "0",
            "ceph.crush_device_class": "None",
            **{f"ceph.{name}": value for name, value in tags.items()},
        },
    }


OUR_VOLUME = volume("/dev/ceph-aa11/osd-block-1", "/dev/sdb", OURS, OUR_OSD)
THEIR_VOLUME = volume(
    "/dev/ceph-zz99/osd-block-9", "/dev/sdc", OTHER, "99999999-0000-4000-8000-000000000009"
)


@pytest.mark.parametrize("volumes", [[OUR_VOLUME, THEIR_VOLUME], [THEIR_VOLUME, OUR_VOLUME]])
def test_c03_one_number_two_clusters(volumes: list[dict[str, Any]]) -> None:
    osds, messages = lvm_list.parse(json.dumps({"0": volumes, "oops": []}))
    assert messages == ["ceph-volume lvm list: 'oops' is no OSD and is skipped"]
    (ours,) = lvm_list.of_cluster(osds, OURS)
    assert ours == lvm_list.LvmOsd(
        id=0,
        uuid=OUR_OSD,
        fsid=OURS,
        path="/dev/ceph-aa11/osd-block-1",
        devices=("/dev/sdb",),
    )
    assert [osd.fsid for osd in osds] == [OURS, OTHER]
    assert lvm_list.of_cluster(osds, "") == []


RECORDED = {
    "devices": ["/dev/nvme0n1"],
    "lv_name": "lv_1",
    "lv_path": "/dev/vg_nvme/lv_1",
    "lv_size": "89.40g",
    "lv_tags": (
        "ceph.block_device=/dev/vg_nvme/lv_1,ceph.block_uuid=a1vfDi-0jor-VEPK-DZVd-K90y-cqG1-QoXr9l,"
        "ceph.cephx_lockbox_secret=,ceph.cluster_fsid=5d6d2c1c-0362-11ea-825a-001a4aab830c,"
        "ceph.cluster_name=ceph,ceph.crush_device_class=None,ceph.encrypted=0,"
        "ceph.osd_fsid=04175a6e-55e7-4244-b683-79da76f723af,ceph.osd_id=0,ceph.type=block,ceph.vdo=0"
    ),
    "lv_uuid": "a1vfDi-0jor-VEPK-DZVd-K90y-cqG1-QoXr9l",
    "name": "lv_1",
    "path": "/dev/vg_nvme/lv_1",
    "type": "block",
    "vg_name": "vg_nvme",
}


def test_a_list_that_a_live_host_printed() -> None:
    """Recorded on a host with device-mapper: https://github.com/ceph/ceph/pull/31512."""
    tags = dict(tag.split("=", 1) for tag in str(RECORDED["lv_tags"]).split(","))
    ((osd,), messages) = lvm_list.parse(json.dumps({"0": [{**RECORDED, "tags": tags}]}))
    assert messages == []
    assert osd == lvm_list.LvmOsd(
        id=0,
        uuid="04175a6e-55e7-4244-b683-79da76f723af",
        fsid="5d6d2c1c-0362-11ea-825a-001a4aab830c",
        path="/dev/vg_nvme/lv_1",
        devices=("/dev/nvme0n1",),
    )


def test_an_encrypted_osd_with_a_db() -> None:
    block = volume(
        "/dev/vg/block", "/dev/sdb", OURS, OUR_OSD, encrypted="1", crush_device_class="ssd"
    )
    db = volume("/dev/vg2/db", "/dev/nvme0n1", OURS, OUR_OSD, kind="db")
    for volumes in ([block, db], [db, block]):
        ((osd,), messages) = lvm_list.parse(json.dumps({"0": volumes}))
        assert messages == []
        assert (osd.path, osd.encrypted, osd.device_class) == ("/dev/vg/block", True, "ssd")
        assert (osd.db, osd.db_devices, osd.devices) == (
            "/dev/vg2/db",
            ("/dev/nvme0n1",),
            ("/dev/sdb",),
        )
        assert json.loads(json.dumps(osd.result()))["id"] == 0


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"0": "x"}, "is skipped"),
        ({"0": [None, 7, {"type": "block"}]}, "names no OSD"),
        ({"0": [{**OUR_VOLUME, "type": "db"}]}, "has not one data volume"),
        ({"0": [OUR_VOLUME, {**OUR_VOLUME, "lv_path": "/dev/b"}]}, "has not one data volume"),
        ({"0": [volume("/dev/a", "/dev/b", OURS, OUR_OSD, osd_id="x")]}, "has not one data volume"),
    ],
)
def test_what_is_no_whole_osd_is_named_and_skipped(document: dict[str, Any], words: str) -> None:
    osds, messages = lvm_list.parse(json.dumps(document))
    assert osds == []
    assert words in messages[0]


@pytest.mark.parametrize("text", ["{", "[]"])
def test_what_is_no_list_is_a_message(text: str) -> None:
    osds, messages = lvm_list.parse(text)
    assert (osds, len(messages)) == ([], 1)


def device(kind: str, path: str = "/dev/x", **fields: Any) -> lsblk.Device:
    return lsblk.Device(name="x", path=path, type=kind, size=1, **fields)


@pytest.mark.parametrize(
    ("one", "asked"),
    [
        (device("disk"), False),
        (device("disk", filesystem="LVM2_member"), True),
        (device("disk", filesystem="LVM2_member", children=("dm-0",)), False),
        (device("lvm", "/dev/mapper/debian-root", filesystem="ext4"), False),
        (device("lvm", osd={"id": 0}), True),
        (device("lvm", filesystem="crypto_LUKS"), True),
        (device("lvm", "/dev/mapper/ceph--aa-osd--db--1"), True),
    ],
)
def test_only_where_it_can_know_more_is_ceph_volume_asked(one: lsblk.Device, asked: bool) -> None:  # noqa: FBT001
    assert lvm_list.may_hold_osds([one]) is asked


def test_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps({"0": [OUR_VOLUME], "oops": []})
    errors: list[str] = []
    monkeypatch.setattr(child, "output", lambda _command, _seconds: (0, text, ""))
    assert [osd.uuid for osd in lvm_list.ask(1.0, errors)] == [OUR_OSD]
    assert len(errors) == 1


@pytest.mark.parametrize(
    "answer", [(1, "", "it broke\n"), TimeoutError("late"), FileNotFoundError()]
)
def test_a_failure_is_an_error_of_the_host(
    monkeypatch: pytest.MonkeyPatch, answer: tuple[int, str, str] | Exception
) -> None:
    def output(_command: list[str], _seconds: float) -> tuple[int, str, str]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(child, "output", output)
    errors: list[str] = []
    assert lvm_list.ask(1.0, errors) == []
    assert len(errors) == 1
