import errno
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    daemons,
    monmap,
    records,
    units,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
LEADER = monmap.MonView(
    fsid=OURS,
    epoch=2,
    state="leader",
    quorum=(0,),
    members=(monmap.Member(name="a", rank=0, addrs=("v2:10.1.2.3:3300/0",)),),
)


class Host:
    """A host's folders below a temporary root, its units and its mons."""

    def __init__(self, root: Path) -> None:
        self.data, self.records, self.etc = root / "data", root / "records", root / "etc"
        self.records.mkdir()
        self.units: dict[str, units.Unit] | units.UnitsError = {}
        self.running: dict[str, monmap.MonView | CephError] = {}
        self.stopped: dict[str, monmap.MonView | CephError] = {}

    def put(self, path: str, text: str = "x") -> None:
        target = self.data / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def show(self, _names: Any) -> dict[str, units.Unit]:
        if isinstance(self.units, units.UnitsError):
            raise self.units
        return self.units

    @staticmethod
    def view(known: dict[str, monmap.MonView | CephError], mon_id: str) -> monmap.MonView:
        found = known.get(mon_id, CephError(errno.ENOENT, f"{mon_id}: nobody there"))
        if isinstance(found, CephError):
            raise found
        return found

    def collect(self) -> tuple[dict[str, dict[str, Any]], dict[str, monmap.MonView], list[str]]:
        errors: list[str] = []
        found, views = daemons.collect(errors)
        return {f"{one.type}.{one.id}": one.result() for one in found}, views, errors


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    made = Host(tmp_path)
    monkeypatch.setattr(daemons, "DATA", made.data)
    monkeypatch.setattr(records, "FOLDER", made.records)
    monkeypatch.setattr(units, "ETC", made.etc)
    monkeypatch.setattr(units, "show", made.show)
    monkeypatch.setattr(monmap, "running", lambda mon: made.view(made.running, mon))
    monkeypatch.setattr(monmap, "stopped", lambda mon: made.view(made.stopped, mon))
    return made


def test_an_empty_host_has_none(host: Host) -> None:
    (host.data / "mon" / "ceph-a").mkdir(parents=True)
    (host.data / "mon" / "other-a").mkdir()
    host.put("mon/notes")
    assert host.collect() == ({}, {}, [])


def test_data_records_and_units_are_joined(host: Host) -> None:
    host.put("mgr/ceph-a/keyring")
    (host.records / "osd.3.json").write_text(json.dumps({"record": "77aa", "files": {}}))
    host.units = {
        "ceph-mgr@a.service": units.Unit(active="active", enabled=True),
        "ceph-osd@5.service": units.Unit(active="failed", enabled=False),
        "ceph-osd@6.service": units.Unit(active="inactive", enabled=False),
    }
    found, _views, errors = host.collect()
    assert sorted(found) == ["mgr.a", "osd.3", "osd.5"]
    assert found["mgr.a"] == {
        "type": "mgr",
        "id": "a",
        "fsid": "",
        "keyring": True,
        "data": True,
        "active": "active",
        "enabled": True,
        "record": "",
        "drifted": [],
        "osd_uuid": "",
    }
    assert (found["osd.3"]["record"], found["osd.3"]["data"]) == ("77aa", False)
    assert found["osd.5"]["active"] == "failed"
    assert errors == []


def test_what_was_put_aside_is_named_once_with_its_cluster(host: Host) -> None:
    stores = (f"d-{OURS}-1", f"d-{OURS}-2", "d-2", f"store-1-{OURS}-1")
    for name in stores:
        host.put(f"mon/removed-ceph-{name}/store.db")
    host.put(f"osd/removed-ceph-3-{OURS}-1/fsid")
    assert daemons.put_aside() == [
        {"type": "mon", "id": "d", "fsid": ""},
        {"type": "mon", "id": "d", "fsid": OURS},
        {"type": "mon", "id": "store-1", "fsid": OURS},
        {"type": "osd", "id": "3", "fsid": OURS},
    ]


