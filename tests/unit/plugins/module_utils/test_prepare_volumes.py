"""What is removed of a cut-off attempt with LVM, and what never is."""

from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    lvm_list,
    prepare_orders,
    prepare_records,
    prepare_verdict,
    prepare_volumes,
    program,
)

from tests.unit.plugins.module_utils.test_bluestore_label import label

UUID = "11111111-0000-4000-8000-000000000001"
OTHER = "99999999-0000-4000-8000-000000000009"
BLOCK = f"ceph-a/osd-block-{UUID}"
DATABASE = "ceph-db/osd-db-7"
DISKS = {"ceph-a": ["/dev/sdb"], "ceph-db": ["/dev/nvme0n1"], "debian": ["/dev/sda3"]}
ROOT = {"debian/root": []}

# `lvs` and `pvs` of LVM 2.03
LVS = """{"report": [{"lv": [
  {"vg_name":"ceph-a", "lv_name":"osd-block-1", "lv_tags":"ceph.osd_fsid=x,ceph.osd_id=0"},
  {"vg_name":"debian", "lv_name":"root", "lv_tags":""}]}]}"""
PVS = """{"report": [{"pv": [{"pv_name":"/dev/sdb", "vg_name":"ceph-a"},
  {"pv_name":"/dev/sdc", "vg_name":""}]}]}"""


def test_lists() -> None:
    assert prepare_volumes.parse(LVS) == {
        "ceph-a/osd-block-1": ["ceph.osd_fsid=x", "ceph.osd_id=0"],
        "debian/root": [],
    }
    assert prepare_volumes.parse_members(PVS) == {"ceph-a": ["/dev/sdb"]}


def tags(uuid: str) -> list[str]:
    return ["ceph.type=block", f"ceph.osd_fsid={uuid}"]


REMOVE_GROUP = [["vgremove", "--yes", "ceph-a"], ["pvremove", "--yes", "/dev/sdb"]]


@pytest.mark.parametrize(
    ("made", "groups", "kept", "existing", "expected"),
    [
        # cut after vgcreate
        ([], ["ceph-a"], [], ROOT, REMOVE_GROUP),
        # cut after lvcreate, before the tags
        (
            [BLOCK],
            ["ceph-a"],
            [],
            {**ROOT, BLOCK: []},
            [["lvremove", "--yes", BLOCK], *REMOVE_GROUP],
        ),
        # the group was there before: not ours to remove
        ([BLOCK], [], [], {BLOCK: []}, [["lvremove", "--yes", BLOCK]]),
        # an OSD that is whole keeps its volumes and their group
        ([BLOCK], ["ceph-a"], [UUID], {BLOCK: tags(UUID)}, []),
        # somebody else's volume in our group keeps the group
        ([BLOCK], ["ceph-a"], [], {BLOCK: [], "ceph-a/other": []}, [["lvremove", "--yes", BLOCK]]),
        # a DB on a shared device
        (
            [DATABASE],
            [],
            [],
            {DATABASE: [], "ceph-db/osd-db-8": tags(OTHER)},
            [["lvremove", "--yes", DATABASE]],
        ),
        # nothing is left
        ([BLOCK], ["ceph-b"], [], ROOT, []),
    ],
)
def test_leftovers(
    made: list[str],
    groups: list[str],
    kept: list[str],
    existing: dict[str, list[str]],
    expected: list[list[str]],
) -> None:
    assert prepare_volumes.leftovers(made, groups, kept, existing, DISKS) == expected


@pytest.mark.parametrize(("mode", "options"), [("batch", ["--destroy"]), ("volume", [])])
def test_osds_that_are_not_whole_are_zapped_by_their_uuid(
    monkeypatch: pytest.MonkeyPatch, mode: str, options: list[str]
) -> None:
    osd = lvm_list.LvmOsd(id=4, uuid=UUID, fsid="f", path="/does/not/exist")
    other = lvm_list.LvmOsd(id=4, uuid=OTHER, fsid="g", path="/does/not/exist")
    ran: list[list[str]] = []

    def run(argv: list[str], _seconds: float) -> str:
        ran.append(argv)
        return {"lvs": LVS, "pvs": PVS}.get(argv[0], "")

    monkeypatch.setattr(program, "run", run)
    monkeypatch.setattr(prepare_orders, "listed", lambda: [osd, other])
    monkeypatch.setattr(prepare_records.Record, "uuids", lambda _record: (UUID,))
    record = prepare_records.Record("x", "/dev/sdb", "/dev/sdb", 1, "f", mode)
    known = {UUID: prepare_verdict.Known(4, new=True), OTHER: prepare_verdict.Known(9, new=True)}
    verdict = prepare_volumes.settled(record, known)
    assert (verdict.purge, verdict.dead) == ((4,), (UUID,))
    changes = [argv for argv in ran if argv[0] not in {"lvs", "pvs"}]
    assert changes == [["ceph-volume", "lvm", "zap", "--osd-fsid", UUID, *options]]


@pytest.mark.parametrize(
    ("encrypted", "content", "finished"),
    [
        (False, label({"ready": "ready"}), True),
        (False, label({}), False),
        (False, bytes(4096), False),
        (False, label()[:100], None),
        (False, None, None),
        (True, bytes(4096), None),
    ],
)
def test_whether_an_osd_is_whole_is_not_guessed(
    tmp_path: Path, content: bytes | None, *, encrypted: bool, finished: bool | None
) -> None:
    path = tmp_path / "volume"
    if content is not None:
        path.write_bytes(content)
    osd = lvm_list.LvmOsd(id=4, uuid=UUID, fsid="f", path=str(path), encrypted=encrypted)
    assert prepare_volumes._finished(osd) is finished


def test_a_whole_osd_that_ceph_does_not_know_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after the mons were restored from before it was made: it may have run since."""
    path = tmp_path / "volume"
    path.write_bytes(label({"ready": "ready"}))
    osd = lvm_list.LvmOsd(id=4, uuid=UUID, fsid="f", path=str(path))
    ran: list[list[str]] = []

    def run(argv: list[str], _seconds: float) -> str:
        ran.append(argv)
        return {"lvs": LVS.replace("=x,", f"={UUID},"), "pvs": PVS}.get(argv[0], "")

    monkeypatch.setattr(program, "run", run)
    monkeypatch.setattr(prepare_orders, "listed", lambda: [osd])
    monkeypatch.setattr(prepare_records.Record, "uuids", lambda _record: (UUID,))
    monkeypatch.setattr(prepare_records.Record, "groups", lambda _record: ("ceph-a",))
    monkeypatch.setattr(prepare_records.Record, "volumes", lambda _record: ("ceph-a/osd-block-1",))
    verdict = prepare_volumes.settled(
        prepare_records.Record("x", "/dev/sdb", "/dev/sdb", 1, "f", "batch"), {}
    )
    assert (verdict.purge, verdict.dead) == ((), ())
    assert {argv[0] for argv in ran} == {"lvs", "pvs"}
