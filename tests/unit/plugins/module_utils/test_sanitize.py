"""A disk is cleared by its own word alone, and by the same word again while it is written."""

import os
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    device_lock,
    label_copies,
    sanitize,
)

from tests.unit.plugins.module_utils.test_bluestore_label import FSID, UUID, label

OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
SIZE = 24 << 20
OURS = sanitize.Owner(FSID)
QUICK = sanitize.Way()


def seen(**values: Any) -> blank.Look:
    plain = {"type": "disk", "size": SIZE, "label": bluestore_label.parse(label())}
    return blank.Look("/dev/by/link", "/dev/sdb", **{**plain, **values})


def test_an_osd_of_the_cluster_is_cleared() -> None:
    assert sanitize.judge(seen(), OURS) == sanitize.Verdict("/dev/by/link", "/dev/sdb", clear=True)


def test_a_blank_device_is_clear_already() -> None:
    found = sanitize.judge(seen(label=None), OURS)
    assert (found.clear, found.refusal) == (False, "")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"problem": "it does not exist"}, "it does not exist"),
        (
            {"label": None, "signatures": ("ext4",)},
            "it shows no OSD of the cluster {}: it holds ext4",
        ),
        (
            {"label": None, "copies": ("a copy",)},
            "it shows no OSD of the cluster {}: it holds an OSD",
        ),
        ({"mountpoint": "/srv"}, "it is mounted on /srv"),
        ({"children": ("/dev/sdb1",)}, "it has partitions or holders: /dev/sdb1"),
        ({"read_only": True}, "it is read-only"),
    ],
)
def test_anything_else_stays_and_says_why(values: dict[str, Any], text: str) -> None:
    found = sanitize.judge(seen(**values), OURS)
    assert not found.clear
    assert found.refusal.startswith(text.format(FSID))


def test_another_clusters_osd_stays_with_both_values() -> None:
    found = sanitize.judge(seen(), sanitize.Owner(OTHER))
    assert found.refusal == f"it holds the OSD {UUID} of the cluster {FSID}, not of {OTHER}"


def test_a_half_made_osd_is_ours_by_the_uuid_that_we_asked_for() -> None:
    nameless = bluestore_label.Label(osd_uuid=UUID, size=SIZE, description="main")
    assert not sanitize.judge(seen(label=nameless), OURS).clear
    assert sanitize.judge(seen(label=nameless), sanitize.Owner(FSID, frozenset([UUID]))).clear


def test_a_label_without_fsid_is_not_of_a_cluster_without_one() -> None:
    """The device of a DB names no cluster, whoever's it is."""
    nameless = bluestore_label.Label(osd_uuid=UUID, size=SIZE, description="bluefs db")
    found = sanitize.judge(seen(label=nameless), sanitize.Owner(""))
    assert not found.clear
    assert "of no cluster" in found.refusal


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small disk full of data with a label, a copy of it and something at the end."""
    monkeypatch.setattr(label_copies, "POSITIONS", (16 << 20, 1 << 40))
    path = tmp_path / "sdb"
    path.write_bytes(b"\xaa" * SIZE)
    with path.open("r+b") as stream:
        for position in (0, 16 << 20):
            stream.seek(position)
            stream.write(label())
    return path


def test_quick_clears_labels_and_signatures_and_leaves_the_rest(disk: Path) -> None:
    sanitize.clear(str(disk), OURS, QUICK)
    data = disk.read_bytes()
    assert not any(data[: 10 << 20])
    assert not any(data[16 << 20 : (16 << 20) + 4096])
    assert not any(data[-(1 << 20) :])
    assert set(data[11 << 20 : 16 << 20]) == {0xAA}
    assert len(data) == SIZE


@pytest.mark.parametrize("source", ["zero", "random"])
def test_complete_leaves_nothing_and_the_disk_blank_for_the_next(disk: Path, source: str) -> None:
    sanitize.clear(str(disk), OURS, sanitize.Way("complete", source, 2))
    data = disk.read_bytes()
    assert b"\xaa" * 64 not in data
    assert not any(data[: 10 << 20])
    assert any(data) is (source == "random")


def test_the_label_goes_last_so_that_a_cut_clearing_goes_on(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fill(descriptor: int, start: int, end: int, source: str) -> None:
        del descriptor, end, source
        calls.append(start)
        assert bluestore_label.read(str(disk)) is not None
        if len(calls) == 3:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sanitize, "_fill", fill)
    with pytest.raises(sanitize.HostError, match="cannot be cleared: Input/output error"):
        sanitize.clear(str(disk), OURS, sanitize.Way("complete", "zero", 1))
    monkeypatch.undo()
    sanitize.clear(str(disk), OURS, QUICK)
    assert bluestore_label.read(str(disk)) is None


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        (sanitize.Owner(OTHER), f"its label is of {FSID} now, not of {OTHER}, so it stays"),
        (OURS, "its label is gone now"),
    ],
)
def test_a_disk_that_changed_since_it_was_judged_stays(
    disk: Path, owner: sanitize.Owner, text: str
) -> None:
    if owner is OURS:
        disk.write_bytes(b"\xaa" * SIZE)
    before = disk.read_bytes()
    with pytest.raises(sanitize.HostError, match=text):
        sanitize.clear(str(disk), owner, QUICK)
    assert disk.read_bytes() == before


def test_a_disk_that_somebody_has_open_stays(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_arguments: Any) -> int:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(device_lock.os, "open", busy)
    with pytest.raises(sanitize.HostError, match="has it open for itself, so it stays"):
        sanitize.clear(str(disk), OURS, QUICK)


def test_a_disk_on_which_an_osd_runs_stays(disk: Path) -> None:
    before = disk.read_bytes()
    running = device_lock.opened(str(disk))  # as the OSD would
    with pytest.raises(sanitize.HostError, match="an OSD runs on it, so it stays"):
        sanitize.clear(str(disk), OURS, QUICK)
    os.close(running)
    assert disk.read_bytes() == before
