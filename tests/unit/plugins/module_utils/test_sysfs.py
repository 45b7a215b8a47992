"""The kernel's list, from a tree of files like /sys."""

from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import sysfs


class Kernel:
    """A /sys/class/block that is filled one device at a time."""

    def __init__(self, root: Path) -> None:
        self.real, self.block = root / "devices", root / "class"
        self.block.mkdir()

    def add(self, name: str, inside: str = "", **files: str) -> Path:
        folder = self.real / inside / name
        folder.mkdir(parents=True)
        for path, text in {"size": "2048", "dev": "8:0", "ro": "0", **files}.items():
            target = folder / path.replace("__", "/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text + "\n")
        (self.block / name).symlink_to(folder)
        return folder

    def hold(self, lower: str, upper: str) -> None:
        holders = (self.block / lower).resolve() / "holders"
        holders.mkdir(exist_ok=True)
        (holders / upper).symlink_to(self.block / upper)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel(tmp_path)
    monkeypatch.setattr(sysfs, "BLOCK", kernel.block)
    monkeypatch.setattr(sysfs, "MOUNTS", tmp_path / "mountinfo")
    monkeypatch.setattr(sysfs, "SWAPS", tmp_path / "swaps")
    (tmp_path / "mountinfo").write_text("29 1 8:2 / /srv/data rw - ext4 /dev/sda2 rw\nodd\n")
    return kernel


def test_disks_partitions_and_what_is_made_of_them(kernel: Kernel) -> None:
    kernel.add("sda", device__model="ST480", queue__rotational="1", removable="0")
    kernel.add("sda1", inside="sda", partition="1", dev="8:1")
    kernel.add("sda2", inside="sda", partition="2", dev="8:2")
    kernel.add("dm-0", dm__name="vg-lv", dm__uuid="LVM-abc", dev="254:0")
    kernel.add("ram0")
    kernel.hold("sda1", "dm-0")
    (sda,) = sysfs.tree()
    assert (sda["path"], sda["type"], sda["size"], sda["model"]) == (
        "/dev/sda",
        "disk",
        1 << 20,
        "ST480",
    )
    first, second = sda["children"]
    assert (first["type"], first["rota"], first["children"][0]["path"]) == (
        "part",
        "1",
        "/dev/mapper/vg-lv",
    )
    assert first["children"][0]["type"] == "lvm"
    assert second["mountpoints"] == ["/srv/data"]


@pytest.mark.parametrize(
    ("name", "files", "kind", "path"),
    [
        ("loop3", {}, "loop", "/dev/loop3"),
        ("sr0", {"device__type": "5"}, "rom", "/dev/sr0"),
        ("md0", {"md__level": "raid1"}, "raid1", "/dev/md0"),
        ("dm-1", {"dm__uuid": "mpath-36", "dm__name": "mpatha"}, "mpath", "/dev/mapper/mpatha"),
        ("dm-2", {"dm__uuid": "part1-mpath-36", "dm__name": "p1"}, "part", "/dev/mapper/p1"),
        ("dm-3", {"dm__uuid": "CRYPT-LUKS2-x", "dm__name": "c"}, "crypt", "/dev/mapper/c"),
        ("dm-4", {"dm__uuid": "", "dm__name": "x"}, "dm", "/dev/mapper/x"),
        ("cciss!c0d0", {}, "disk", "/dev/cciss/c0d0"),
    ],
)
def test_kinds(kernel: Kernel, name: str, files: dict[str, str], kind: str, path: str) -> None:
    kernel.add(name, **files)
    (node,) = sysfs.tree()
    assert (node["type"], node["path"]) == (kind, path)


def test_no_sysfs_is_no_device(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysfs, "BLOCK", Path("/does/not/exist"))
    assert sysfs.tree() == []
