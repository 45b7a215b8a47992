"""`ceph-volume raw list` as Ceph 16 and 20 print it."""

import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import child, raw_list

UUID = "406c57fa-70e1-4fc6-949b-6e22ba2021ff"
FSID = "0a1b2c3d-1111-4222-8333-444455556666"
OSD = {
    "ceph_fsid": FSID,
    "device": "/dev/sdb",
    "osd_id": 0,
    "osd_uuid": UUID,
    "type": "bluestore",
}


@pytest.mark.parametrize("key", [UUID, "0"])
def test_an_osd(key: str) -> None:
    (found,) = raw_list.parse(json.dumps({key: OSD}))
    assert found == raw_list.RawOsd(0, UUID, FSID, "/dev/sdb")
    assert str(found) == f"osd.0, uuid {UUID}, of the cluster {FSID}"


def test_its_other_devices() -> None:
    text = json.dumps({UUID: {**OSD, "device_db": "/dev/nvme0n1p1", "device_wal": "None"}})
    (found,) = raw_list.parse(text)
    assert (found.db, found.wal) == ("/dev/nvme0n1p1", "")


@pytest.mark.parametrize(
    "entry",
    [None, [], {}, {**OSD, "osd_id": None}, {**OSD, "osd_uuid": None}, {**OSD, "device": ""}],
)
def test_what_is_no_osd_is_skipped(entry: object) -> None:
    assert raw_list.parse(json.dumps({UUID: entry})) == []


@pytest.mark.parametrize("text", ["{", "[]"])
def test_what_is_no_list_is_an_error(text: str) -> None:
    with pytest.raises(raw_list.RawListError):
        raw_list.parse(text)


def test_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "output", lambda _command, _seconds: (0, json.dumps({"0": OSD}), ""))
    found = raw_list.ask("/dev/sdb", 1.0)
    assert found
    assert found.uuid == UUID
    monkeypatch.setattr(child, "output", lambda _command, _seconds: (0, "", ""))
    assert raw_list.ask("/dev/sdb", 1.0) is None
    monkeypatch.setattr(child, "output", lambda _command, _seconds: (1, "", "x\nno such device\n"))
    with pytest.raises(raw_list.RawListError, match="no such device"):
        raw_list.ask("/dev/sdb", 1.0)


@pytest.mark.parametrize("failure", [FileNotFoundError(2, "ceph-volume"), TimeoutError("late")])
def test_a_missing_or_hanging_program(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    def output(_command: list[str], _seconds: float) -> tuple[int, str, str]:
        raise failure

    monkeypatch.setattr(child, "output", output)
    with pytest.raises(raw_list.RawListError, match="raw list"):
        raw_list.ask("/dev/sdb", 1.0)
