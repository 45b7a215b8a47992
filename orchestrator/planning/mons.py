"""Where the mons are, which are missing, and in what order they come.

A new cluster's mons are made in one step: each starts with the full monmap, so they find each
other and form quorum at once. Mons of a living cluster are added one at a time, and running ones
are restarted one at a time, so that the majority is never in doubt.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import (
    Action,
    Change,
    ConfigSetting,
    MonStep,
    PlacedDaemon,
    PlacedMon,
    Reason,
)
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import addresses, placement
from orchestrator.planning.identity import Fresh, Known
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep


@dataclass(frozen=True, slots=True, kw_only=True)
class Mons:
    """The wanted mons, of which `missing` are still to be made."""

    placed: tuple[PlacedMon, ...] = ()
    missing: tuple[PlacedMon, ...] = ()
    forming: bool = False
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()

    @property
    def wanted(self) -> tuple[PlacedMon, ...]:
        return (*self.placed, *self.missing)


def locate(spec: CephClusterSpec, facts: Facts, identity: Known | Fresh) -> Mons:
    """Existing mons with their places, and places for those that are missing."""
    if isinstance(identity, Fresh):
        return _forming(spec, facts)
    placed = _from_monmap(facts) if facts.cluster else _from_hosts(facts)
    found = _place_missing(spec, facts, placed)
    surplus = len(placed) - spec.mon.count
    notices = (_surplus(spec, len(placed)),) if surplus > 0 else ()
    return replace(found, placed=placed, notices=(*found.notices, *notices))


def _forming(spec: CephClusterSpec, facts: Facts) -> Mons:
    """The same places as at the first try, computed as if the mons made so far were not there."""
    found = _place_missing(spec, facts, ())
    stray = tuple(_strays(facts, found.missing))
    if stray:
        return replace(found, missing=(), blocked=(*found.blocked, *stray))
    made = {mon.id for _, mon in facts.daemons(DaemonType.MON) if mon.data}
    return replace(
        found,
        forming=True,
        placed=tuple(mon for mon in found.missing if mon.name in made),
        missing=tuple(mon for mon in found.missing if mon.name not in made),
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


def _from_monmap(facts: Facts) -> tuple[PlacedMon, ...]:
    holders = {mon.id: host.name for host, mon in facts.daemons(DaemonType.MON) if mon.data}
    members = facts.cluster.mons if facts.cluster else ()
    return tuple(
        PlacedMon(
            name=member.name,
            host=holders.get(member.name),
            address=addresses.host_of(member.addrs[0]) if member.addrs else "",
        )
        for member in members
    )


def _from_hosts(facts: Facts) -> tuple[PlacedMon, ...]:
    """Without quorum: the members of the newest monmap that a mon still holds."""
    held = [(host, mon) for host, mon in facts.daemons(DaemonType.MON) if mon.fsid]
    holders = {mon.id: host.name for host, mon in held}
    newest = max(held, key=lambda pair: pair[1].monmap_epoch, default=None)
    members = newest[1].monmap if newest else ()
    return tuple(
        PlacedMon(name=member.name, host=holders.get(member.name), address=member.addr)
        for member in members
    )


def _place_missing(spec: CephClusterSpec, facts: Facts, placed: Sequence[PlacedMon]) -> Mons:
    lacking = spec.mon.count - len(placed)
    if lacking <= 0:
        return Mons()
    candidates = placement.eligible(facts, DaemonType.MON)
    ready, unfit = _sort_out(candidates, addresses.public_ranges(spec))
    taken = {mon.host for mon in placed}
    places = placement.choose(lacking, ready, load=lambda host: int(host.name in taken), per_host=1)
    if len(places) < lacking:
        return Mons(blocked=(_too_few(spec, len(placed) + len(places)), *unfit))
    letters = placement.next_names(lacking, [mon.name for mon in placed])
    missing = (
        PlacedMon(name=letter, host=host.name, address=_address(host, spec))
        for letter, host in zip(letters, places, strict=True)
    )
    return Mons(missing=tuple(missing), notices=unfit)


def _address(host: Host, spec: CephClusterSpec) -> str:
    return addresses.mon_address(host, addresses.public_ranges(spec)) or ""


def _sort_out(
    candidates: Sequence[Host], ranges: Sequence[str]
) -> tuple[tuple[Host, ...], tuple[Reason, ...]]:
    reasons = {host.name: _unfit(host, ranges) for host in candidates}
    ready = tuple(host for host in candidates if reasons[host.name] is None)
    return ready, tuple(reason for reason in reasons.values() if reason)


def _unfit(host: Host, ranges: Sequence[str]) -> Reason | None:
    if not host.reachable:
        return None  # the plan itself names hosts that did not answer
    if "ceph-mon" not in host.binaries:
        text = "ceph-mon is not installed; install the package ceph-mon"
        return Reason(code="MissingPackage", host=host.name, message=text)
    if addresses.mon_address(host, ranges) is None:
        where = f" inside {', '.join(ranges)}" if ranges else ""
        text = f"has no address{where} for a mon; set ansible_host to an IP"
        return Reason(code="NoAddress", host=host.name, message=text)
    return None


def _too_few(spec: CephClusterSpec, possible: int) -> Reason:
    why = (
        "mons on one host would share its address and port"
        if spec.mon.allow_multiple_per_node
        else "allowMultiplePerNode is false"
    )
    return Reason(
        code="MonPlacement",
        message=f"cannot start {spec.mon.count} mons on {possible} node(s) when {why}; "
        "add hosts or lower spec.mon.count",
    )


def _surplus(spec: CephClusterSpec, existing: int) -> Reason:
    return Reason(
        code="MonSurplus",
        message=f"{existing} mons exist and spec.mon.count is {spec.mon.count}; "
        "this release adds mons and never removes one",
    )


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
    yield from _mend(facts, fsid, mons)
    if facts.cluster:
        yield from _grow(facts, fsid, mons)


def _begin(
    facts: Facts, fsid: Fsid | None, mons: Mons, settings: tuple[ConfigSetting, ...]
) -> Iterator[MonStep]:
    ordered = sorted(mons.wanted, key=lambda mon: (len(mon.name), mon.name))
    creates = tuple(
        Change(
            action=Action.CREATE,
            subject=f"mon.{mon.name}",
            host=mon.host,
            reason=f"new cluster, {mon.address}",
        )
        for mon in ordered
    )
    sets = tuple(
        Change(
            action=Action.SET,
            subject=f"config {setting.section}/{setting.name}",
            reason=f"{setting.value} (new cluster)",
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


def _mend(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[MonStep]:
    together: list[tuple[Change, PlacedMon]] = []
    alone: list[tuple[Change, PlacedMon]] = []
    for mon in mons.placed:
        for host, daemon in _daemon(facts, mon):
            need = upkeep(host, daemon, record=mon_record(mon), fsid=fsid, mons=mons.placed)
            if need:
                (alone if need.restarts else together).append((need.change, mon))
    batches = [together] if together else []
    for batch in (*batches, *([pair] for pair in alone)):
        yield MonStep(
            changes=tuple(change for change, _ in batch),
            fsid=fsid,
            mons=mons.placed,
            admin_host=admin_host(facts, mons.placed),
            targets=tuple(_target(mon) for _, mon in batch),
            new_cluster=False,
        )


def _daemon(facts: Facts, mon: PlacedMon) -> Iterator[tuple[Host, Daemon]]:
    for host, daemon in facts.daemons(DaemonType.MON):
        if host.name == mon.host and daemon.id == mon.name and host.reachable:
            yield host, daemon


def _grow(facts: Facts, fsid: Fsid | None, mons: Mons) -> Iterator[MonStep]:
    members = list(mons.placed)
    for mon in mons.missing:
        members.append(mon)
        reason = f"{len(members) - 1} of {len(mons.wanted)} mons exist, {mon.address}"
        yield MonStep(
            changes=(
                Change(
                    action=Action.CREATE, subject=f"mon.{mon.name}", host=mon.host, reason=reason
                ),
            ),
            fsid=fsid,
            mons=tuple(members),
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
    """Where `ceph` commands run: a mon in quorum, else the first mon with a known host."""
    quorum = facts.cluster.quorum_names if facts.cluster else ()
    hosts = [mon.host for mon in mons if mon.host and _reachable(facts, mon.host)]
    best = [
        mon.host for mon in mons if mon.host and mon.name in quorum and _reachable(facts, mon.host)
    ]
    return (best or hosts)[0]


def _reachable(facts: Facts, name: HostName) -> bool:
    host = facts.hosts.get(name)
    return host is not None and host.reachable
