"""In what order mons are made, mended and added.

A new cluster's mons are made in one step: each starts with the full monmap, so they find each
other and form quorum at once. Mons of a living cluster are added one at a time, and running ones
are restarted one at a time, so that the majority is never in doubt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from orchestrator.model.endpoints import BOTH
from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import (
    AbsentStep,
    Action,
    Change,
    ConfigSetting,
    MonStep,
    PlacedDaemon,
    PlacedMon,
    Reason,
)
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.planning import (
    full_ratios,
    mon_peers,
    mon_removal,
    option_values,
    resources,
)
from orchestrator.planning.mon_places import Mons
from orchestrator.planning.mon_quorum import Remove, Transition
from orchestrator.planning.mutes import NO_MUTES, Mutes
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What a new cluster begins with: options, mutes of health checks, when OSDs are full."""

    settings: tuple[ConfigSetting, ...] = ()
    muting: Mutes = NO_MUTES
    full_ratios: Mapping[str, float] = field(default_factory=dict)


def steps(
    facts: Facts,
    fsid: Fsid | None,
    mons: Mons,
    beginning: Beginning,
) -> Iterator[MonStep | AbsentStep]:
    """Ordered mon steps."""
    if mons.forming:
        yield from _begin(facts, fsid, mons, beginning)
        return
    batches = _mending(facts, fsid, mons)
    earlier: list[MonStep | AbsentStep] = [
        *(_mend(facts, fsid, mons, batch) for batch in batches.first),
        *(_changes(facts, fsid, mons) if facts.cluster else _freed(facts, fsid, mons)),
    ]
    yield from earlier
    written = {target.host for step in earlier for target in _targets(step)}
    for batch in batches.last if mons.kept_out is None else ():  # it ends when all are in quorum
        if left := [(change, mon) for change, mon in batch if mon.host not in written]:
            yield _mend(facts, fsid, mons, left)


def _targets(step: MonStep | AbsentStep) -> tuple[PlacedDaemon, ...]:
    return step.targets if isinstance(step, MonStep) else ()


