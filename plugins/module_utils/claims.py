"""Who may work on a cluster: claims with an owner and an end, and the way to hold the only one.

A store that cannot compare and swap, as Ceph's, still allows for one holder: whoever writes a claim
and only then reads all of them sees each rival who wrote before. Two may both step back and try
again; two can never both hold. The clock is that of the hosts, which mons need to agree anyway.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SKEW_SECONDS = 2.0
_ASKING_SECONDS = 10.0
_TRIES = 5
_PAUSE_SECONDS = 0.4


@dataclass(frozen=True)
class Claim:
    """`id` tells owners apart, `owner` is for people. It is `held` once no rival was seen."""

    owner: str
    id: str
    seconds: float
    expires: float
    held: bool = True

    def text(self) -> str:
        return json.dumps(asdict(self))


class Store(Protocol):
    """A place for claims by id, in which what was written is seen by all who read later."""

    def claims(self) -> Mapping[str, Claim]: ...

    def put(self, claim: Claim) -> None: ...

    def remove(self, claim_id: str) -> None: ...


def parsed(text: str) -> Claim | None:
    """Read a claim; what is none, nobody can hold."""
    try:
        found = json.loads(text)
        return Claim(
            owner=str(found["owner"]),
            id=str(found["id"]),
            seconds=float(found["seconds"]),
            expires=float(found["expires"]),
            held=bool(found["held"]),
        )
    except (ValueError, TypeError, KeyError):
        return None


def seconds_left(claim: Claim, now: float) -> float:
    """Give for how long others respect it: 0 when it is over, or when the clock was set back."""
    left = claim.expires + SKEW_SECONDS - now
    return left if 0.0 < left <= claim.seconds + 2 * SKEW_SECONDS else 0.0


def rival(claims: Iterable[Claim], own_id: str, now: float) -> Claim | None:
    """Choose the claim of somebody else that stands in the way for longest."""
    others = [one for one in claims if one.id != own_id and seconds_left(one, now)]
    return max(others, key=lambda one: (one.held, one.expires), default=None)


def shown(claim: Claim, now: float) -> dict[str, object]:
    return {
        "owner": claim.owner,
        "id": claim.id,
        "seconds_left": round(seconds_left(claim, now), 1),
    }


def take(
    store: Store, mine: Claim, clock: Callable[[], float], pause: Callable[[float], None]
) -> Claim | None:
    """Hold the lock for `mine.seconds` from now, or give the claim of who does.

    Rivals who only ask as well are not waited for long: each steps back for a random while.
    """
    for attempt in range(1, _TRIES + 1):
        found = _attempt(store, mine, clock)
        if found is None or found.held:
            return found
        pause(random.uniform(0.1, 1.0) * attempt * _PAUSE_SECONDS)  # noqa: S311 - no secret
    return found


def _attempt(store: Store, mine: Claim, clock: Callable[[], float]) -> Claim | None:
    seen = store.claims()
    before = seen.get(mine.id)
    held = before if before and before.held else None
    found = _in_the_way(seen, mine.id, clock(), held)
    if found:
        return found
    store.put(_lasting(mine, clock(), held=_lives(held, clock())))
    seen = store.claims()
    found = _in_the_way(seen, mine.id, clock(), held)
    if found:
        store.remove(mine.id)
        return found
    if mine.id not in seen:
        return _attempt(store, mine, clock)  # swept away as an old one: nothing was held
    if not seen[mine.id].held:
        store.put(_lasting(mine, clock(), held=True))
    for other in seen.values():
        if other.id != mine.id and not seconds_left(other, clock()):
            store.remove(other.id)
    return None


def _in_the_way(
    seen: Mapping[str, Claim], own_id: str, now: float, held: Claim | None
) -> Claim | None:
    """Ignore who only asks as long as our older lock lives: they see it, and step back."""
    others = [one for one in seen.values() if one.held or not _lives(held, now)]
    return rival(others, own_id, now)


def _lives(held: Claim | None, now: float) -> bool:
    """Say whether it is still ours: others wait a little longer, as clocks differ."""
    return held is not None and 0.0 < held.expires - now <= held.seconds + SKEW_SECONDS


def _lasting(mine: Claim, now: float, *, held: bool) -> Claim:
    seconds = mine.seconds if held else min(mine.seconds, _ASKING_SECONDS)
    return replace(mine, seconds=seconds, expires=now + seconds, held=held)
