"""Where the mons are, where those that are missing will be, and which of them have to go.

Members of the monmap come first, whatever the manifest says: a mon is never lost sight of because
its host did not answer. Places for new ones are chosen by placement's rules.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.endpoints import MSGR1_PORT, MSGR2_PORT, Ports
from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.plan import PlacedMon, Reason
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import (
    addresses,
    mon_members,
    mon_peers,
    network,
    placement,
    resources,
)
from orchestrator.planning.identity import Fresh, Known
from orchestrator.planning.mon_hosts import MOST_MONS, Places
from orchestrator.planning.mon_peers import KeptOut
from orchestrator.planning.mon_quorum import (
    Add,
    Remove,
    Seats,
    Transition,
    transitions,
    unsteady,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mons:
    """The mons as they are to be: `placed` exist, `missing` are still to be made.

    `remade` are members whose data is gone. `moves` are the changes of the monmap in their
    order, `going` are members that it ends without, `readdressed` those that get other ports.
    `kept_out` is one that its peers keep out of quorum.
    """

    placed: tuple[PlacedMon, ...] = ()
    remade: tuple[PlacedMon, ...] = ()
    missing: tuple[PlacedMon, ...] = ()
    going: tuple[PlacedMon, ...] = ()
    readdressed: tuple[PlacedMon, ...] = ()
    moves: tuple[Transition, ...] = ()
    kept_out: KeptOut | None = None
    forming: bool = False
    limits: DaemonResources = UNLIMITED
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()

    @property
    def wanted(self) -> tuple[PlacedMon, ...]:
        return (*self.placed, *self.remade, *self.missing)

    @property
    def asked(self) -> tuple[PlacedMon, ...]:
        """Those on whose hosts the cluster can be asked, or from which a new one begins."""
        return self.wanted if self.forming else (*self.placed, *self.remade, *self.going)


def locate(spec: CephClusterSpec, facts: Facts, identity: Known | Fresh) -> Mons:
    """Existing mons with their places, and places for those that are missing."""
    places = Places(spec=spec, facts=facts)
    found = _forming(places) if isinstance(identity, Fresh) else _existing(places)
    return replace(found, limits=resources.of(spec, DaemonType.MON))


def _existing(places: Places) -> Mons:
    facts, found = places.facts, mon_members.members(places.facts)
    return _split(facts, _moved(places, found) if facts.cluster else Mons(placed=found))


def _split(facts: Facts, found: Mons) -> Mons:
    """Members whose host has nothing of them are made again there."""
    empty = tuple(mon for mon in found.placed if mon_members.lacks_data(facts, mon))
    return replace(
        found, placed=tuple(mon for mon in found.placed if mon not in empty), remade=empty
    )


def _forming(places: Places) -> Mons:
    """The same places as at the first try, computed as if the mons made so far were not there."""
    count = places.spec.mon.count
    found: list[PlacedMon] = []
    for name in placement.next_names(count, ()):
        mon = places.place(name, found)
        if mon is None:
            return Mons(blocked=(_too_few(places.spec, len(found)), *places.excluded(found, ())))
        found.append(mon)
    stray = (*_strays(places.facts, found), *_mixed(places.spec, found))
    if stray:
        return Mons(blocked=stray, notices=places.unfit())
    made = {mon.id for _, mon in places.facts.daemons(DaemonType.MON) if mon.data}
    return Mons(
        forming=True,
        placed=tuple(mon for mon in found if mon.name in made),
        missing=tuple(mon for mon in found if mon.name not in made),
        notices=places.unfit(),
    )


def _strays(facts: Facts, places: Sequence[PlacedMon]) -> Iterator[Reason]:
    expected = {(mon.name, mon.host) for mon in places}
    for host, mon in facts.daemons(DaemonType.MON):
        if mon.data and (mon.id, host.name) not in expected:
            yield Reason(
                code="InterruptedCreation",
                host=host.name,
                message=f"{mon.name} was made by an earlier try that never reached quorum, and "
                "the manifest or inventory now asks for other places. It holds no data yet: "
                f"remove /var/lib/ceph/mon/ceph-{mon.id} there, or restore the old input",
            )


def _mixed(spec: CephClusterSpec, mons: Sequence[PlacedMon]) -> Iterator[Reason]:
    """Daemons bind to one family unless told otherwise, so mons of both would be half reachable."""
    families = {addresses.family_of(mon.address) for mon in mons}
    if len(families) > 1 and not spec.network.dual_stack:
        found = ", ".join(f"mon.{mon.name} {mon.address}" for mon in mons)
        text = f"mons would have IPv4 and IPv6 addresses ({found}); set spec.network.ipFamily"
        yield Reason(code="MixedFamilies", message=text)


def _moved(places: Places, members: tuple[PlacedMon, ...]) -> Mons:
    """Members, and what has to come and to go until they are as the manifest says."""
    spec, facts = places.spec, places.facts
    unread = tuple(mon.name for mon in members if not mon.address)
    if 2 * len(unread) > len(members):
        return Mons(blocked=(_unread(unread),))
    if unread:
        return Mons(placed=members)  # a map that is not understood is not changed
    judge = mon_members.Judge(spec=spec, facts=facts, evicted=places.evicted)
    faults = judge.faults(members)
    seats = Seats(members=members, quorum=_quorum(facts, members, faults), faults=faults)
    names = iter(placement.next_names(2 * MOST_MONS, _taken(facts, members)))
    begun = _begun(facts, members)
    found = tuple(transitions(seats, spec.mon.count, lambda now: _next(places, now, begun, names)))
    moves = tuple(one for one in found if not isinstance(one, Reason))
    reasons = tuple(one for one in found if isinstance(one, Reason))
    gone = {move.mon.name for move in moves if isinstance(move, Remove)}
    staying = tuple(mon for mon in members if mon.name not in gone)
    spoken = tuple(_respoken(spec, mon) if _may_respeak(seats, mon) else mon for mon in staying)
    kept_out = mon_peers.kept_out(facts, staying, faults)
    added = tuple(move.mon for move in moves if isinstance(move, Add))
    short = len(members) + len(added) < spec.mon.count and not reasons
    stuck = short or any(reason.code == "MonNotReplaced" for reason in reasons)
    blocked = (_too_few(spec, len(members) + len(added)),) if short else ()
    why = places.excluded((*members, *added), places.members) if stuck else ()
    return Mons(
        placed=spoken,
        readdressed=tuple(mon for mon in spoken if mon not in staying),
        missing=tuple(mon for mon in added if mon.name not in gone),
        going=tuple(mon for mon in members if mon.name in gone),
        moves=moves,
        kept_out=kept_out,
        blocked=(
            *blocked,
            *(one for one in reasons if one.code != "MonSurplus"),
            *_waiting(spec, seats, staying, kept_out),
            *why,
        ),
        notices=(
            *(places.unfit() if added and not stuck else ()),
            *(one for one in reasons if one.code == "MonSurplus"),
        ),
    )


def _unread(names: Sequence[str]) -> Reason:
    """Every step writes the mons' addresses into ceph.conf, by which nobody would find them."""
    listed = ", ".join(f"mon.{name}" for name in names)
    text = f"the monmap has no address for {listed} that can be read; nothing is changed: "
    return Reason(code="MonmapUnreadable", message=f"{text}look at `ceph mon dump`")


