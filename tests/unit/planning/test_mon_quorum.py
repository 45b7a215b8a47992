"""In what order the monmap changes, whatever is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model.names import HostName
from orchestrator.model.plan import PlacedMon, Reason
from orchestrator.planning.mon_quorum import Add, Remove, Seats, transitions


def mon(name, host=None):
    return PlacedMon(name=name, host=HostName(host or f"store-{name}"), address="192.0.2.1")


def moves(names, quorum, count, faults="", spare="xyz"):
    seats = Seats(
        members=tuple(mon(name) for name in names),
        quorum=frozenset(quorum),
        faults=dict.fromkeys(faults, "its host is gone"),
    )
    left = iter(spare)

    def place(_seats):
        name = next(left, None)
        return mon(name) if name else None

    return list(transitions(seats, count, place))


def words(found):
    return " ".join(_word(one) for one in found)


def _word(one):
    match one:
        case Add():
            return f"+{one.mon.name}"
        case Remove():
            return f"-{one.mon.name}"
        case Reason():
            return one.code


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (("a", "a", 1, "", "xyz"), ""),
        (("a", "a", 3, "", "xyz"), "+x +y"),
        (("abc", "abc", 5, "", "xyz"), "+x +y"),
        (("abc", "abc", 5, "", "x"), "+x"),
        (("abcde", "abcde", 3, "", ""), "-e -d"),
        (("abc", "abc", 2, "", ""), "-c"),
        (("abc", "ab", 5, "", "xyz"), "MonOutOfQuorum"),
        (("abcde", "abcd", 3, "", ""), "-e -d"),
        (("abcde", "acde", 4, "", ""), "-b"),
        (("abcde", "abce", 3, "", ""), "-d -e"),
        # A mon that moves: the new one first.
        (("abc", "abc", 3, "c", "x"), "+x -c"),
        (("abc", "abc", 3, "bc", "xyz"), "+x -c +y -b"),
        (("abc", "abc", 3, "abc", "xyz"), "+x -c +y -b +z -a"),
        (("abc", "abc", 3, "c", ""), "MonNotReplaced"),
        (("abc", "abc", 5, "c", "xyz"), "+x +y +z -c"),
        (("abcd", "abcd", 3, "c", "xyz"), "-c"),
        (("abcd", "abd", 3, "c", "xyz"), "-c"),
        (("abcd", "acd", 3, "c", "xyz"), "MonOutOfQuorum"),
        # One that is out of quorum for too long.
        (("abc", "ab", 3, "c", "xyz"), "+x -c"),
        (("abcde", "abc", 5, "de", "xyz"), "+x -e +y -d"),
        (("ab", "ab", 2, "b", "xyz"), "+x -b"),
    ],
)
def test_members_come_and_go_one_at_a_time(case, expected):
    """A case is names, those in quorum, the count, those to replace and the spare ones."""
    assert words(moves(*case)) == expected


@pytest.mark.parametrize(
    ("names", "quorum", "expected"),
    [("abc", "abc", "-c MonSurplus"), ("ab", "ab", "MonSurplus"), ("ab", "a", "MonSurplus")],
)
def test_c27_two_mons_stay_two_when_one_is_asked_for(names, quorum, expected):
    found = moves(names, quorum, 1)

    assert words(found) == expected
    assert "two are never made one" in found[-1].message


def test_c29_a_single_mon_is_never_replaced_and_the_way_out_is_named():
    (found,) = moves("a", "", 1, faults="a")

    assert found.code == "MonNotReplaced"
    assert "raise spec.mon.count to 3 first" in found.message


def test_of_mons_that_share_a_host_one_goes_first():
    members = (mon("a"), mon("b", "store-a"), mon("c"), mon("d"))
    seats = Seats(members=members, quorum=frozenset("abcd"), faults={})

    first = next(transitions(seats, 3, lambda _seats: None))

    assert first == Remove(mon=members[1], reason="4 mons exist, 3 wanted", seats=seats)


@given(
    size=st.integers(1, 9),
    count=st.integers(1, 9),
    data=st.data(),
)
def test_c27_no_order_of_changes_loses_the_majority(size, count, data):
    names = "abcdefghi"[:size]
    out = data.draw(st.sets(st.sampled_from(names), max_size=(size - 1) // 2))
    faults = data.draw(st.sets(st.sampled_from(names)))
    spare = "rstuvwxyz"[: data.draw(st.integers(0, 9))]
    quorum = set(names) - out

    found = moves(names, quorum, count, "".join(sorted(faults)), spare)

    assert len(found) <= 2 * 18
    seats = None
    for one in found:
        if isinstance(one, Reason):
            continue
        assert one.seats.has_majority()
        seats = one.seats.with_(one.mon) if isinstance(one, Add) else one.seats.without(one.mon)
        assert seats.has_majority()
        assert len(seats.members) >= min(2, size)
        assert len(seats.members) <= max(size, count) + 1
