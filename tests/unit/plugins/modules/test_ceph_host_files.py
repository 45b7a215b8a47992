"""One cluster's files leave a host; another's, and data that was not asked for, stay."""

from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    daemons,
    mon_store,
    our_files,
    prepare_records,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_host_files

FSID = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
DAEMONS = [{"type": "mon", "id": "a"}, {"type": "osd", "id": "0"}]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with a mon, an OSD, an older mon put aside and another cluster's OSD."""
    texts = {
        "etc/ceph.conf": f"[global]\nfsid = {FSID}\n",
        "etc/admin.keyring": "k",
        "etc/mon.keyring": "k",
        "data/mon/ceph-a/store.db/x": "",
        f"data/mon/removed-ceph-c-{FSID}-1/x": "",
        f"data/mon/removed-ceph-c-{OTHER}-1/x": "",
        "data/osd/ceph-0/ceph_fsid": FSID,
        "data/osd/ceph-7/ceph_fsid": OTHER,
        "tools/activate": "",
        "crash/2030-01-02T03:04:05_x/meta": "",
        "crash/posted/2030-01-02T03:04:06_y/meta": "",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "records" / "prepare").mkdir(parents=True)
    monkeypatch.setattr(cluster, "CONF", str(tmp_path / "etc" / "ceph.conf"))
    keyrings = (str(tmp_path / "etc" / "admin.keyring"), str(tmp_path / "etc" / "mon.keyring"))
    monkeypatch.setattr(our_files, "KEYRINGS", keyrings)
    monkeypatch.setattr(our_files, "TOOLS", (str(tmp_path / "tools"),))
    monkeypatch.setattr(our_files, "CRASHES", tmp_path / "crash")
    monkeypatch.setattr(our_files, "RECORDS", str(tmp_path / "records"))
    monkeypatch.setattr(prepare_records, "FOLDER", tmp_path / "records" / "prepare")
    monkeypatch.setattr(daemons, "DATA", tmp_path / "data")
    monkeypatch.setattr(ceph_host_files, "_SYSTEMD", tmp_path / "systemd")
    store = mon_store.MonStore("a", "", fsid=FSID)
    monkeypatch.setattr(mon_store, "observe", lambda: [store])
    return tmp_path


def left(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_configuration_goes_and_data_and_keys_stay(run, root) -> None:
    result = run(ceph_host_files, fsid=FSID, daemons=DAEMONS)
    assert result["changed"]
    assert left(root) == [
        "crash/2030-01-02T03:04:05_x/meta",
        "crash/posted/2030-01-02T03:04:06_y/meta",
        "data/mon/ceph-a/store.db/x",
        f"data/mon/removed-ceph-c-{FSID}-1/x",
        f"data/mon/removed-ceph-c-{OTHER}-1/x",
        "data/osd/ceph-0/ceph_fsid",
        "data/osd/ceph-7/ceph_fsid",
        "etc/admin.keyring",
        "etc/mon.keyring",
    ]
    assert not (root / "records").exists()
    assert not run(ceph_host_files, fsid=FSID)["changed"]


def test_data_and_keys_go_when_told_and_anothers_stay(run, root) -> None:
    result = run(ceph_host_files, fsid=FSID, data=True, daemons=DAEMONS)
    assert result["removed"][-1] == str(root / "etc" / "ceph.conf")
    assert left(root) == [
        f"data/mon/removed-ceph-c-{OTHER}-1/x",
        "data/osd/ceph-7/ceph_fsid",
    ]
    assert (root / "crash" / "posted").is_dir()


def test_keys_and_crashes_beside_another_clusters_data_stay_where_no_conf_tells(run, root) -> None:
    (root / "etc" / "ceph.conf").unlink()
    run(ceph_host_files, fsid=FSID, data=True, daemons=DAEMONS)
    kept = {"etc/admin.keyring", "crash/2030-01-02T03:04:05_x/meta", "data/osd/ceph-7/ceph_fsid"}
    assert kept <= set(left(root))
    assert "data/mon/ceph-a/store.db/x" not in left(root)


def test_check_mode_removes_nothing(run, root) -> None:
    before = left(root)
    assert run(ceph_host_files, check=True, fsid=FSID, data=True, daemons=DAEMONS)["changed"]
    assert left(root) == before


def test_keys_and_conf_of_another_cluster_stay(run, root) -> None:
    conf = root / "etc" / "ceph.conf"
    conf.write_text(f"[global]\nfsid = {OTHER}\n")
    result = run(ceph_host_files, fsid=FSID, data=True, daemons=DAEMONS)
    assert {"etc/admin.keyring", "etc/ceph.conf", "etc/mon.keyring"} <= set(left(root))
    assert result["kept"] == [f"{conf} of the cluster {OTHER}"]


def test_data_of_another_cluster_is_refused_before_anything_goes(run, root) -> None:
    before = left(root)
    result = run(ceph_host_files, fsid=FSID, data=True, daemons=[{"type": "osd", "id": "7"}])
    assert result["failed"]
    assert OTHER in result["msg"]
    assert left(root) == before


def test_a_tool_stays_while_a_daemon_uses_it(run, root) -> None:
    drop_in = root / "systemd" / "ceph-osd@7.service.d" / "orchestrator.conf"
    drop_in.parent.mkdir(parents=True)
    drop_in.touch()
    run(ceph_host_files, fsid=FSID)
    assert "tools/activate" in left(root)


def test_what_a_cut_preparation_wrote_down_stays_with_the_data(run, root) -> None:
    prepare_records.write("/dev/disk/by-id/x", "/dev/sdb", 1, FSID, "raw")
    run(ceph_host_files, fsid=FSID)
    assert len(prepare_records.all_records()) == 1
    run(ceph_host_files, fsid=FSID, data=True)
    assert not (root / "records").exists()
