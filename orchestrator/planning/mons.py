"""In what order mons are made, mended and added.

A new cluster's mons are made in one step: each starts with the full monmap, so they find each
other and form quorum at once. Mons of a living cluster are added one at a time, and running ones
are restarted one at a time, so that the majority is never in doubt.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import (
    Action,
    Change,
    ConfigSetting,
    MonStep,
    PlacedDaemon,
    PlacedMon,
)
from orchestrator.planning import option_values
from orchestrator.planning.mon_places import Mons
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep


def steps(
    facts: Facts,
    fsid: Fsid | None,
    mons: Mons,
    settings: tuple[ConfigSetting, ...],
) -> Iterator[MonStep]:
    """Ordered mon steps; `settings` are the options that a new cluster begins with."""
    if mons.forming:
        yield from _begin(facts, fsid, mons, settings)
        return
    batches = _mending(facts, fsid, mons)
    yield from (_mend(facts, fsid, mons, batch) for batch in batches.first)
    if facts.cluster:
        yield from _grow(facts, fsid, mons)
    yield from (_mend(facts, fsid, mons, batch) for batch in batches.last)


Batch = list[tuple[Change, PlacedMon]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """What is mended together: before new mons come, and after."""

    first: list[Batch]
    last: list[Batch]


def _begin(
    facts: Facts, fsid: Fsid | None, mons: Mons, settings: tuple[ConfigSetting, ...]
) -> Iterator[MonStep]:
    ordered = sorted(mons.wanted, key=lambda mon: (len(mon.name), mon.name))
    begun = {mon.name for mon in mons.placed}
    creates = tuple(
        Change(
            action=Action.CREATE,
            subject=f"mon.{mon.name}",
            host=mon.host,
            reason=f"{'begun earlier, never in quorum' if mon.name in begun else 'new cluster'}, "
            f"{mon.address}",
        )
        for mon in ordered
    )
    sets = tuple(
        Change(
            action=Action.SET,
            subject=f"config {setting.section}/{setting.name}",
            reason=f"{option_values.shown(setting.name, setting.value)} (new cluster)",
        )
        for setting in settings
    )
    yield MonStep(
        changes=creates + sets,
        fsid=fsid,
        mons=tuple(ordered),
        admin_host=admin_host(facts, ordered),
        targets=tuple(_target(mon) for mon in ordered),
        new_cluster=True,
        settings=settings,
    )


def _mending(facts: Facts, fsid: Fsid | None, mons: Mons) -> Batches:
    """Stopped mons together, running ones that restart one by one, and ceph.conf at the end."""
    together: Batch = []
    alone: list[Batch] = []
    conf: Batch = []
    for mon in mons.placed:
        for host, daemon in _daemon(facts, mon):
            need = upkeep(host, daemon, record=mon_record(mon), fsid=fsid, mons=mons.wanted)
            if need is None:
                continue
            if need.restarts:
                alone.append([(need.change, mon)])
            else:
                (conf if need.conf_only else together).append((need.change, mon))
    return Batches(first=[*([together] if together else []), *alone], last=[conf] if conf else [])


def _mend(facts: Facts, fsid: Fsid | None, mons: Mons, batch: Batch) -> MonStep:
    return MonStep(
        changes=tuple(change for change, _ in batch),
        fsid=fsid,
        mons=mons.wanted,
        admin_host=admin_host(facts, mons.placed),
        targets=tuple(_target(mon) for _, mon in batch),
        new_cluster=False,
    )


def _daemon(facts: Facts, mon: PlacedMon) -> Iterator[tuple[Host, Daemon]]:
    for host, daemon in facts.daemons(DaemonType.MON):
        if host.name == mon.host and daemon.id == mon.name and host.reachable:
            yield host, daemon


def _grow(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[MonStep]:
    for count, mon in enumerate(mons.missing, start=len(mons.placed)):
        reason = f"{count} of {len(mons.wanted)} mons exist, {mon.address}"
        yield MonStep(
            changes=(
                Change(
                    action=Action.CREATE, subject=f"mon.{mon.name}", host=mon.host, reason=reason
                ),
            ),
            fsid=fsid,
            mons=mons.wanted,
            admin_host=admin_host(facts, mons.placed),
            targets=(_target(mon),),
            new_cluster=False,
        )


def _target(mon: PlacedMon) -> PlacedDaemon:
    assert mon.host is not None  # noqa: S101 - only mons with a place are made or mended
    return PlacedDaemon(id=mon.name, host=mon.host, record=mon_record(mon))


def mon_record(mon: PlacedMon) -> str:
    """The hash of a mon's description: a mon is its name and its address."""
    return record(type="mon", id=mon.name, address=mon.address)


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
