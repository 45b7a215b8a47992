"""The OSDs of a host: by labels and by tags, two clusters side by side (C03, C07)."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    devices,
    lvm_list,
    managed_file,
    osd_listing,
    prepare_orders,
    systemd,
)

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
FOUR = "44444444-0000-4000-8000-000000000004"
FIVE = "55555555-0000-4000-8000-000000000005"


def disk(
    name: str, osd_id: int, uuid: str, fsid: str = OURS, holders: tuple[str, ...] = ()
) -> devices.Device:
    return devices.Device(
        name=name,
        path=f"/dev/{name}",
        by_id=f"/dev/disk/by-id/{name}",
        type="disk",
        size=1,
        holders=holders,
        osd={"id": osd_id, "uuid": uuid, "fsid": fsid},
    )


def volume(osd_id: int, uuid: str, fsid: str = OURS) -> lvm_list.LvmOsd:
    return lvm_list.LvmOsd(
        id=osd_id, uuid=uuid, fsid=fsid, path="/dev/vg/lv", devices=("/dev/sdz",)
    )


def test_c07_an_osd_is_its_uuid_wherever_it_is() -> None:
    before = osd_listing.osds([disk("sde", 4, FOUR), disk("sdd", 5, FIVE)], [], OURS)
    after = osd_listing.osds([disk("sdd", 4, FOUR), disk("sde", 5, FIVE)], [], OURS)
    assert [(osd["id"], osd["uuid"]) for osd in before] == [(4, FOUR), (5, FIVE)]
    assert [(osd["id"], osd["uuid"]) for osd in after] == [(4, FOUR), (5, FIVE)]
    assert [osd["path"] for osd in after] == ["/dev/disk/by-id/sdd", "/dev/disk/by-id/sde"]


def test_c03_other_clusters_and_unfinished_ones_are_none_of_ours() -> None:
    found = [disk("sda", 0, FOUR), disk("sdb", 0, FIVE, OTHER), disk("sdc", -1, FIVE)]
    assert [osd["uuid"] for osd in osd_listing.osds(found, [volume(7, FIVE, OTHER)], OURS)] == [
        FOUR
    ]


def test_the_upper_device_counts() -> None:
    found = [disk("sda", 4, FOUR, holders=("dm-0",)), disk("dm-0", 4, FOUR)]
    (osd,) = osd_listing.osds(found, [], OURS)
    assert osd["path"] == "/dev/disk/by-id/dm-0"


def test_an_encrypted_osd_is_known_by_its_tags() -> None:
    (osd,) = osd_listing.osds([], [volume(4, FOUR)], OURS)
    assert (osd["path"], osd["below"]) == ("/dev/vg/lv", ["/dev/sdz"])


def test_an_osd_on_a_volume_with_a_label_comes_once() -> None:
    (osd,) = osd_listing.osds([disk("dm-3", 4, FOUR)], [volume(4, FOUR)], OURS)
    assert (osd["path"], osd["below"]) == ("/dev/disk/by-id/dm-3", ["/dev/sdz"])


def test_what_was_wanted_of_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    lvm = devices.Device(name="dm-9", path="/dev/mapper/x-osd--block--y", type="lvm", size=1)
    monkeypatch.setattr(devices, "collect", lambda _seconds: [disk("sdb", 4, FOUR), lvm])
    monkeypatch.setattr(prepare_orders, "listed", lambda: [volume(5, FIVE)])
    monkeypatch.setattr(blank, "resolve", lambda path: path.replace("/disk/by-id", ""))
    units = {
        f"ceph-osd@{osd_id}.service": systemd.parse(
            f"Id=ceph-osd@{osd_id}.service\nLoadState=loaded\nActiveState=active\nSubState=running"
        )
        for osd_id in (4, 5)
    }
    monkeypatch.setattr(systemd, "show", lambda _names: units)
    folders = {"/var/lib/ceph/osd/ceph-4/fsid": FOUR + "\n"}
    monkeypatch.setattr(managed_file, "read", lambda path: folders.get(path, ""))
    wanted = [
        {"path": "/dev/disk/by-id/sdb", "device_class": "ssd"},
        {"path": "/dev/sdz", "device_class": "", "initial_weight": "0.5"},
    ]
    four, five = osd_listing.collect({"fsid": OURS, "devices": wanted}, ["/dev/sdz"])
    assert (four["device_class"], four["new"], four["running"]) == ("ssd", False, True)
    assert (five["initial_weight"], five["new"], five["running"]) == ("0.5", True, False)
    assert "below" not in five
