"""Preparing one device: the record, the words, the check afterwards, and what a failure leaves."""

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    ceph_volume,
    device_hold,
    managed_file,
    osd_prepare,
    prepare_orders,
    prepare_records,
    prepare_recovery,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

from orchestrator.ansible.kubernetes import jobs
from tests.unit.plugins.module_utils.test_bluestore_label import FSID, UUID, label

PARAMETERS: dict[str, Any] = {
    "fsid": FSID,
    "conf": {},
    "devices": [{"path": "/dev/sdb", "device_class": ""}],
    "allow_loop_devices": False,
    "bootstrap_key": "AQBOOTSTRAP",
    "cleaner_key": "AQCLEANER",
}
MADE = bluestore_label.parse(label({"ceph_fsid": FSID, "whoami": "3", "ready": "ready"}))


class Host:
    def __init__(self, root: Path) -> None:
        self.keyring = root / "keyring"
        self.look = blank.Look("/dev/sdb", "/dev/sdb", type="disk", size=6 << 30)
        self.label: bluestore_label.Label | Exception | None = MADE
        self.failure = ""
        self.during: list[tuple[str, int]] = []
        self.settled: list[str] = []
        self.kept: list[tuple[str, ...]] = []
        self.changed = ""

    def prepare(
        self, command: list[str], _environment: object, output: Path, held: list[int]
    ) -> None:
        records = prepare_records.all_records()
        self.during.append((self.keyring.read_text(), len(records)))
        output.write_text(f"Running command: ceph osd new {UUID}\n")
        assert held == [7]
        assert command[0] == "raw"
        assert self.kept[-1:] != [()]
        if self.failure:
            raise ceph_volume.CephVolumeError(self.failure)

    @contextlib.contextmanager
    def unchanged(self, seen: tuple[blank.Look, ...]) -> Iterator[None]:
        if self.changed:
            raise HostError(self.changed)
        self.kept.append(tuple(one.device for one in seen))
        yield
        self.kept.append(())

    def settle(self, record: prepare_records.Record, _osds: object) -> str:
        assert self.kept[-1:] == [()]  # what it clears away must not be held
        self.settled.append(record.name)
        prepare_records.forget(record)
        return "its device is blank"

    def read(self, _path: str) -> bluestore_label.Label | None:
        if isinstance(self.label, Exception):
            raise self.label
        return self.label

    def run(self) -> list[osd_prepare.Attempt]:
        return osd_prepare.prepare_all(PARAMETERS["devices"], PARAMETERS, None, 7)  # type: ignore[arg-type]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(tmp_path)
    monkeypatch.setattr(osd_prepare, "_KEYRING", str(host.keyring))
    monkeypatch.setattr(prepare_records, "FOLDER", tmp_path / "prepare")
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (-1, -1))
    monkeypatch.setattr(blank, "look", lambda _path: host.look)
    monkeypatch.setattr(bluestore_label, "read", host.read)
    monkeypatch.setattr(device_hold, "unchanged", host.unchanged)
    monkeypatch.setattr(ceph_volume, "prepare", host.prepare)
    monkeypatch.setattr(prepare_recovery, "settle", host.settle)
    return host


def test_a_device_is_prepared(host: Host) -> None:
    assert host.run() == [osd_prepare.Attempt("/dev/sdb")]
    ((keyring, records),) = host.during
    assert "AQBOOTSTRAP" in keyring
    assert "AQCLEANER" not in keyring
    assert records == 1
    assert host.kept == [("/dev/sdb",), ()]
    assert prepare_records.all_records() == []
    assert not host.keyring.exists()


def test_a_device_that_is_not_blank_any_more_is_left(host: Host) -> None:
    host.look = blank.Look("/dev/sdb", "/dev/sdb", type="disk", size=1, signatures=("ext4",))
    assert host.run() == [osd_prepare.Attempt("/dev/sdb", "it holds ext4")]
    assert host.during == []
    assert prepare_records.all_records() == []


def test_a_device_that_changed_before_it_was_written_is_left(host: Host) -> None:
    host.changed = "/dev/sdb has changed since it was looked at: it holds ext4"
    assert host.run() == [osd_prepare.Attempt("/dev/sdb", host.changed)]
    assert (host.during, host.settled, prepare_records.all_records()) == ([], [], [])


def test_a_failure_is_settled_at_once(host: Host) -> None:
    host.failure = "the disk is on fire"
    assert host.run() == [
        osd_prepare.Attempt("/dev/sdb", "the disk is on fire (its device is blank)")
    ]
    assert len(host.settled) == 1


@pytest.mark.parametrize(
    "left",
    [
        None,
        bluestore_label.parse(label({"ceph_fsid": FSID, "whoami": "3"})),
        bluestore_label.parse(label({"ceph_fsid": "x", "whoami": "3", "ready": "ready"})),
        bluestore_label.LabelError("the BlueStore label is damaged"),
        OSError(5, "Input/output error"),
    ],
)
def test_as_rook_an_osd_that_is_not_found_afterwards_is_a_failure(
    host: Host, left: bluestore_label.Label | Exception | None
) -> None:
    host.label = left
    (attempt,) = host.run()
    assert "ceph-volume left no finished OSD of this cluster on it" in attempt.reason
    assert len(host.settled) == 1


