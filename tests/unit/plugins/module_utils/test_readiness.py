from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    admin_socket,
    mon_store,
    monmap,
    readiness,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

A, B = (monmap.Member(name=name, rank=rank, addrs=()) for rank, name in enumerate("ab"))


def view(state: str, *quorum: int, fsid: str = "f") -> monmap.MonView:
    return monmap.MonView(fsid=fsid, epoch=1, members=(A, B), state=state, quorum=quorum)


@pytest.fixture
def mons(monkeypatch: pytest.MonkeyPatch) -> dict[str, monmap.MonView]:
    views: dict[str, monmap.MonView] = {}

    def running(mon_id: str) -> monmap.MonView:
        if views[mon_id].state == "gone":
            raise CephError(2, "no socket")
        return views[mon_id]

    monkeypatch.setattr(monmap, "running", running)
    monkeypatch.setattr(mon_store, "local_ids", lambda: sorted(views))
    return views


def test_a_local_mon_tells_who_is_in_quorum(mons) -> None:
    mons["a"] = view("leader", 0)
    assert readiness.local_quorum(["a"], "f").missing == []
    assert readiness.local_quorum(["a", "b"], "f").missing == ["mon.b"]


def test_a_mon_of_another_cluster_tells_nothing(mons) -> None:
    mons["a"] = view("leader", 0, 1, fsid="other")
    assert readiness.local_quorum(["a"], "f").missing == ["an answer of a mon on this host"]


def test_a_mon_that_is_down_is_not_ready(mons) -> None:
    mons["a"] = view("gone")
    assert readiness.local_quorum(["a"], "").missing


@pytest.mark.parametrize(
    ("dump", "missing"),
    [
        ({"available": True, "active_name": "a", "standbys": [{"name": "b"}]}, []),
        ({"available": True, "active_name": "a", "standbys": ["b"]}, []),
        ({"available": True, "active_name": "a", "standbys": []}, ["mgr.b"]),
        ({"available": False, "active_name": "a", "standbys": ["b"]}, ["an active mgr"]),
        ({"available": False, "active_name": "", "standbys": []}, ["mgr.a", "mgr.b"]),
    ],
)
def test_mgrs(dump: dict[str, Any], missing: list[str]) -> None:
    assert readiness.mgrs(dump, ["a", "b"]).missing == missing


@pytest.mark.parametrize(("joined", "missing"), [(False, []), (True, ["osd.0"])])
def test_an_osd_that_is_out_counts_unless_it_must_have_joined(
    joined: object, missing: list[str]
) -> None:
    dump = {"osds": [{"osd": 0, "uuid": "u", "up": 1, "in": 0}], "flags": ""}
    wanted = [{"id": 0, "uuid": "u", "joined": joined, "booted_after": -1}]
    assert readiness.osds(dump, wanted).missing == missing


def test_waiting_ends_when_the_time_is_up() -> None:
    look, waited = readiness.until_ready(lambda: readiness.Look(["x"], {}), 0.15)
    assert look.missing == ["x"]
    assert 0.1 < waited < 1


def test_an_election_that_hangs_is_begun_anew_once_in_a_while(
    mons, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    now = iter([0.0, 0.3, 0.7, 0.9, 5.0, 5.1])
    monkeypatch.setattr(admin_socket, "ask", lambda path, *_rest: asked.append(path))
    monkeypatch.setattr(readiness.time, "monotonic", lambda: next(now))
    mons["a"] = view("electing")
    hastener = readiness.Hastener()
    for _ in range(4):
        hastener.look()
    assert asked == ["/run/ceph/ceph-mon.a.asok"]
    mons["a"] = view("leader", 0)
    hastener.look()
    mons["a"] = view("electing")
    hastener.look()
    assert len(asked) == 1


@pytest.mark.parametrize(("epoch", "missing"), [(9, ["osd.0"]), (10, ["osd.0"]), (11, [])])
def test_an_osd_that_was_stopped_counts_only_after_its_next_boot(
    epoch: int, missing: list[str]
) -> None:
    osd = {"osd": 0, "uuid": "u", "up": 1, "in": 1, "up_from": epoch}
    wanted = [{"id": 0, "uuid": "u", "joined": False, "booted_after": 10}]
    assert readiness.osds({"osds": [osd]}, wanted).missing == missing
