"""A device is written only when it is blank in every way: one reason for each thing that may be."""

import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    child,
    device_head,
    device_lock,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

from tests.unit.plugins.module_utils.test_bluestore_label import FSID, UUID, label

GIB = 1 << 30


class Machine:
    """One device, which is a sparse file, and what the programs say of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.node: dict[str, Any] = {"name": str(path), "type": "disk", "size": 2 * GIB}
        self.signatures: list[str | None] = []
        self.around: list[str | None] = []  # of /dev/sda, the disk when this is a partition
        with path.open("wb") as stream:
            stream.truncate(2 * GIB)

    def write(self, position: int, block: bytes) -> None:
        with self.path.open("r+b") as stream:
            stream.seek(position)
            stream.write(block)

    def run(self, argv: list[str], _seconds: float) -> str:
        if argv[0] == "lsblk":
            return json.dumps({"blockdevices": [self.node]})
        found = self.around if argv[-1] == "/dev/sda" else self.signatures
        return json.dumps({"signatures": [{"type": one} for one in found]})

    def reason(self, *, allow_loop: bool = False) -> str:
        return blank.refusal(blank.look(str(self.path)), allow_loop=allow_loop)


def here(
    paths: Iterable[str], look: Callable[[str], blank.Look], _seconds: float, _at_once: int
) -> dict[str, blank.Look]:
    """What children would do, in this process, where it can be replaced."""
    return {path: look(path) for path in paths}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path / "sdb")
    monkeypatch.setattr(program, "run", machine.run)
    monkeypatch.setattr(child, "each", here)
    monkeypatch.setattr(stat, "S_ISBLK", stat.S_ISREG)
    monkeypatch.setattr(blank, "_in_use", lambda _device: False)
    return machine


@pytest.mark.parametrize("kind", ["disk", "part", "mpath", "crypt", "linear", "lvm"])
def test_a_blank_device(machine: Machine, kind: str) -> None:
    machine.node["type"] = kind
    assert machine.reason() == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "rom"}, "its type is rom"),
        ({"type": None}, "its type is unknown"),
        ({"type": "loop"}, "it is a loop device"),
        ({"size": 0}, "its size is 0"),
        ({"ro": True}, "it is read-only"),
        ({"ro": "1"}, "it is read-only"),
        ({"mountpoint": "/srv"}, "it is mounted on /srv"),
        ({"children": [{"name": "sdb1"}]}, "it has partitions or holders: sdb1"),
        ({"fstype": "xfs"}, "it holds xfs"),
        ({"pttype": "gpt"}, r"it holds a partition table \(gpt\)"),
        ({"type": "part", "pttype": "atari"}, r"it holds a partition table \(atari\)"),
    ],
)
def test_what_lsblk_knows(machine: Machine, fields: dict[str, Any], words: str) -> None:
    machine.node.update(fields)
    assert re.search(words, machine.reason())


def test_the_table_around_a_partition_is_not_in_it(machine: Machine) -> None:
    machine.node.update(type="part", pttype="gpt")
    assert machine.reason() == ""
    machine.signatures = ["gpt"]
    assert machine.reason() == "it holds gpt"


@pytest.mark.parametrize(
    "signature", ["linux_raid_member", "zfs_member", "crypto_LUKS", "LVM2_member", "dos", None]
)
def test_what_the_content_shows(machine: Machine, signature: str | None) -> None:
    machine.signatures = [signature]
    assert machine.reason() == f"it holds {signature or 'an unknown signature'}"


def test_data_without_a_signature_is_not_blank(machine: Machine) -> None:
    machine.write(128 << 10, b"a database on a raw disk")
    assert machine.reason() == "it holds data of no known kind in its first 4 MiB"


def test_an_end_that_cannot_be_read_is_not_blank(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A RAID or ZFS has its only mark there, and wipefs does not say that it could not read it."""

    def fail(_path: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(device_head, "read_end", fail)
    assert machine.reason() == "it cannot be read: [Errno 5] Input/output error"


def test_loop_devices_only_when_allowed(machine: Machine) -> None:
    machine.node["type"] = "loop"
    assert machine.reason(allow_loop=True) == ""


def test_an_osd(machine: Machine) -> None:
    machine.write(0, label())
    assert machine.reason() == f"it holds the OSD {UUID} of the cluster {FSID}"
    machine.write(0, label({}))
    assert "of no cluster" in machine.reason()


def test_a_damaged_label_is_not_blank(machine: Machine) -> None:
    machine.write(0, label()[:100])
    assert "cannot be read: the BlueStore label is damaged" in machine.reason()


def test_an_osd_whose_head_is_gone(machine: Machine) -> None:
    machine.write(GIB, label())
    assert "holds an OSD whose head is damaged" in machine.reason()


def test_a_device_that_something_has_open(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blank, "_in_use", lambda _device: True)
    assert "has it open for itself" in machine.reason()


def test_a_phantom_in_an_osd(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = machine.path.parent / "whole"
    disk.write_bytes(label())
    monkeypatch.setattr(
        blank, "_label_of_disk", lambda _device: blank.bluestore_label.read(str(disk))
    )
    machine.node["type"] = "part"
    assert machine.reason() == f"it holds the OSD {UUID} of the cluster {FSID}"


def partition(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sdb a partition of sda, as sysfs shows it."""
    sysfs = machine.path.parent / "sys"
    (sysfs / "devices" / "sda" / "sdb").mkdir(parents=True)
    (sysfs / "devices" / "sda" / "sdb" / "partition").write_text("2\n")
    (sysfs / "sdb").symlink_to(sysfs / "devices" / "sda" / "sdb")
    monkeypatch.setattr(blank, "_SYS", sysfs)
    monkeypatch.setattr(blank, "_label_of_disk", lambda _device: None)
    machine.node["type"] = "part"


@pytest.mark.parametrize(
    ("on_the_disk", "reason"),
    [
        (["gpt", "PMBR"], ""),
        (["dos"], ""),
        (["linux_raid_member", "gpt"], "the disk around it holds linux_raid_member"),
        (["zfs_member", "gpt", "zfs_member"], "the disk around it holds zfs_member"),
        ([None], "the disk around it holds an unknown signature"),
    ],
)
def test_a_blank_partition_of_a_disk_that_is_something_as_a_whole(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    on_the_disk: list[str | None],
    reason: str,
) -> None:
    partition(machine, monkeypatch)
    machine.around = on_the_disk
    assert machine.reason() == reason


def test_a_partition_of_a_disk_that_cannot_be_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition(machine, monkeypatch)

    def run(argv: list[str], seconds: float) -> str:
        if argv[-1] == "/dev/sda":
            raise HostError("wipefs: rc 1")
        return machine.run(argv, seconds)

    monkeypatch.setattr(program, "run", run)
    assert machine.reason() == "it cannot be read: wipefs: rc 1"


def test_what_cannot_be_looked_at_is_not_blank(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_argv: list[str], _seconds: float) -> str:
        raise HostError("wipefs: rc 1")

    monkeypatch.setattr(program, "run", fail)
    assert machine.reason() == "it cannot be read: wipefs: rc 1"


def test_a_device_that_is_not_there(machine: Machine) -> None:
    machine.path.unlink()
    assert machine.reason() == "it does not exist"


def test_a_device_that_hangs(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(paths: Iterable[str], *_how: object) -> dict[str, TimeoutError]:
        return dict.fromkeys(paths, TimeoutError("no answer within 60 s"))

    monkeypatch.setattr(child, "each", hang)
    assert machine.reason() == "it cannot be read: no answer within 60 s"


def test_devices_are_looked_at_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(path: str) -> blank.Look:
        time.sleep(60.0 if path.startswith("/dev/hangs") else 0.0)
        return blank.Look(path)

    monkeypatch.setattr(blank, "_look", look)
    monkeypatch.setattr(blank, "_LOOK_SECONDS", 2.0)
    hanging = [f"/dev/hangs{number}" for number in range(4)]
    begun = time.monotonic()
    found = blank.looks(["/dev/sda", *hanging, "/dev/sdb"])
    assert time.monotonic() - begun < 6.0
    assert found["/dev/sda"].problem == found["/dev/sdb"].problem == ""
    problems = {found[path].problem for path in hanging}
    assert problems == {"it cannot be read: no answer within 2 s"}


def test_a_look_reads_what_is_on_the_disk_now(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has it open keeps the kernel's memory of it, which another path's writes pass by."""
    calls: list[str] = []

    def forget(descriptor: int) -> None:
        calls.append(os.path.realpath(f"/proc/self/fd/{descriptor}"))
        machine.write(0, label())

    monkeypatch.setattr(device_head, "forget", forget)
    assert machine.reason() == f"it holds the OSD {UUID} of the cluster {FSID}"
    assert calls == [str(machine.path)]


def test_a_file_is_no_device(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert blank.look(str(tmp_path / "file")).problem == "it is not a block device"


@pytest.mark.parametrize(
    ("number", "locked", "busy"), [(16, False, True), (0, False, False), (0, True, True)]
)
def test_the_kernel_is_asked_for_the_device_alone_and_for_an_osd_s_lock(
    monkeypatch: pytest.MonkeyPatch, number: int, *, locked: bool, busy: bool
) -> None:
    flags: list[int] = []

    def opened(_path: str, flag: int) -> int:
        flags.append(flag)
        if number:
            raise OSError(number, "busy")
        return 77

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "close", lambda _descriptor: None)
    monkeypatch.setattr(device_lock, "is_held", lambda descriptor: descriptor == 77 and locked)
    assert blank._in_use("/dev/sdb") is busy
    assert flags[0] & os.O_EXCL
