"""Mons leave the map while the majority stays, and never the last two."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_mon


def dump(names: str, quorum: str) -> dict[str, object]:
    ranks = {name: rank for rank, name in enumerate(names)}
    return {
        "mons": [{"name": name, "rank": rank} for name, rank in ranks.items()],
        "quorum": [ranks[name] for name in quorum],
    }


def absent(*names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def test_a_mon_is_removed_from_the_map(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abcd", "abcd")
    result = run(ceph_mon, mons=absent("d", "x"))
    assert (result["changed"], result["removed"]) == (True, ["d"])
    assert ceph.changes() == [("mon rm", {"name": "d"})]
    assert result["diff"]["after"] == {"mons": ["a", "b", "c"]}


def test_a_mon_that_is_not_in_the_map_is_no_change(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("ab", "ab")
    assert not run(ceph_mon, mons=absent("x"))["changed"]
    assert ceph.changes() == []


def test_check_mode_removes_nothing(run, ceph) -> None:
    ceph.answers["mon dump"] = dump("abc", "abc")
    assert run(ceph_mon, check=True, mons=absent("c"))["removed"] == ["c"]
    assert ceph.changes() == []


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
    assert ceph.changes() == []


@pytest.mark.parametrize(
    ("names", "quorum", "gone"), [("abcd", "abc", "c"), ("abcd", "abc", "d"), ("abc", "ab", "c")]
)
def test_a_mon_may_leave_as_long_as_a_majority_stays(run, ceph, names, quorum, gone) -> None:
    ceph.answers["mon dump"] = dump(names, quorum)
    assert run(ceph_mon, mons=absent(gone))["removed"] == [gone]
