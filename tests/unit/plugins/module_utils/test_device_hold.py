"""Between a look and the write: a device that shows anything else is left, and its name is kept."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import blank, device_hold
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

LINK = "/dev/disk/by-id/wwn-0x1"


class Machine:
    def __init__(self, folder: Path) -> None:
        self.disk, self.fast = folder / "sdb", folder / "nvme0n1"
        for path in (self.disk, self.fast):
            path.write_bytes(bytes(4096))
        self.seen = (
            blank.Look(LINK, str(self.disk), type="disk", size=6 << 30),
            blank.Look(str(self.fast), str(self.fast), type="disk", size=6 << 30),
        )
        self.now = {one.path: one for one in self.seen}
        self.open_then: set[str] = set()

    def looks(self, paths: Iterable[str]) -> dict[str, blank.Look]:
        self.open_then = held()
        return {path: self.now[path] for path in paths}


def held() -> set[str]:
    return {os.path.realpath(one) for one in Path("/proc/self/fd").iterdir()}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setattr(blank, "looks", machine.looks)
    return machine


def test_devices_are_open_from_before_the_last_look_until_they_are_written(
    machine: Machine,
) -> None:
    both = {str(machine.disk), str(machine.fast)}
    with device_hold.unchanged(machine.seen):
        assert both <= machine.open_then
        assert both <= held()
    assert not both & held()


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"signatures": ("ext4",)}, "it holds ext4"),
        ({"mountpoint": "/srv"}, "it is mounted on /srv"),
        ({"children": ("/dev/sdb1",)}, "it has partitions or holders: /dev/sdb1"),
        ({"in_use": True}, "something on the machine has it open for itself"),
        ({"problem": "it does not exist"}, "it does not exist"),
        ({"device": "/dev/sdc"}, "it is /dev/sdc now"),
        ({"size": 7 << 30}, "it is /.* now"),
    ],
)
def test_a_device_that_shows_anything_else_is_left(
    machine: Machine, which: int, fields: dict[str, Any], words: str
) -> None:
    one = machine.seen[which]
    machine.now[one.path] = replace(one, **fields)
    with (
        pytest.raises(HostError, match=f"{one.path} has changed since it was looked at: {words}"),
        device_hold.unchanged(machine.seen),
    ):
        pytest.fail("it would be written")
    assert str(machine.disk) not in held()


def test_a_device_that_is_gone_is_left(machine: Machine) -> None:
    machine.fast.unlink()
    with (
        pytest.raises(HostError, match="cannot be opened any more: No such file"),
        device_hold.unchanged(machine.seen),
    ):
        pytest.fail("it would be written")
    assert str(machine.disk) not in held()
