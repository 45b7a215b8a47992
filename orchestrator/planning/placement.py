"""Which hosts a kind of daemon may use, and where the next one goes.

A group named `mons`, `mgrs` or `osds` in the inventory restricts its daemons to its members; an
inventory without the group leaves every host eligible. Of these, `spec.placement` rules some out
and ranks the others (planning.host_rules). Hosts with the fewest daemons of the kind come first,
then those that rank highest, then inventory order: the same input always gives the same placement.
"""

from collections.abc import Callable, Collection, Sequence

from orchestrator.model import names
from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.planning.host_rules import GROUPS, Rules

LONGEST_ID = 2


def eligible(facts: Facts, kind: DaemonType) -> tuple[Host, ...]:
    """Hosts that may hold daemons of `kind`, reachable or not."""
    group = GROUPS[kind]
    members = tuple(host for host in facts.hosts.values() if group in host.groups)
    return members or tuple(facts.hosts.values())


def choose(
    count: int,
    candidates: Sequence[Host],
    *,
    load: Callable[[Host], int],
    per_host: int | None,
    rules: Rules | None = None,
) -> tuple[Host, ...]:
    """Up to `count` places among reachable candidates, `per_host` at most on each (None: any)."""
    places: list[Host] = []
    usable = [host for host in candidates if host.reachable]
    while len(places) < count:
        free = [host for host in usable if per_host is None or _used(host, places, load) < per_host]
        if rules:
            free = [host for host in free if not rules.refusal(host, places)]
        if not free:
            break
        scores = rules.scores(free, places) if rules else [0] * len(free)
        ranked = zip(free, scores, strict=True)
        places.append(min(ranked, key=lambda one: (_used(one[0], places, load), -one[1]))[0])
    return tuple(places)


def _used(host: Host, places: Sequence[Host], load: Callable[[Host], int]) -> int:
    return load(host) + sum(1 for place in places if place.name == host.name)


def next_names(count: int, taken: Collection[str]) -> tuple[str, ...]:
    """The next free letter ids after the highest one taken: ids are never used again."""
    highest = max((names.letter_index(name) for name in taken if _is_letter(name)), default=-1)
    return tuple(names.daemon_letter(highest + 1 + step) for step in range(count))


def _is_letter(name: str) -> bool:
    """Ids of one or two letters count; `store` is somebody's host name and no 9,000,000th id."""
    return len(name) <= LONGEST_ID and name.isascii() and name.isalpha() and name.islower()
