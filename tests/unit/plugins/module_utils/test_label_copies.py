"""Labels beyond the head of a device: on sparse files, as Ceph 20 leaves them."""

from pathlib import Path

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import label_copies

from tests.unit.plugins.module_utils.test_bluestore_label import FSID, UUID, label

GIB = 1 << 30


def disk(folder: Path, blocks: dict[int, bytes], size: int = 11 * GIB) -> str:
    path = folder / "disk"
    with path.open("wb") as stream:
        stream.truncate(size)
        for position, block in blocks.items():
            stream.seek(position)
            stream.write(block)
    return str(path)


def test_a_blank_disk_has_none(tmp_path: Path) -> None:
    assert list(label_copies.find(disk(tmp_path, {}))) == []


def test_a_disk_smaller_than_the_first_place(tmp_path: Path) -> None:
    assert list(label_copies.find(disk(tmp_path, {0: label()}, GIB))) == []


def test_each_place_is_looked_at(tmp_path: Path) -> None:
    found = list(label_copies.find(disk(tmp_path, {GIB: label(), 10 * GIB: label({})})))
    first, second = (str(copy) for copy in found)
    assert first == (
        f"a copy of BlueStore's label at 1 GiB names osd.12, uuid {UUID}, of the cluster {FSID}"
    )
    assert second.startswith("a copy of BlueStore's label at 10 GiB names an unfinished OSD, uuid")


def test_a_damaged_copy_still_tells_of_an_osd(tmp_path: Path) -> None:
    torn = label()[:100].ljust(4096, b"\0")
    (copy,) = label_copies.find(disk(tmp_path, {GIB: torn}))
    assert str(copy) == "a copy of BlueStore's label at 1 GiB, which is damaged too"
