"""The module on one host: the file, the mons' store, and what is said of others' locks."""

import json
import time

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import claims, locks
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_lock

US = {"owner": "root@here", "id": "ours"}


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "ceph-orchestrator" / "lock"
    monkeypatch.setattr(locks, "FILE", path)
    return path


@pytest.fixture
def store(ceph):
    """The mons' store behind the fake cluster."""
    kept = {}
    ceph.answers["config-key dump"] = lambda key: {
        name: text for name, text in kept.items() if name.startswith(key)
    }
    ceph.answers["config-key set"] = lambda key, val: kept.update({key: val})
    ceph.answers["config-key rm"] = lambda key: kept.pop(key, None)
    return kept


def theirs(seconds=300.0, *, since=0.0, held=True):
    return claims.Claim("root@there", "theirs", seconds, time.time() - since + seconds, held)


def test_a_free_lock_is_taken_on_the_host_with_owner_and_end(run, file):
    result = run(ceph_lock, **US)

    assert (result["changed"], result["holder"]) == (True, None)
    found = claims.parsed(file.read_text())
    assert (found.owner, found.id, found.held) == ("root@here", "ours", True)
    assert found.expires == pytest.approx(time.time() + 300.0, abs=5.0)
    assert file.stat().st_mode & 0o777 == 0o600


def test_taking_it_again_makes_it_last_longer_and_changes_no_owner(run, file):
    run(ceph_lock, **US, seconds=10)
    first = claims.parsed(file.read_text())

    assert run(ceph_lock, **US)["changed"] is False
    assert claims.parsed(file.read_text()).expires > first.expires


def test_a_lock_that_was_released_meanwhile_is_not_renewed(run, file, store):
    run(ceph_lock, **US, in_cluster=True, renew=True)

    assert not file.exists()
    assert not store
    run(ceph_lock, **US, in_cluster=True, seconds=10)
    run(ceph_lock, **US, in_cluster=True, renew=True)
    assert claims.parsed(file.read_text()).seconds == 300.0


def test_c49_a_lock_file_of_another_is_named_and_left_as_it_is(run, file):
    file.parent.mkdir()
    file.write_text(theirs().text())

    result = run(ceph_lock, **US)

    assert (result["changed"], result["holder"]["owner"]) == (False, "root@there")
    assert result["holder"]["seconds_left"] == pytest.approx(300.0, abs=5.0)
    assert claims.parsed(file.read_text()).id == "theirs"


def test_c49_a_lock_file_that_ended_is_taken_over(run, file):
    file.parent.mkdir()
    file.write_text(theirs(since=303.0).text())

    result = run(ceph_lock, **US)

    assert result["diff"] == {"before": "", "after": "root@here"}
    assert claims.parsed(file.read_text()).id == "ours"


def test_where_there_is_a_quorum_the_lock_is_in_the_store_too(run, file, store):
    assert run(ceph_lock, **US, in_cluster=True)["holder"] is None

    assert set(store) == {"ceph-orchestrator/lock/ours"}
    assert json.loads(store["ceph-orchestrator/lock/ours"])["held"] is True


def test_a_lock_in_the_store_of_another_leaves_nothing_of_ours(run, file, store):
    store["ceph-orchestrator/lock/theirs"] = theirs().text()

    assert run(ceph_lock, **US, in_cluster=True)["holder"]["owner"] == "root@there"
    assert set(store) == {"ceph-orchestrator/lock/theirs"}
    assert not file.exists()


def test_what_is_released_is_gone_and_only_our_own(run, file, store):
    run(ceph_lock, **US, in_cluster=True)
    store["ceph-orchestrator/lock/other"] = theirs(since=400.0).text()

    assert run(ceph_lock, **US, in_cluster=True, state="absent")["changed"] is True
    assert set(store) == {"ceph-orchestrator/lock/other"}
    assert not file.parent.exists()
    file.parent.mkdir()
    file.write_text(theirs().text())
    assert run(ceph_lock, **US, in_cluster=True, state="absent")["changed"] is False
    assert claims.parsed(file.read_text()).id == "theirs"


@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_check_takes_and_releases_nothing(run, file, store, state):
    run(ceph_lock, **US, in_cluster=True, seconds=50)
    before = file.read_text(), dict(store)

    run(ceph_lock, **US, in_cluster=True, state=state, check=True)

    assert (file.read_text(), dict(store)) == before


def test_a_check_before_there_is_a_cluster_asks_none(run, file, monkeypatch):
    monkeypatch.setattr(ceph_lock.cluster, "is_unknown", lambda: True)

    assert run(ceph_lock, **US, in_cluster=True, check=True)["changed"] is True
    assert not file.exists()


def test_a_release_after_the_cluster_is_gone_is_quiet(run, file, monkeypatch):
    monkeypatch.setattr(ceph_lock.cluster, "is_unknown", lambda: True)

    assert run(ceph_lock, **US, in_cluster=True, state="absent")["changed"] is False
    assert not file.parent.exists()


def test_facts_show_locks_that_are_held_and_live(file):
    ended = claims.Claim("root@gone", "gone", 300.0, time.time() - 100.0)
    texts = {"a": theirs().text(), "b": ended.text(), "c": theirs(held=False).text()}

    (shown,) = locks.in_cluster({"a": texts["a"], "b": texts["b"]}, time.time())
    assert (shown["owner"], shown["id"]) == ("root@there", "theirs")
    assert locks.in_cluster({"k": texts["c"]}, time.time()) == []
    assert locks.in_cluster("", time.time()) == []
    assert locks.on_host(time.time()) is None
    file.parent.mkdir()
    file.write_text(texts["a"])
    assert locks.on_host(time.time())["owner"] == "root@there"