def test_a_running_mon_tells_for_itself(host: Host) -> None:
    host.put("mon/ceph-a/keyring")
    host.units = {"ceph-mon@a.service": units.Unit(active="active", enabled=True)}
    host.running["a"] = LEADER
    found, views, _errors = host.collect()
    mon = found["mon.a"]
    assert (mon["fsid"], mon["mon_state"], mon["monmap_epoch"]) == (OURS, "leader", 2)
    assert mon["monmap"] == ({"name": "a", "addr": "10.1.2.3", "addrs": ["v2:10.1.2.3:3300/0"]},)
    assert views == {"a": LEADER}


def test_c25_a_stopped_mon_s_store_names_its_cluster(host: Host) -> None:
    host.put("mon/ceph-a/store.db/CURRENT")
    host.stopped["a"] = monmap.MonView(fsid=OTHER, epoch=0)
    found, views, errors = host.collect()
    mon = found["mon.a"]
    assert (mon["fsid"], mon["monmap_epoch"], mon["mon_state"]) == (OTHER, 0, "")
    assert (views, errors) == ({}, [])


def test_c23_a_store_that_cannot_be_read_is_unknown_and_named(host: Host) -> None:
    host.put("mon/ceph-a/store.db/CURRENT")
    host.stopped["a"] = CephError(errno.EIO, "mon.a: ceph-mon failed (1): corrupt")
    found, _views, errors = host.collect()
    assert (found["mon.a"]["fsid"], found["mon.a"]["monmap_epoch"]) == ("", -1)
    assert found["mon.a"]["data"]
    assert errors == ["mon.a: ceph-mon failed (1): corrupt"]


@pytest.mark.parametrize("active", ["active", "activating", "deactivating", "reloading"])
def test_the_store_of_a_mon_that_may_run_is_not_opened(host: Host, active: str) -> None:
    host.put("mon/ceph-a/store.db/CURRENT")
    host.units = {"ceph-mon@a.service": units.Unit(active=active, enabled=True)}
    host.stopped["a"] = monmap.MonView(fsid=OTHER)
    found, _views, errors = host.collect()
    assert found["mon.a"]["fsid"] == ""
    assert errors == ["a: nobody there"]


def test_a_mon_that_hangs_is_not_taken_for_stopped(host: Host) -> None:
    host.put("mon/ceph-a/store.db/CURRENT")
    host.running["a"] = CephError(errno.ETIMEDOUT, "no answer within 2 s")
    host.stopped["a"] = monmap.MonView(fsid=OTHER)
    found, _views, errors = host.collect()
    assert found["mon.a"]["fsid"] == ""
    assert errors == ["no answer within 2 s"]


def test_without_systemd_states_are_unknown(host: Host) -> None:
    host.put("osd/ceph-3/fsid", "11111111-0000-4000-8000-000000000001\n")
    host.put("osd/ceph-3/ceph_fsid", f"{OURS}\n")
    host.units = units.UnitsError("systemctl: not there")
    found, _views, errors = host.collect()
    osd = found["osd.3"]
    assert osd["active"] == "unknown"
    assert (osd["osd_uuid"], osd["fsid"]) == ("11111111-0000-4000-8000-000000000001", OURS)
    assert errors == ["systemctl: not there"]


def osd(osd_id: str) -> daemons.Daemon:
    return daemons.Daemon(
        type="osd",
        id=osd_id,
        data=False,
        keyring=False,
        active="inactive",
        enabled=True,
        record="",
        drifted=[],
    )


def label(osd_id: int, uuid: str, fsid: str) -> dict[str, Any]:
    return {"id": osd_id, "uuid": uuid, "fsid": fsid}


@pytest.mark.parametrize("order", [1, -1])
def test_c03_two_clusters_on_one_host(order: int) -> None:
    labels = [label(0, "ours", OURS), label(0, "theirs", OTHER), label(-1, "db", OURS)][::order]
    daemon = osd("0")
    daemons.complete_osds([daemon], labels, OURS)
    assert (daemon.osd_uuid, daemon.fsid) == ("ours", OURS)


@pytest.mark.parametrize(
    "labels",
    [
        [],
        [label(0, "theirs", OTHER)],
        [label(0, "one", OURS), label(0, "two", OURS)],
    ],
)
def test_without_single_proof_the_osd_stays_unnamed(labels: list[dict[str, Any]]) -> None:
    daemon = osd("0")
    daemons.complete_osds([daemon], labels, OURS)
    assert daemon.osd_uuid == ""
