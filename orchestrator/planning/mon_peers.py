"""Mons that their own peers keep out, and which of these have to start again for it.

A mon that gets other addresses starts anew by itself. A peer that has run since before may go on
with its connection to the former one: it takes the new connection for a race with the old, and the
mon stays in `probing` for ever. Its own restart does not help, that of the peer does (seen with
Ceph 20). Such a peer is known by its process being older than the last change of the monmap, so
each is restarted once at most, and no memory is needed for that.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Daemon, DaemonType, Facts
from orchestrator.model.plan import PlacedMon, Reason

GRACE = 20.0
"""Seconds in which a mon that merely starts has found its peers, and in which it is heard again
after one of them was restarted."""

SOON = 300.0
"""A mon that went out so many seconds after the map's last change, or later, has another reason."""

SURE = 90.0
"""Seconds after which a pod's mon that is out is not merely on a node that has just died.

Nobody asks it, so it counts as probing until Kubernetes takes its node for lost.
"""

PROBING = "probing"
OUTSIDE = (PROBING, "electing")
"""While some of its peers hear it and others do not, a mon calls elections that come to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOut:
    """`mon` runs and probes in vain; `peers` may be why, the leader last.

    `ripe` once it is sure that it does not merely start.
    """

    mon: PlacedMon
    peers: tuple[PlacedMon, ...]
    ripe: bool

    @property
    def waiting(self) -> Reason:
        text = (
            f"mon.{self.mon.name} runs and is not in quorum since the monmap changed; if that "
            f"lasts, mon.{self.peers[0].name}, which has run for longer, is started again"
        )
        return Reason(code="MonOutOfQuorum", message=text, host=self.mon.host, transient=True)


def kept_out(facts: Facts, members: Sequence[PlacedMon], faulty: Collection[str]) -> KeptOut | None:
    """The first mon that a quorum keeps out, if there is one; `faulty` ones are to be replaced."""
    quorum = facts.cluster.quorum_names if facts.cluster else ()
    voters = [(mon, one) for mon in members if mon.name in quorum for one in _daemon(facts, mon)]
    age = min((one.monmap_age for _, one in voters if one.monmap_age >= 0), default=None)
    if age is None:
        return None
    older = (mon for mon, one in voters if one.running_seconds > age)
    peers = tuple(sorted(older, key=lambda mon: mon.name == quorum[0]))
    mons = (mon for mon in members if mon.name not in faulty and _is_out(facts, mon, age))
    mon = next(mons, None)
    if mon is None or not peers:
        return None
    running = [one for _, one in voters] + list(_daemon(facts, mon))
    ripe = age >= GRACE and all(one.running_seconds >= GRACE for one in running)
    return KeptOut(mon=mon, peers=peers, ripe=ripe)


def _is_out(facts: Facts, mon: PlacedMon, age: float) -> bool:
    """Whether it runs and has been out since about the map's change."""
    outage = facts.outages.get(mon.name)
    running = any(one.running and one.mon_state in OUTSIDE for one in _daemon(facts, mon))
    if outage is None or outage.seconds < _patience(facts, mon):
        return False
    return running and outage.seconds + SOON >= age


def _patience(facts: Facts, mon: PlacedMon) -> float:
    host = facts.hosts.get(mon.host) if mon.host else None
    return SURE if host is not None and host.pods else 0.0


def deadlocked(facts: Facts, members: Sequence[PlacedMon]) -> tuple[PlacedMon, ...]:
    """Without a quorum, the mons to restart: all run and probe, so none can be harmed by it."""
    found = [(mon, one) for mon in members for one in _daemon(facts, mon)]
    if facts.cluster or len(found) < len(members):
        return ()
    if not all(one.running and one.mon_state == PROBING for _, one in found):
        return ()
    ages = [one.monmap_age for _, one in found]
    if min(ages) < GRACE or any(one.running_seconds < GRACE for _, one in found):
        return ()
    return tuple(mon for mon, one in found if one.running_seconds > min(ages))


def _daemon(facts: Facts, mon: PlacedMon) -> Iterator[Daemon]:
    host = facts.hosts.get(mon.host) if mon.host else None
    if host is not None and host.reachable:
        yield from (one for one in host.daemons_of(DaemonType.MON) if one.id == mon.name)
