"""What blkid and wipefs say of a device's content, and that silence is never taken for blank."""

import json
import os
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    child,
    device_head,
    probe,
)

from tests.e2e import contents

Answer = tuple[int, str, str]


def answers(monkeypatch: pytest.MonkeyPatch, blkid: Answer, wipefs: Answer) -> None:
    monkeypatch.setattr(child, "run", lambda command: blkid if command[0] == "blkid" else wipefs)


def listed(*types: str | None) -> Answer:
    """Give wipefs' list as util-linux 2.38 prints it."""
    entries = [{"device": "sdb", "offset": "0x218", "type": name, "uuid": None} for name in types]
    return 0, json.dumps({"signatures": entries}), ""


@pytest.mark.parametrize(
    ("blkid", "wipefs", "expected"),
    [
        ((2, "", ""), (0, "", ""), probe.Content()),
        ((2, "", ""), listed(), probe.Content()),
        ((0, "DEVNAME=/dev/x\nTYPE=xfs\n", ""), listed("xfs"), probe.Content("xfs", "", ("xfs",))),
        (
            (0, "PTTYPE=gpt\n", ""),
            listed("gpt", "gpt", "PMBR"),
            probe.Content("", "gpt", ("PMBR", "gpt")),
        ),
        (
            (0, "TYPE=zfs_member\n", ""),
            listed("zfs_member", "zfs_member"),
            probe.Content("zfs_member", "", ("zfs_member",)),
        ),
        (
            (8, "", "ambivalent result"),
            listed("ext4", "linux_raid_member"),
            probe.Content("ambivalent", "", ("ambivalent", "ext4", "linux_raid_member")),
        ),
        ((2, "", ""), listed("LVM2_member"), probe.Content("LVM2_member", "", ("LVM2_member",))),
        ((0, "PTTYPE=atari\n", ""), listed(), probe.Content("", "atari", ("atari",))),
        (
            (2, "", ""),
            listed(None),
            probe.Content("an unknown signature", "", ("an unknown signature",)),
        ),
        (
            (2, "", ""),
            (0, "not JSON", ""),
            probe.Content("an unknown signature", "", ("an unknown signature",)),
        ),
    ],
)
def test_what_is_on_a_device(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    blkid: Answer,
    wipefs: Answer,
    expected: probe.Content,
) -> None:
    answers(monkeypatch, blkid, wipefs)
    assert probe.look(str(disk(tmp_path))) == expected


def disk(folder: Path, *written: tuple[int, bytes]) -> Path:
    path = folder / "sdb"
    with path.open("wb") as stream:
        stream.truncate(8 << 20)
        for position, data in written:
            stream.seek(position)
            stream.write(data)
    return path


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (0, "data of no known kind"),
        (128 << 10, "data of no known kind"),
        ((4 << 20) - 1, "data of no known kind"),
        (4 << 20, ""),
    ],
)
def test_data_that_no_program_knows_is_not_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int, expected: str
) -> None:
    answers(monkeypatch, (2, "", ""), listed())
    assert probe.look(str(disk(tmp_path, (position, b"x")))).filesystem == expected


@pytest.mark.parametrize(
    ("blkid", "wipefs"),
    [((4, "", "cannot open"), listed()), ((2, "", ""), (1, "", "cannot open"))],
)
def test_a_program_that_fails_is_not_a_blank_device(
    monkeypatch: pytest.MonkeyPatch, blkid: Answer, wipefs: Answer
) -> None:
    answers(monkeypatch, blkid, wipefs)
    with pytest.raises(OSError, match="cannot open"):
        probe.look("/dev/sdb")


def test_an_end_that_cannot_be_read_is_not_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """wipefs 2.38 and blkid say then that nothing is there, and end with 0 and 2."""
    answers(monkeypatch, (2, "", ""), listed())
    monkeypatch.setattr(device_head, "read_end", broken)
    with pytest.raises(OSError, match="Input/output error"):
        probe.look(str(disk(tmp_path)))


def broken(_path: str) -> None:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize("name", contents.AT_THE_END)
def test_a_mark_at_the_end_alone_is_found_by_the_real_programs(tmp_path: Path, name: str) -> None:
    path = tmp_path / "sdb"
    path.touch()
    os.truncate(path, 256 << 20)
    contents.AT_THE_END[name](path)
    assert device_head.is_zero(str(path))
    assert name.split(maxsplit=1)[0] in probe.look(str(path)).signatures


@pytest.mark.parametrize("name", ["filesystem", "partition table", "lvm", "raid", "zfs", "luks"])
def test_a_mark_at_the_beginning_is_found_by_the_real_programs(tmp_path: Path, name: str) -> None:
    path = tmp_path / "sdb"
    path.touch()
    os.truncate(path, 256 << 20)
    contents.HELD[name](path)
    assert probe.look(str(path)).signatures
