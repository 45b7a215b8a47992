import struct
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import bluestore_label

UUID = "e23a041c-94c3-4315-beb1-ae99bb85651b"
FSID = "0a1b2c3d-1111-4222-8333-444455556666"
META = {
    "ceph_fsid": FSID,
    "osd_key": "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA==",
    "whoami": "12",
}


def text(value: str) -> bytes:
    raw = value.encode("utf-8", "surrogateescape")
    return struct.pack("<I", len(raw)) + raw


def label(
    meta: dict[str, str] | None = None,
    description: str = "main",
    compat: int = 1,
    more: bytes = b"",
    uuid: str = UUID,
) -> bytes:
    """Encode bluestore_bdev_label_t in its block, as BlueStore does."""
    pairs = META if meta is None else meta
    body = bytes.fromhex(uuid.replace("-", "")) + struct.pack("<QII", 6442450944, 1, 2)
    body += text(description) + struct.pack("<I", len(pairs))
    body += b"".join(text(key) + text(value) for key, value in pairs.items()) + more
    head = bluestore_label.MAGIC + uuid.encode() + b"\n"
    whole = head + struct.pack("<BBI", 2, compat, len(body)) + body
    crc = bluestore_label._crc32c(whole)
    return (whole + struct.pack("<I", crc)).ljust(4096, b"\0")


def test_a_main_device_tells_its_osd_and_cluster() -> None:
    found = bluestore_label.parse(label())
    assert found
    assert (found.osd_uuid, found.osd_id, found.fsid) == (UUID, 12, FSID)
    assert (found.size, found.description) == (6442450944, "main")


def test_the_key_of_the_osd_is_dropped() -> None:
    found = bluestore_label.parse(label())
    assert found
    assert "AQAASYNTHETIC" not in repr(found)


def test_a_torn_label_is_damaged_and_never_none() -> None:
    torn = bytearray(label())
    torn[200] ^= 1
    with pytest.raises(bluestore_label.LabelError, match="checksum"):
        bluestore_label.parse(bytes(torn))


def test_fields_of_later_versions_are_skipped() -> None:
    found = bluestore_label.parse(label(more=b"\1\2\3"))
    assert found
    assert found.osd_id == 12


@pytest.mark.parametrize("meta", [{}, {"whoami": "x"}, {"ceph_fsid": FSID}])
def test_a_label_without_number_has_none(meta: dict[str, str]) -> None:
    found = bluestore_label.parse(label(meta, description="bluefs db"))
    assert found
    assert found.osd_id == -1


@pytest.mark.parametrize("head", [b"", b"\0" * 4096, b"LUKS\xba\xbe".ljust(4096, b"\0")])
def test_other_heads_have_no_label(head: bytes) -> None:
    assert bluestore_label.parse(head) is None


@pytest.mark.parametrize("length", [len(bluestore_label.MAGIC), 70, 100, 140])
def test_a_cut_label_is_damaged_and_not_absent(length: int) -> None:
    with pytest.raises(bluestore_label.LabelError, match="damaged"):
        bluestore_label.parse(label()[:length])


def test_an_unknown_encoding_is_damaged_and_not_absent() -> None:
    with pytest.raises(bluestore_label.LabelError, match="version 3"):
        bluestore_label.parse(label(compat=3))


def test_odd_bytes_in_the_meta_become_text() -> None:
    odd = b"\xff\xfeb\0".decode("utf-8", "surrogateescape")
    found = bluestore_label.parse(label({"whoami": "3", "note": odd}))
    assert found
    assert found.meta["note"].encode("utf-8")


def test_read_takes_only_the_head(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(label() + b"x" * 10_000)
    found = bluestore_label.read(str(disk))
    assert found
    assert found.osd_uuid == UUID
    with pytest.raises(FileNotFoundError):
        bluestore_label.read(str(tmp_path / "gone"))