def _changes(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[MonStep | AbsentStep]:
    """What a cluster in quorum allows: members come, go and change, and remains are put aside."""
    yield from _let_in(fsid, mons)
    yield from (_remake(facts, fsid, mons, mon) for mon in mons.remade)
    yield from (_move(facts, fsid, mons, move) for move in mons.moves)
    yield from _readdress(facts, fsid, mons)
    yield from mon_removal.leftovers(facts, fsid, mons, admin_host(facts, mons.asked))


Batch = list[tuple[Change, PlacedMon]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """What is mended together: before new mons come, and after; `waiting` are not mended now."""

    first: list[Batch]
    last: list[Batch]
    waiting: tuple[str, ...] = ()


def _begin(facts: Facts, fsid: Fsid | None, mons: Mons, beginning: Beginning) -> Iterator[MonStep]:
    ordered = sorted(mons.wanted, key=lambda mon: (len(mon.name), mon.name))
    begun = {mon.name for mon in mons.placed}
    creates = tuple(
        Change(
            action=Action.CREATE,
            subject=f"mon.{mon.name}",
            host=mon.host,
            reason=f"{'begun earlier, never in quorum' if mon.name in begun else 'new cluster'}, "
            f"{_where(mon)}",
        )
        for mon in ordered
    )
    sets = tuple(
        Change(
            action=Action.SET,
            subject=f"config {setting.section}/{setting.name}",
            reason=f"{option_values.shown(setting.name, setting.value)} (new cluster)",
        )
        for setting in beginning.settings
    )
    yield MonStep(
        changes=(
            *creates,
            *sets,
            *beginning.muting.changes,
            *full_ratios.changes(beginning.full_ratios, None),
        ),
        fsid=fsid,
        mons=tuple(ordered),
        admin_host=admin_host(facts, ordered),
        targets=tuple(_target(mons, mon) for mon in ordered),
        new_cluster=True,
        settings=beginning.settings,
        mutes=beginning.muting.on,
        full_ratios=beginning.full_ratios,
    )


def _mending(facts: Facts, fsid: Fsid | None, mons: Mons) -> Batches:
    """Stopped mons together, running ones that restart one by one, and ceph.conf at the end."""
    together: Batch = []
    alone: list[Batch] = []
    conf: Batch = []
    waiting: list[str] = []
    for mon in mons.placed:
        for host, daemon in _daemon(facts, mon):
            need = upkeep(
                host, daemon, record=mon_record(mon, mons.limits), fsid=fsid, mons=mons.wanted
            )
            if need is None:
                continue
            if need.restarts and may_restart(facts, mon.name):
                alone.append([(need.change, mon)])
            elif need.restarts:
                waiting.append(mon.name)
            else:
                (conf if need.conf_only else together).append((need.change, mon))
    return Batches(
        first=[*([together] if together else []), *alone],
        last=[conf] if conf else [],
        waiting=tuple(waiting),
    )


def may_restart(facts: Facts, name: str) -> bool:
    """Whether those that are left are a majority, or all are there and there is no better time."""
    if facts.cluster is None:
        return True
    members = {member.name for member in facts.cluster.mons}
    present = members & set(facts.cluster.quorum_names)
    if name not in present or members == present:
        return True
    return 2 * (len(present) - 1) > len(members)


def postponed(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[Reason]:
    """Mons that would have to restart and are needed for the quorum meanwhile."""
    names = () if mons.forming else _mending(facts, fsid, mons).waiting
    if names and facts.cluster:
        there = facts.cluster.quorum_names
        outside = [f"mon.{one.name}" for one in facts.cluster.mons if one.name not in there]
        text = (
            f"{', '.join(f'mon.{name}' for name in names)} cannot start again while "
            f"{', '.join(outside)} is out of quorum: bring it back, or let it be replaced"
        )
        yield Reason(code="MonOutOfQuorum", message=text, transient=True)


def _mend(facts: Facts, fsid: Fsid | None, mons: Mons, batch: Batch) -> MonStep:
    return MonStep(
        changes=tuple(change for change, _ in batch),
        fsid=fsid,
        mons=mons.wanted,
        admin_host=admin_host(facts, mons.asked),
        targets=tuple(_target(mons, mon) for _, mon in batch),
        new_cluster=False,
    )


def _daemon(facts: Facts, mon: PlacedMon) -> Iterator[tuple[Host, Daemon]]:
    for host, daemon in facts.daemons(DaemonType.MON):
        if host.name == mon.host and daemon.id == mon.name and host.reachable:
            yield host, daemon


def _remake(facts: Facts, fsid: Fsid | None, mons: Mons, mon: PlacedMon) -> MonStep:
    change = _change(Action.CREATE, mon, f"its data is gone, {mon.address}")
    return _step(facts, fsid, mons, mon, change)


def _move(facts: Facts, fsid: Fsid | None, mons: Mons, move: Transition) -> MonStep | AbsentStep:
    if isinstance(move, Remove):
        return mon_removal.step(facts, fsid, mons, move, admin_host(facts, mons.asked))
    count, wanted = len(move.seats.members), len(mons.wanted)
    why = next(iter(move.seats.faults.values()), "")
    reason = f"{count} of {wanted} mons exist" if count < wanted else f"a mon goes: {why}"
    change = _change(Action.CREATE, move.mon, f"{reason}, {_where(move.mon)}")
    return _step(facts, fsid, mons, move.mon, change)


def _let_in(fsid: Fsid | None, mons: Mons) -> Iterator[MonStep]:
    """One peer alone, and its own host is asked: whether another one helps is seen after that."""
    if mons.kept_out is not None and mons.kept_out.ripe:
        why = f"mon.{mons.kept_out.mon.name} is kept out"
        yield _again(fsid, mons, mons.kept_out.peers[:1], why)


def _freed(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[MonStep]:
    """Without a quorum there is none to lose, so they start again together."""
    if found := mon_peers.deadlocked(facts, mons.wanted):
        yield _again(fsid, mons, found, "the mons do not find each other")


def _again(fsid: Fsid | None, mons: Mons, found: Sequence[PlacedMon], why: str) -> MonStep:
    reason = f"it has run since before the monmap changed, and {why}"
    targets = tuple(_target(mons, mon) for mon in found)
    return MonStep(
        changes=tuple(_change(Action.RESTART, mon, reason) for mon in found),
        fsid=fsid,
        mons=mons.wanted,
        admin_host=targets[0].host,
        targets=targets,
        new_cluster=False,
        restarts=tuple(mon.name for mon in found),
    )


def _where(mon: PlacedMon) -> str:
    """Its address, and its ports where they are not Ceph's own."""
    if not mon.address:
        return "with an address of its own"
    return mon.address if mon.ports == BOTH else mon.addrs


def _readdress(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[MonStep]:
    """Members whose messengers are others than the manifest asks for, one at a time."""
    for mon in mons.readdressed:
        change = _change(Action.UPDATE, mon, f"its addresses become {mon.addrs}")
        yield replace(_step(facts, fsid, mons, mon, change), readdressed=(mon.name,))


def _change(action: Action, mon: PlacedMon, reason: str) -> Change:
    return Change(action=action, subject=f"mon.{mon.name}", host=mon.host, reason=reason)


def _step(facts: Facts, fsid: Fsid | None, mons: Mons, mon: PlacedMon, change: Change) -> MonStep:
    return MonStep(
        changes=(change,),
        fsid=fsid,
        mons=mons.wanted,
        admin_host=admin_host(facts, mons.asked),
        targets=(_target(mons, mon),),
        new_cluster=False,
    )


def _target(mons: Mons, mon: PlacedMon) -> PlacedDaemon:
    assert mon.host is not None  # noqa: S101 - only mons with a place are made or mended
    record_ = mon_record(mon, mons.limits)
    return PlacedDaemon(id=mon.name, host=mon.host, record=record_, resources=mons.limits)


def mon_record(mon: PlacedMon, limits: DaemonResources = UNLIMITED) -> str:
    """The hash of a mon's description: its name, its address and what it may use.

    Its ports are not part of it: the monmap has them, and a mon follows the map by itself.
    Nor is an address that its supervisor made.
    """
    address = {} if mon.served else {"address": mon.address}
    return record(type="mon", id=mon.name, **address, **resources.recorded(limits))


def admin_host(facts: Facts, mons: Sequence[PlacedMon]) -> HostName:
    """Where `ceph` commands run: a mon in quorum, else the first mon whose host answers."""
    quorum = facts.cluster.quorum_names if facts.cluster else ()
    best = reachable_hosts(facts, [mon for mon in mons if mon.name in quorum])
    return (best or reachable_hosts(facts, mons))[0]


def reachable_hosts(facts: Facts, mons: Sequence[PlacedMon]) -> tuple[HostName, ...]:
    """Known hosts of `mons` that answer."""
    return tuple(mon.host for mon in mons if mon.host and _reachable(facts, mon.host))


def _reachable(facts: Facts, name: HostName) -> bool:
    host = facts.hosts.get(name)
    return host is not None and host.reachable
