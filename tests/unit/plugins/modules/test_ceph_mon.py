"""Mons leave the map while the majority stays, and never the last two."""

import itertools

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_mon


@pytest.fixture(autouse=True)
def elections(ceph) -> None:
    """Every look comes after one more election, in which all were there."""
    epochs = itertools.count(2, 2)
    ceph.answers["quorum_status"] = lambda: {
        "election_epoch": next(epochs),
        "quorum_names": list("abcde"),
    }


def dump(names: str, quorum: str) -> dict[str, object]:
    ranks = {name: rank for rank, name in enumerate(names)}
    return {
        "mons": [
            {"name": name, "rank": rank, "public_addrs": addrs(rank)}
            for name, rank in ranks.items()
        ],
        "quorum": [ranks[name] for name in quorum],
    }


def changed(ceph) -> list[tuple[str, dict[str, object]]]:
    return [sent for sent in ceph.changes() if sent[0] != "quorum_status"]


def addrs(rank: int) -> dict[str, object]:
    both = (("v2", 3300), ("v1", 6789))
    return {"addrvec": [{"type": kind, "addr": f"192.0.2.{rank}:{port}"} for kind, port in both]}


def absent(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_a_mon_is_removed_from_the_map(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abcd", "abcd")
    result = run(ceph_mon, mons=absent("d", "x"))
    assert (result["changed"], result["removed"]) == (True, ["d"])
    assert changed(ceph) == [("mon rm", {"name": "d"})]
    assert result["diff"]["after"] == {"mons": ["a", "b", "c"]}


def test_a_mon_that_is_not_in_the_map_is_no_change(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("ab", "ab")
    assert not run(ceph_mon, mons=absent("x"))["changed"]
    assert changed(ceph) == []


def test_check_mode_removes_nothing(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abc", "abc")
    assert run(ceph_mon, check=True, mons=absent("c"))["removed"] == ["c"]
    assert changed(ceph) == []


FEW = "{} would stay"
LOST = "of those that stay ({}) only {} would be in quorum, which is no majority"


@pytest.mark.parametrize(
    ("mons", "gone", "text"),
    [
        (dump("ab", "ab"), "b", FEW.format("1 of 2")),
        (dump("abc", "abc"), "bc", FEW.format("1 of 3")),
        (dump("a", "a"), "a", FEW.format("0 of 1")),
        (dump("abc", "ab"), "b", LOST.format("a, c", "a")),
        (dump("abcde", "abc"), "c", LOST.format("a, b, d, e", "a, b")),
    ],
)
def test_c27_a_removal_never_costs_the_majority(run, ceph, mons, gone, text) -> None:
    ceph.answers["mon dump"] = mons
    for check in (True, False):
        message = run(ceph_mon, check=check, mons=absent(*gone))["msg"]
        assert message == f"refused to remove mon {', '.join(gone)}: {text}"
    assert changed(ceph) == []


@pytest.mark.parametrize(
    ("names", "quorum", "gone"), [("abcd", "abc", "c"), ("abcd", "abc", "d"), ("abc", "ab", "c")]
)
def test_a_mon_may_leave_as_long_as_a_majority_stays(run, ceph, names, quorum, gone) -> None:
    ceph.answers["mon dump"] = dump(names, quorum)
    assert run(ceph_mon, mons=absent(gone))["removed"] == [gone]


NEW = "[v2:192.0.2.0:3300]"


def present(addresses: str) -> list[dict[str, str]]:
    return [{"name": "a", "state": "present", "addrs": addresses}]


def test_addresses_that_differ_are_changed_and_the_quorum_is_waited_for(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abc", "abc")
    result = run(ceph_mon, mons=present(NEW))
    assert (result["changed"], result["readdressed"]) == (True, ["a"])
    assert changed(ceph) == [("mon set-addrs", {"name": "a", "addrs": NEW})]
    assert result["diff"]["before"]["a"] == "[v2:192.0.2.0:3300,v1:192.0.2.0:6789]"
    assert result["diff"]["after"]["a"] == NEW


def test_a_mon_whose_peers_do_not_let_it_in_again_is_named_and_no_other_is_changed(
    run, ceph, monkeypatch
) -> None:
    monkeypatch.setattr(ceph_mon, "_REJOIN_SECONDS", 0.2)
    ceph.answers["mon dump"] = dump("abc", "abc")
    epochs = itertools.count()
    ceph.answers["quorum_status"] = lambda: {
        "election_epoch": next(epochs),
        "quorum_names": ["b", "c"],
    }
    both = [*present(NEW), {"name": "b", "state": "present", "addrs": "[v2:192.0.2.1:3300]"}]

    result = run(ceph_mon, mons=both, wait=5)

    assert (result["readdressed"], result["outside"]) == (["a"], ["a"])
    assert changed(ceph) == [("mon set-addrs", {"name": "a", "addrs": NEW})]


def test_the_others_have_to_be_in_quorum_after_a_change_of_addresses(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abc", "abc")
    epochs = itertools.count()
    ceph.answers["quorum_status"] = lambda: {
        "election_epoch": next(epochs),
        "quorum_names": ["a", "b"],
    }
    message = run(ceph_mon, mons=present(NEW), wait=0.2)["msg"]
    assert message == "after mon set-addrs a not in quorum: ['mon.c']"


@pytest.mark.parametrize(
    "mons",
    [
        present("[v1:192.0.2.0:6789/0,v2:192.0.2.0:3300/0]"),
        present(""),
        [{"name": "x", "state": "present", "addrs": NEW}],
    ],
    ids=["another-order", "none-given", "no-member"],
)
def test_addresses_that_are_right_or_nobodys_are_left_alone(run, ceph, mons) -> None:
    ceph.answers["mon dump"] = dump("abc", "abc")
    assert not run(ceph_mon, mons=mons)["changed"]
    assert changed(ceph) == []


def test_no_mon_starts_again_while_another_is_away(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abc", "ab")
    message = run(ceph_mon, mons=present(NEW))["msg"]
    assert message == "refused to change the addresses of mon a: c is out of quorum"
    assert changed(ceph) == []


def test_c27_a_quorum_that_does_not_come_back_is_said_within_the_time(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abcd", "abcd")
    epochs = itertools.count()
    ceph.answers["quorum_status"] = lambda: {
        "election_epoch": next(epochs),
        "quorum_names": ["a", "b"],
    }
    message = run(ceph_mon, mons=absent("d"), wait=0.2)["msg"]
    assert message == "after mon rm d not in quorum: ['mon.c']"


def test_an_election_that_does_not_end_is_no_quorum(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abcd", "abcd")
    ceph.answers["quorum_status"] = {"election_epoch": 4, "quorum_names": list("abcd")}
    assert "a new election" in run(ceph_mon, mons=absent("d"), wait=0.2)["msg"]


def test_ipv6_addresses_are_compared_whole() -> None:
    assert ceph_mon.parse("[v2:[fd00::1]:3300,v1:[fd00::1]:6789]") == {
        "v2:[fd00::1]:3300",
        "v1:[fd00::1]:6789",
    }