@pytest.mark.parametrize(
    ("count", "words"), [(2, ""), (1, "left 1 OSDs on it where 2 were wanted")]
)
def test_with_lvm_as_many_as_wanted_must_be_found(
    host: Host, monkeypatch: pytest.MonkeyPatch, count: int, words: str
) -> None:
    osd = prepare_orders.lvm_list.LvmOsd(
        id=3, uuid=UUID, fsid=FSID, path="/dev/vg/lv", devices=("/dev/sdb",)
    )
    plan = prepare_orders.Plan("batch", 2, ("raw",), {}, (host.look,))
    monkeypatch.setattr(prepare_orders.Orders, "plan", lambda *_arguments: plan)
    monkeypatch.setattr(prepare_orders, "listed", lambda: [osd] * count)
    (attempt,) = host.run()
    assert words in attempt.reason
    assert bool(words) == bool(attempt.reason)


def test_the_admin_s_own_key_is_put_back(host: Host) -> None:
    host.keyring.write_text("[client.bootstrap-osd]\n\tkey = AQOWN\n")
    host.run()
    assert "AQOWN" in host.keyring.read_text()


def test_a_key_that_a_cut_run_left_is_not(host: Host) -> None:
    host.keyring.write_text(osd_prepare._OURS + "[client.bootstrap-osd]\n")
    host.run()
    assert not host.keyring.exists()


def test_sweeping(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[bool] = []
    monkeypatch.setattr(ceph_volume, "sweep", lambda: swept.append(True))
    for text, stays in (("[client.bootstrap-osd]\n", True), (osd_prepare._OURS, False)):
        host.keyring.write_text(text)
        osd_prepare.sweep()
        assert host.keyring.exists() is stays
    assert swept == [True, True]


@pytest.mark.parametrize(
    ("meta", "uuids", "unfinished"),
    [
        ({"whoami": "3"}, (UUID,), True),
        ({"whoami": "3", "ready": "ready"}, (UUID,), False),
        ({"whoami": "3"}, (), False),
    ],
)
def test_what_is_unfinished_and_ours(
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
    meta: dict[str, str],
    uuids: tuple[str, ...],
    unfinished: bool,  # noqa: FBT001
) -> None:
    prepare_records.write("/dev/sdb", "/dev/sdb", 1, FSID, "raw")
    monkeypatch.setattr(prepare_records.Record, "uuids", lambda _record: uuids)
    seen = blank.Look("/dev/sdb", "/dev/sdb", label=bluestore_label.parse(label(meta)))
    assert osd_prepare.is_unfinished(seen) is unfinished


def test_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(osd_prepare, "_LOCK", tmp_path / "lock")
    monkeypatch.setattr(osd_prepare, "_LOCK_SECONDS", 0.0)
    monkeypatch.setattr(osd_prepare, "_LOCK_PAUSE", 0.01)
    with osd_prepare.alone() as descriptor:
        assert descriptor > 0
        with pytest.raises(HostError, match="another preparation"), osd_prepare.alone():
            pass
    with osd_prepare.alone():
        pass


class Client:
    """Stands for librados; tells the keyring that it was given."""

    seen: tuple[str, int] = ("", 0)
    broken = False

    def __init__(self, name: str, keyring: str, timeout: float) -> None:
        mode = stat.S_IMODE(Path(keyring).stat().st_mode)
        type(self).seen = (Path(keyring).read_text(), mode)
        assert (name, timeout) == ("client.ceph-orchestrator-osd", 10.0)

    def __enter__(self) -> Self:
        if self.broken:
            raise CephError(13, "denied")
        return self

    def __exit__(self, *_details: object) -> None:
        pass

    def command(self, prefix: str, **arguments: Any) -> Any:
        if prefix == "osd purge-new":
            raise CephError(1, f"osd.{arguments['id']} is not new")
        states = [(["exists", "new"], 0, 0), (["exists", "new"], 0, 5), (["exists", "up"], 1, 5)]
        return {
            "osds": [
                {"osd": number, "uuid": str(number), "state": state, "up": up, "up_from": since}
                for number, (state, up, since) in enumerate(states)
            ]
        }


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[Client]:
    monkeypatch.setattr(osd_prepare, "CephClient", Client)
    monkeypatch.setattr(osd_prepare.cluster, "CONF", str(tmp_path / "ceph.conf"))
    monkeypatch.setattr(managed_file, "ids", lambda _owner: (-1, -1))
    monkeypatch.setattr(Client, "broken", False)
    return Client


def test_only_an_osd_that_never_ran_is_new(client: type[Client]) -> None:
    with osd_prepare.asked(PARAMETERS) as osds:
        assert {uuid: osd.new for uuid, osd in osds.known().items()} == {
            "0": True,
            "1": False,
            "2": False,
        }
        with pytest.raises(HostError, match=r"osd\.2 is not new"):
            osds.purge_new(2)
    text, mode = client.seen
    assert "AQCLEANER" in text
    assert mode == 0o600


def test_a_cluster_that_refuses(client: type[Client], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "broken", True)
    with pytest.raises(HostError, match="denied"), osd_prepare.asked(PARAMETERS):
        pass


def test_the_lock_is_the_machine_s_in_every_pod_that_prepares() -> None:
    """A lock in a pod's own /run kept off nobody: two clusters may find the same disk blank."""
    cluster = {"metadata": {"name": "ceph", "namespace": "one", "uid": "1"}, "spec": {}}
    pod = jobs.job(cluster, "node-1")["spec"]["template"]["spec"]
    paths = {one["name"]: one["hostPath"]["path"] for one in pod["volumes"]}
    mounts = {one["mountPath"]: paths[one["name"]] for one in pod["containers"][0]["volumeMounts"]}
    assert mounts[str(osd_prepare._LOCK.parent)] == "/dev"
