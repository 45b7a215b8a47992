from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import udev

WWN = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4"
ATA = "/dev/disk/by-id/ata-ST480_ZA10000A"


def test_a_record_gives_links_and_properties() -> None:
    record = udev.parse(
        "S:disk/by-id/ata-ST480_ZA10000A\nL:0\nE:ID_PART_ENTRY_SCHEME=atari\nE:A=b=c\n"
    )
    assert record.links == (ATA,)
    assert record.properties == {"ID_PART_ENTRY_SCHEME": "atari", "A": "b=c"}
    assert record.known


def test_no_database_is_no_knowledge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udev, "DATABASE", tmp_path)
    assert not udev.record("8:0").known
    (tmp_path / "b8:0").write_bytes(b"E:ID_MODEL=\xff\xfe\n")
    assert udev.record("8:0").properties["ID_MODEL"] == r"\xff\xfe"


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([ATA, WWN, "/dev/disk/by-path/pci-0"], WWN),
        ([ATA, "/dev/disk/by-id/scsi-1ATA"], ATA),
        (
            ["/dev/disk/by-id/nvme-Samsung_S4", "/dev/disk/by-id/nvme-eui.0025385b"],
            "/dev/disk/by-id/nvme-eui.0025385b",
        ),
        (["/dev/disk/by-id/lab-disk-a"], "/dev/disk/by-id/lab-disk-a"),
        (
            ["/dev/disk/by-id/lvm-pv-uuid-aaa", "/dev/disk/by-id/virtio-1"],
            "/dev/disk/by-id/virtio-1",
        ),
        (["/dev/disk/by-path/pci-0", "/dev/disk/by-uuid/1"], "/dev/sda"),
        ([], "/dev/sda"),
    ],
)
def test_the_most_stable_name_is_chosen(links: list[str], expected: str) -> None:
    assert udev.stable_name("/dev/sda", links) == expected
    assert udev.stable_name("/dev/sda", reversed(links)) == expected


def test_a_name_that_two_devices_claim_is_not_stable() -> None:
    unsafe = udev.contested([udev.Record(links=(WWN, ATA)), udev.Record(links=(WWN,))])
    assert unsafe == {WWN}
    assert udev.stable_name("/dev/sda", [WWN, ATA], unsafe) == ATA


def test_only_links_that_lead_to_the_device_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(udev, "DEV", tmp_path)
    node = tmp_path / "sda"
    node.touch()
    by_id = tmp_path / "disk" / "by-id"
    by_id.mkdir(parents=True)
    for name in ("wwn-1", "dev\x07il", "\udcff"):
        (by_id / name).symlink_to("../../sda")
    (by_id / "dead").symlink_to("../../gone")
    found = udev.links_by_target([str(tmp_path / "ceph" / "claimed-but-never-made")])
    assert found[str(node)] == (str(by_id / "wwn-1"),)


def test_a_host_without_any_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(udev, "DEV", tmp_path)
    assert udev.links_by_target([]) == {}
