from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import mon_store, monmap
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

VIEW = monmap.MonView(fsid="f", epoch=3, members=(monmap.Member("a", 0, ()),))


def refuse(_mon_id: str) -> monmap.MonView:
    raise CephError(2, "no such file")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mon_store, "DATA", tmp_path)
    monkeypatch.setattr(monmap, "running", refuse)
    monkeypatch.setattr(monmap, "stopped", refuse)
    return tmp_path


def test_a_folder_without_a_store_is_no_mon(data: Path) -> None:
    (data / "ceph-a").mkdir()
    assert mon_store.observe() == []


def test_a_running_mon_is_asked_and_a_stopped_one_read(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "ceph-a" / "store.db").mkdir(parents=True)
    monkeypatch.setattr(monmap, "stopped", lambda _: VIEW)
    (stopped,) = mon_store.observe()
    assert (stopped.id, stopped.fsid, stopped.epoch, stopped.members) == ("a", "f", 3, ("a",))
    monkeypatch.setattr(monmap, "running", lambda _: monmap.MonView(fsid="f", epoch=0))
    assert [mon.formed for mon in mon_store.observe()] == [False]


def test_one_that_cannot_be_read_is_unknown_and_counts_as_formed(data: Path) -> None:
    (data / "ceph-a" / "store.db").mkdir(parents=True)
    (mon,) = mon_store.observe()
    assert (mon.problem, mon.epoch, mon.formed) == ("no such file", -1, True)
