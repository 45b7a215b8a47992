"""Choosing what to prepare, and what the module says in the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    lvm_list,
    osd_listing,
    osd_prepare,
    prepare_orders,
    prepare_records,
    prepare_recovery,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_osd

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
UUID = "11111111-0000-4000-8000-000000000001"


def look(device: str, **fields: Any) -> blank.Look:
    return blank.Look(device, device, **{"type": "disk", "size": 100 << 30, **fields})


def label(fsid: str = FSID, **meta: str) -> bluestore_label.Label:
    whole = {"ceph_fsid": fsid, "whoami": "0", "ready": "ready", **meta}
    return bluestore_label.Label(UUID, 1, "main", whole)


def entry(path: str, **more: Any) -> dict[str, Any]:
    return {"path": path, "device_class": "", **more}


def plan(
    looks: list[blank.Look], *entries: dict[str, Any], osds: tuple[lvm_list.LvmOsd, ...] = ()
) -> ceph_osd.Plan:
    wanted = list(entries) or [entry(one.path) for one in looks]
    seen = {one.path: one for one in looks}
    return ceph_osd.difference(seen, wanted, FSID, allow_loop=False, on_volumes=osds)


def test_blank_ones_are_prepared_and_ours_are_left() -> None:
    found = plan([look("/dev/sdb"), look("/dev/sdc", label=label())])
    assert [one["path"] for one in found.prepare] == ["/dev/sdb"]
    assert found.refused == ()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"label": label(OTHER)}, f"of the cluster {OTHER}"),
        ({"label": label(ready="")}, f"of the cluster {FSID}"),  # half-made, by whom we do not know
        ({"signatures": ("ext4",)}, "it holds ext4"),
        ({"problem": "it cannot be read"}, "it cannot be read"),
    ],
)
def test_all_others_are_refused(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(prepare_records, "all_records", list)
    found = plan([look("/dev/sdb", **fields)])
    assert found.prepare == ()
    assert words in found.refused[0][1]


def test_another_device_of_the_name_is_refused() -> None:
    """Without a lasting name, sdb was 100 GiB when it was chosen."""
    wanted = entry("/dev/sdb", size=100 << 30)
    assert len(plan([look("/dev/sdb")], wanted).prepare) == 1
    found = plan([look("/dev/sdb", size=200 << 30)], wanted)
    assert found.prepare == ()
    assert "another device has its name now" in found.refused[0][1]


def test_two_names_of_one_device_are_one() -> None:
    link = blank.Look("/dev/link", "/dev/sdb", type="disk", size=1)
    assert len(plan([look("/dev/sdb"), link]).prepare) == 1


def test_what_we_left_half_made_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osd_prepare, "is_unfinished", lambda _look: True)
    assert len(plan([look("/dev/sdb", label=label(ready=""))]).prepare) == 1


def osd(number: int, fsid: str = FSID) -> lvm_list.LvmOsd:
    return lvm_list.LvmOsd(
        id=number, uuid=f"{UUID[:-1]}{number}", fsid=fsid, path="/dev/x", devices=("/dev/sdb",)
    )


@pytest.mark.parametrize(
    ("osds", "prepared", "refused"),
    [
        ((), 0, 1),  # LVM of somebody
        ((osd(1, OTHER),), 0, 1),
        ((osd(1),), 1, 0),
        ((osd(1), osd(2)), 0, 0),
    ],
)
def test_osds_that_are_missing_on_a_shared_device(
    monkeypatch: pytest.MonkeyPatch,
    osds: tuple[lvm_list.LvmOsd, ...],
    prepared: int,
    refused: int,
) -> None:
    monkeypatch.setattr(prepare_records, "all_records", list)
    seen = look("/dev/sdb", signatures=("LVM2_member",), children=("dm-1",))
    found = plan([seen], entry("/dev/sdb", osds_per_device=2), osds=osds)
    assert (len(found.prepare), len(found.refused)) == (prepared, refused)


def test_what_cannot_be_made_as_wanted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare_records, "all_records", list)
    found = plan([look("/dev/sdb")], entry("/dev/sdb", mode="raw", encrypted=True))
    assert "mode raw does not go with" in found.refused[0][1]


class Host:
    def __init__(self) -> None:
        self.looks = {"/dev/sdb": look("/dev/sdb"), "/dev/sdc": look("/dev/sdc", size=0)}
        self.records: list[prepare_records.Record] = []
        self.prepared: list[str] = []
        self.failure = ""

    def prepare_all(
        self, entries: list[dict[str, Any]], _parameters: object, _osds: object, lock: int
    ) -> list[osd_prepare.Attempt]:
        assert lock == 7
        self.prepared += [one["path"] for one in entries]
        return [osd_prepare.Attempt(one["path"], self.failure) for one in entries]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host()

    @contextmanager
    def alone() -> Iterator[int]:
        yield 7

    @contextmanager
    def asked(parameters: dict[str, Any]) -> Iterator[str]:
        yield parameters["cleaner_key"]

    def recover(_fsid: str, osds: str, records: list[prepare_records.Record]) -> list[str]:
        assert osds == "AQB"
        host.records = []
        return [f"{record.by_id}: cleared away" for record in records]

    monkeypatch.setattr(program, "require", lambda _names: None)
    monkeypatch.setattr(osd_prepare, "alone", alone)
    monkeypatch.setattr(osd_prepare, "asked", asked)
    monkeypatch.setattr(osd_prepare, "sweep", lambda: None)
    monkeypatch.setattr(osd_prepare, "prepare_all", host.prepare_all)
    monkeypatch.setattr(prepare_recovery, "recover", recover)
    monkeypatch.setattr(prepare_records, "all_records", lambda: host.records)
    monkeypatch.setattr(blank, "looks", lambda paths: {path: host.looks[path] for path in paths})
    monkeypatch.setattr(osd_listing, "collect", lambda _parameters, new: [{"new": list(new)}])
    return host


DEVICES = [{"path": "/dev/sdb"}, {"path": "/dev/sdc"}]
KEYS = {"bootstrap_key": "AQA", "cleaner_key": "AQB"}


def test_a_run(run, host) -> None:
    result = run(ceph_osd, fsid=FSID, devices=DEVICES, **KEYS)
    assert (result["changed"], host.prepared) == (True, ["/dev/sdb"])
    assert result["refused"] == [{"path": "/dev/sdc", "reason": "its size is 0"}]
    assert result["osds"] == [{"new": ["/dev/sdb"]}]
    assert (result["unfinished"], result["settled"]) == ([], [])


def test_a_failure_is_a_refusal(run, host) -> None:
    host.failure = "on fire"
    result = run(ceph_osd, fsid=FSID, devices=DEVICES[:1], **KEYS)
    assert result["refused"] == [{"path": "/dev/sdb", "reason": "on fire"}]
    assert result["osds"] == [{"new": []}]


def test_check_mode_changes_nothing(run, host) -> None:
    host.records = [prepare_records.Record("x", "/dev/sdz", "/dev/sdz", 1, FSID)]
    result = run(ceph_osd, check=True, fsid=FSID, devices=DEVICES)
    assert (result["changed"], result["blank"], host.prepared) == (True, ["/dev/sdb"], [])
    assert result["unfinished"][0]["by_id"] == "/dev/sdz"
    assert len(host.records) == 1


def test_what_was_cut_off_is_settled_whatever_is_wanted(run, host) -> None:
    host.records = [prepare_records.Record("x", "/dev/sdz", "/dev/sdz", 1, FSID)]
    result = run(ceph_osd, fsid=FSID, devices=[], **KEYS)
    assert (result["changed"], result["settled"]) == (True, ["/dev/sdz: cleared away"])
    assert result["unfinished"] == []


def test_nothing_is_written_without_keys(run, host) -> None:
    result = run(ceph_osd, fsid=FSID, devices=DEVICES, bootstrap_key="AQA")
    assert result["failed"]
    assert "no keys of" in result["msg"]
    assert host.prepared == []


def test_volumes_are_asked_for_only_where_there_are_some(
    run, host, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(prepare_orders, "listed", lambda: asked.append(True) or [])
    run(ceph_osd, fsid=FSID, devices=DEVICES, **KEYS)
    assert asked == []
    host.looks["/dev/sdb"] = look("/dev/sdb", signatures=("LVM2_member",))
    run(ceph_osd, fsid=FSID, devices=DEVICES, **KEYS)
    assert asked == [True]
