import errno

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, mon_store
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_ready_info

from tests.unit.plugins.modules.conftest import FSID, Answer

MON = {"public_addrs": {"addrvec": [{"type": "v2", "addr": "192.0.2.1:3300", "nonce": 0}]}}
MONS = {
    "quorum": [0, 1],
    "mons": [{"name": name, "rank": rank, **MON} for rank, name in enumerate("abc")],
}
UP = {"osd": 0, "uuid": "u0", "up": 1, "in": 1}


@pytest.fixture(autouse=True)
def no_mon_here(ceph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mon_store, "local_ids", list)
    ceph.answers["mon dump"] = MONS


def test_nothing_to_wait_for_makes_sure_of_a_quorum(run, ceph) -> None:
    result = run(ceph_ready_info)
    assert (result["fsid"], result["missing"]) == (FSID, [])
    assert result["mons"][0] == {"name": "a", "addrs": ["v2:192.0.2.1:3300"], "in_quorum": True}
    assert [prefix for prefix, _ in ceph.sent] == ["mon dump", "fsid"]


def test_a_mon_outside_the_quorum_is_named(run) -> None:
    result = run(ceph_ready_info, mons=["a", "c"], wait=0)
    assert result["msg"] == "not ready after 0 s: mon.c"


def test_osds_are_waited_for_and_given_with_their_class(run, ceph) -> None:
    down = {"osds": [{**UP, "up": 0}], "flags": "sortbitwise"}
    ceph.answers["osd dump"] = [Answer(down), Answer(down), Answer({"osds": [UP], "flags": ""})]
    ceph.answers["osd tree"] = {"nodes": [{"id": 0, "type": "osd", "device_class": "hdd"}]}
    result = run(ceph_ready_info, osds=[{"id": 0, "uuid": "u0"}])
    assert result["osds"] == [
        {"id": 0, "uuid": "u0", "up": True, "in": True, "device_class": "hdd"}
    ]


def test_a_purged_osd_is_not_waited_for(run, ceph) -> None:
    ceph.answers["osd dump"] = {"osds": [UP], "flags": ""}
    result = run(ceph_ready_info, osds=[{"id": 0, "uuid": "old"}, {"id": 7}])
    assert result["unknown_osds"] == [{"id": 0, "uuid": "old"}, {"id": 7, "uuid": ""}]


def test_time_that_is_up_need_not_be_a_failure(run, ceph) -> None:
    ceph.answers["osd dump"] = {"osds": [{**UP, "up": 0}], "flags": "noup"}
    ceph.answers["osd tree"] = {"nodes": []}
    result = run(ceph_ready_info, osds=[{"id": 0}], wait=0, fail=False)
    assert "failed" not in result
    assert result["missing"] == ["osd.0", "flags that are set: noup"]


def test_check_mode_does_not_wait_or_fail(run, ceph) -> None:
    ceph.answers["osd dump"] = {"osds": [{**UP, "up": 0}], "flags": ""}
    ceph.answers["osd tree"] = {"nodes": []}
    assert run(ceph_ready_info, check=True, osds=[{"id": 0}])["changed"] is False


def test_check_mode_before_there_is_a_cluster(run, ceph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "is_unknown", lambda: True)
    assert run(ceph_ready_info, check=True, mons=["a"])["fsid"] == ""
    assert ceph.sent == []


def test_an_unreachable_cluster_fails_with_ceph_s_words(run, ceph) -> None:
    ceph.answers["mon dump"] = CephError(errno.ETIMEDOUT, "the cluster did not answer")
    assert run(ceph_ready_info)["msg"] == "the cluster did not answer"