def _respoken(spec: CephClusterSpec, mon: PlacedMon) -> PlacedMon:
    """A mon with the messengers that the manifest asks for; its ports stay where it has them."""
    step = (mon.ports.v2 or MSGR2_PORT) - MSGR2_PORT
    old = 0 if network.requires_msgr2(spec) else mon.ports.v1 or MSGR1_PORT + step
    return replace(mon, ports=Ports(v2=MSGR2_PORT + step, v1=old))


def _waiting(
    spec: CephClusterSpec, seats: Seats, mons: Sequence[PlacedMon], kept_out: KeptOut | None
) -> Iterator[Reason]:
    """What does not happen while a mon is out of quorum, and that this may end by itself."""
    if kept_out and not kept_out.ripe:
        yield kept_out.waiting
    elif seats.outside and not kept_out and any(_respoken(spec, mon) != mon for mon in mons):
        yield unsteady(seats, "no address of a mon is changed")


def _may_respeak(seats: Seats, mon: PlacedMon) -> bool:
    """It starts again with its new addresses, so all must be in quorum, and we must know it."""
    return mon.host is not None and bool(mon.address) and not seats.outside and not seats.faults


def _next(
    places: Places, seats: Seats, begun: Iterator[tuple[str, Host]], names: Iterator[str]
) -> PlacedMon | None:
    """A place for a new mon; who has to go for its address alone leaves its host free for it.

    One that a run began before it was cut off comes first, where it is and as what it is.
    """
    kept = [mon for mon in seats.members if not _frees_its_host(places, seats, mon)]
    for name, host in begun:
        if found := places.place(name, kept, places.members, only=host):
            return found
    found = places.place("", kept, places.members)
    return replace(found, name=next(names)) if found else None


def _begun(facts: Facts, members: Sequence[PlacedMon]) -> Iterator[tuple[str, Host]]:
    """Mons of this cluster that were made and never joined."""
    known = {mon.name for mon in members}
    for host, mon in facts.daemons(DaemonType.MON):
        ours = facts.cluster is not None and mon.fsid == facts.cluster.fsid
        if ours and mon.monmap_epoch == 0 and mon.id not in known:
            yield mon.id, host


def _frees_its_host(places: Places, seats: Seats, mon: PlacedMon) -> bool:
    host = places.facts.hosts.get(mon.host) if mon.host else None
    if mon.served:
        return False
    return mon.name in seats.faults and host is not None and places.address(host) != mon.address


def _quorum(facts: Facts, members: Sequence[PlacedMon], faults: Collection[str]) -> frozenset[str]:
    """Who is in quorum, and who will be once it was started or made again where it belongs."""
    present = set(facts.cluster.quorum_names if facts.cluster else ())
    mended = {mon.name for mon in members if mon_members.can_be_mended(facts, mon)}
    return frozenset(present | mended - set(faults))


def _taken(facts: Facts, members: Sequence[PlacedMon]) -> tuple[str, ...]:
    """Every id that was ever used, as far as anything tells."""
    seen = [mon.id for _, mon in facts.daemons(DaemonType.MON)]
    aside = [name for host in facts.hosts.values() for name in host.removed_mons]
    return (*(mon.name for mon in members), *seen, *aside)


def _too_few(spec: CephClusterSpec, possible: int) -> Reason:
    why = (
        "no other host is fit"
        if spec.mon.allow_multiple_per_node
        else ("allowMultiplePerNode is false")
    )
    return Reason(
        code="MonPlacement",
        message=f"cannot start {spec.mon.count} mons on {possible} node(s) when {why}; "
        "add hosts or lower spec.mon.count",
    )


def electing(facts: Facts) -> bool:
    """True while mons that are a majority of their map run, and none of them leads yet."""
    if facts.cluster:
        return False
    held = [mon for _, mon in facts.daemons(DaemonType.MON) if mon.fsid]
    newest = max(held, key=lambda mon: mon.monmap_epoch, default=None)
    if newest is None:
        return False
    members = {member.name for member in newest.monmap}
    running = {mon.id for mon in held if mon.running and mon.mon_state}
    return 2 * len(running & members) > len(members)
