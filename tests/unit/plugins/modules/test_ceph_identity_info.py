from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    devices,
    keyring,
    managed_file,
    mon_store,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_identity_info

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
KEY = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="


@pytest.fixture(autouse=True)
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty host."""
    monkeypatch.setattr(cluster, "CONF", str(tmp_path / "ceph.conf"))
    monkeypatch.setattr(cluster, "ADMIN_KEYRING", str(tmp_path / "admin"))
    monkeypatch.setattr(cluster, "MON_KEYRING", str(tmp_path / "mon"))
    monkeypatch.setattr(mon_store, "observe", list)
    monkeypatch.setattr(devices, "collect", lambda _seconds: [])
    monkeypatch.setattr(program, "require", lambda _programs: None)
    monkeypatch.setattr(keyring, "new_key", lambda: "fresh")
    return tmp_path


def a_mon(monkeypatch: pytest.MonkeyPatch, fsid: str = OURS, epoch: int = 1, **more: str) -> None:
    mon = mon_store.MonStore("a", "/var/lib/ceph/mon/ceph-a", fsid, epoch, ("a",), **more)
    monkeypatch.setattr(mon_store, "observe", lambda: [mon])


def test_an_empty_host_holds_nothing_and_offers_a_fresh_identity(run) -> None:
    result = run(ceph_identity_info)
    assert (result["fsid"], result["mon_key"], result["admin_key"]) == ("", "", "")
    assert (result["mons"], result["formed"]) == ([], False)
    assert result["offer"]["mon_key"] == "fresh"
    assert len(result["offer"]["fsid"]) == len(OURS)


def test_what_an_interrupted_creation_left_is_found(run, host: Path) -> None:
    (host / "ceph.conf").write_text(f"[global]\nfsid = {OURS}\n")
    (host / "admin").write_text(keyring.render("client.admin", KEY))
    (host / "mon").write_text(keyring.render("mon.", KEY))
    result = run(ceph_identity_info)
    assert (result["fsid"], result["mon_key"], result["admin_key"]) == (OURS, KEY, KEY)
    assert result["offer"]["mon_key"] == ""


@pytest.mark.parametrize(("epoch", "formed"), [(0, False), (1, True), (-1, True)])
def test_only_a_mon_that_was_surely_never_in_quorum_is_not_formed(
    run, monkeypatch: pytest.MonkeyPatch, epoch: int, formed: object
) -> None:
    a_mon(monkeypatch, epoch=epoch)
    assert run(ceph_identity_info, fsid=OURS)["formed"] is formed


def test_a_conf_of_another_cluster_is_refused_with_both_and_the_way_out(run, host: Path) -> None:
    (host / "ceph.conf").write_text(f"[global]\nfsid = {OTHER}\n")
    message = run(ceph_identity_info, fsid=OURS)["msg"]
    assert OURS in message
    assert OTHER in message
    assert f"remove {host}/ceph.conf by hand" in message


def test_old_data_of_another_cluster_is_refused(run, monkeypatch: pytest.MonkeyPatch) -> None:
    a_mon(monkeypatch, fsid=OTHER)
    message = run(ceph_identity_info, fsid=OURS)["msg"]
    assert "/var/lib/ceph/mon/ceph-a belongs to" in message


def test_two_clusters_on_one_host_are_refused_without_a_wanted_one(
    run, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_mon(monkeypatch)
    (host / "ceph.conf").write_text(f"[global]\nfsid = {OTHER}\n")
    assert run(ceph_identity_info)["failed"]


def test_a_mon_that_cannot_be_read_is_unknown_and_not_absent(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_mon(monkeypatch, fsid="", epoch=-1, problem="timeout")
    assert run(ceph_identity_info)["msg"].startswith("cluster state unknown")


def test_osds_of_a_cluster_are_told(run, monkeypatch: pytest.MonkeyPatch) -> None:
    label = {"id": 0, "uuid": "u", "fsid": OTHER}
    disk = devices.Device(name="sda", path="/dev/sda", type="disk", size=1, osd=label)
    monkeypatch.setattr(devices, "collect", lambda _seconds: [disk])
    assert run(ceph_identity_info, fsid=OURS)["osd_fsids"] == [OTHER]


def test_a_missing_program_is_named_before_anything(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_programs: list[str]) -> None:
        raise managed_file.HostError("ceph-mon not found on store-a: install ceph-mon")

    monkeypatch.setattr(program, "require", missing)
    assert "install ceph-mon" in run(ceph_identity_info)["msg"]
