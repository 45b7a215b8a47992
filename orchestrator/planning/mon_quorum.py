"""In what order the monmap changes: a pure generator that never gives the majority away.

One member at a time. A new mon comes before the one that it stands in for goes, and a member only
goes when those that are left are a majority of what is left. Two never become one: the last but
one would have to agree to its own removal, and Ceph hangs when it cannot (CASES C27).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from orchestrator.model.plan import PlacedMon, Reason

PAIR = 2
SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    """The monmap: its members, and who of them is in quorum.

    `faults` tells why a member has to be replaced.
    """

    members: tuple[PlacedMon, ...]
    quorum: frozenset[str]
    faults: Mapping[str, str]

    @property
    def good(self) -> tuple[PlacedMon, ...]:
        return tuple(mon for mon in self.members if mon.name not in self.faults)

    @property
    def outside(self) -> tuple[str, ...]:
        """Members that are to stay and are not in quorum."""
        return tuple(mon.name for mon in self.good if mon.name not in self.quorum)

    def has_majority(self) -> bool:
        present = sum(mon.name in self.quorum for mon in self.members)
        return 2 * present > len(self.members)

    def with_(self, mon: PlacedMon) -> "Seats":
        return replace(self, members=(*self.members, mon), quorum=self.quorum | {mon.name})

    def without(self, mon: PlacedMon) -> "Seats":
        members = tuple(one for one in self.members if one.name != mon.name)
        return replace(self, members=members, quorum=self.quorum - {mon.name})


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """A mon joins; `seats` are those before it."""

    mon: PlacedMon
    seats: Seats


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """A mon leaves the monmap, and only then is its daemon stopped."""

    mon: PlacedMon
    reason: str
    seats: Seats


Transition = Add | Remove
Place = Callable[[Seats], PlacedMon | None]
"""Where the next mon goes; None when no host is left for it."""


def transitions(seats: Seats, count: int, place: Place) -> Iterator[Transition | Reason]:
    """Every change in its order until `count` good members are left, or why it ends before."""
    while True:
        found = _next(seats, count, place)
        if found is None:
            return
        yield found
        match found:
            case Reason():
                return
            case Add():
                seats = seats.with_(found.mon)
            case Remove():
                seats = seats.without(found.mon)


def _next(seats: Seats, count: int, place: Place) -> Transition | Reason | None:
    if len(seats.members) > count:
        return _removal(seats, count)
    if len(seats.good) < count:
        return _addition(seats, count, place)
    return None


def _addition(seats: Seats, count: int, place: Place) -> Transition | Reason | None:
    if len(seats.members) == 1 and count == 1:
        return _alone(seats)
    if seats.outside:
        return unsteady(seats, "no mon is added")
    mon = place(seats)
    if mon is not None:
        return Add(mon=mon, seats=seats)
    return _unreplaced(seats) if len(seats.members) >= count else None


def _removal(seats: Seats, count: int) -> Transition | Reason:
    if len(seats.members) == PAIR:
        text = (
            f"2 mons exist and spec.mon.count is {count}; two are never made one, for a single "
            "mon could not agree to it if the other failed on the way"
        )
        return Reason(code="MonSurplus", message=text)
    victim = _victim(seats)
    rest = seats.without(victim)
    others = {mon.name for mon in rest.members}
    if victim.name in seats.quorum and not others <= seats.quorum:
        return unsteady(replace(seats, faults={}), "no mon is removed")
    if not rest.has_majority():
        return unsteady(replace(seats, faults={}), "no mon is removed")
    surplus = f"{len(seats.members)} mons exist, {count} wanted"
    return Remove(mon=victim, reason=seats.faults.get(victim.name, surplus), seats=seats)


def _victim(seats: Seats) -> PlacedMon:
    """Who goes first: who is to be replaced, is out of quorum, shares its host, came last."""
    faulty = [mon for mon in seats.members if mon.name in seats.faults]
    candidates = faulty or list(seats.members)
    hosts = [mon.host for mon in seats.members]

    def order(mon: PlacedMon) -> tuple[bool, bool, tuple[int, str]]:
        shares = mon.host is not None and hosts.count(mon.host) > 1
        return mon.name not in seats.quorum, shares, (len(mon.name), mon.name)

    return max(candidates, key=order)


def _alone(seats: Seats) -> Reason | None:
    mon = seats.members[0]
    text = (
        f"mon.{mon.name} would have to be replaced ({seats.faults[mon.name]}), and a single mon "
        "is not: raise spec.mon.count to 3 first"
    )
    return Reason(code="MonNotReplaced", message=text, host=mon.host)


def _unreplaced(seats: Seats) -> Reason:
    faulty = [f"mon.{name} ({why})" for name, why in list(seats.faults.items())[:SHOWN]]
    text = f"no other host may hold a mon in place of {', '.join(faulty)}; add a host"
    return Reason(code="MonNotReplaced", message=text)


def unsteady(seats: Seats, what: str) -> Reason:
    names = ", ".join(f"mon.{name}" for name in seats.outside)
    text = f"{what} while {names} is out of quorum: bring it back, or let it be replaced"
    return Reason(code="MonOutOfQuorum", message=text, transient=True)
