import errno
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_auth

KEY = "AQAAexamplekeyosd3AAAAAAAAAAAAAAAAAAAA=="
WANTED = {"mon": "allow profile osd", "mgr": "allow profile osd", "osd": "allow *"}


def known(users: dict[str, dict[str, str]]) -> Callable[..., Any]:
    def get(entity: str) -> Any:
        if entity not in users:
            return CephError(errno.ENOENT, f"failed to find {entity} in keyring")
        return [{"entity": entity, "key": KEY, "caps": users[entity]}]

    return get


def test_caps_that_drifted_are_replaced_as_a_whole_and_the_key_stays(run, ceph) -> None:
    ceph.answers["auth get"] = known({"osd.3": {"mon": "allow profile osd", "osd": "allow *"}})
    result = run(ceph_auth, users=[{"entity": "osd.3", "caps": WANTED}])
    assert result["changed"]
    assert result["keys"] == {"osd.3": KEY}
    expected = ["mgr", "allow profile osd", "mon", "allow profile osd", "osd", "allow *"]
    assert ceph.changes() == [("auth caps", {"entity": "osd.3", "caps": expected})]


def test_the_order_of_caps_does_not_count(run, ceph) -> None:
    ceph.answers["auth get"] = known({"osd.3": dict(reversed(WANTED.items()))})
    result = run(ceph_auth, users=[{"entity": "osd.3", "caps": WANTED}])
    assert not result["changed"]
    assert ceph.changes() == []


def test_a_missing_user_is_made_and_its_key_read(run, ceph) -> None:
    users: dict[str, dict[str, str]] = {}
    ceph.answers["auth get"] = known(users)
    ceph.answers["auth get-or-create"] = lambda entity, caps: users.update(
        {entity: dict(zip(caps[::2], caps[1::2], strict=True))}
    )
    result = run(ceph_auth, users=[{"entity": "mgr.a", "caps": {"mon": "allow profile mgr"}}])
    assert (result["changed"], result["keys"], result["fsid"]) == (
        True,
        {"mgr.a": KEY},
        "0a1b2c3d-1111-4222-8333-444455556666",
    )


def test_a_user_is_removed_once(run, ceph) -> None:
    ceph.answers["auth get"] = known({"client.x": {}})
    users = [{"entity": name, "state": "absent"} for name in ("client.x", "client.y")]
    assert run(ceph_auth, users=users)["changed"]
    assert ceph.changes() == [("auth del", {"entity": "client.x"})]


def test_a_failure_names_the_user_and_makes_no_other(run, ceph) -> None:
    ceph.answers["auth get"] = known({"osd.3": {}})
    ceph.answers["auth caps"] = CephError(errno.EINVAL, "bad cap")
    result = run(ceph_auth, users=[{"entity": "osd.3", "caps": WANTED}])
    assert result["failed"]
    assert result["msg"] == "osd.3: bad cap"
    assert [prefix for prefix, _ in ceph.changes()] == ["auth caps"]


def test_check_mode_changes_nothing_and_the_diff_has_no_key(run, ceph) -> None:
    ceph.answers["auth get"] = known({"osd.3": {}})
    result = run(ceph_auth, check=True, users=[{"entity": "osd.3", "caps": WANTED}])
    assert result["changed"]
    assert ceph.changes() == []
    assert KEY not in str(result["diff"])


def test_check_mode_before_there_is_a_cluster(run, ceph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "is_unknown", lambda: True)
    result = run(ceph_auth, check=True, users=[{"entity": "mgr.a"}])
    assert (result["changed"], result["fsid"], ceph.sent) == (True, "", [])
