"""How many mgrs, where, and which modules they run."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import HostName
from orchestrator.model.plan import (
    Action,
    Change,
    MgrStep,
    ModuleSetting,
    PlacedDaemon,
    Reason,
)
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.planning import dashboard, host_rules, modules, placement, resources
from orchestrator.planning.context import Context
from orchestrator.planning.host_rules import Rules
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A target with its change; `alone` when a running mgr is restarted for it."""

    change: Change
    target: PlacedDaemon
    alone: bool = False


def steps(context: Context) -> Iterator[MgrStep]:
    """New and stopped mgrs in one step; running ones are restarted one by one.

    While no mgr is active the modules are turned on with them, so that the first one starts with
    them and need not start again.
    """
    work = [*_missing(context), *_mending(context)]
    together = [item for item in work if not item.alone]
    found = () if _active(context) else tuple(modules.planned(context))
    if together or found:
        yield _step(context, together, found)
    for item in work:
        if item.alone:
            yield _step(context, [item], ())


def finishing(context: Context, restarted: Collection[str]) -> Iterator[MgrStep]:
    """Modules of mgrs that run, and the dashboard: last, for nothing may wait for them (C33)."""
    found = tuple(modules.planned(context, restarted)) if _active(context) else ()
    setup, changes = dashboard.planned(context)
    if found or setup:
        step = _step(context, [], found)
        yield replace(step, dashboard=setup, changes=(*step.changes, *changes))


def _active(context: Context) -> bool:
    cluster = context.facts.cluster
    return bool(cluster and cluster.mgr.available)


def _step(context: Context, work: Sequence[Work], found: tuple[ModuleSetting, ...]) -> MgrStep:
    return MgrStep(
        changes=(
            *(item.change for item in work),
            *(modules.change(context, one) for one in found),
        ),
        fsid=context.fsid,
        mons=context.mons,
        admin_host=context.admin_host,
        targets=tuple(item.target for item in work),
        modules=found,
    )


def mgr_record(name: str, limits: DaemonResources = UNLIMITED) -> str:
    return record(type="mgr", id=name, **resources.recorded(limits))


def _target(context: Context, name: str, host: HostName) -> PlacedDaemon:
    limits = resources.of(context.spec, DaemonType.MGR)
    return PlacedDaemon(id=name, host=host, record=mgr_record(name, limits), resources=limits)


def _held(facts: Facts) -> tuple[tuple[Host, Daemon], ...]:
    return tuple((host, mgr) for host, mgr in facts.daemons(DaemonType.MGR) if _exists(mgr))


def held(context: Context) -> tuple[tuple[Host, Daemon], ...]:
    """The mgrs that exist on hosts that answered."""
    return _held(context.facts)


def places(context: Context) -> dict[str, HostName]:
    """The mgrs that exist and those that are to come, with their hosts."""
    missing = (work.target for work in _missing(context))
    existing = {mgr.id: host.name for host, mgr in held(context)}
    return {**existing, **{target.id: target.host for target in missing}}


def unseen(context: Context) -> set[str]:
    """Mgrs that may be on hosts that did not answer."""
    return _silent(context.facts, {mgr.id for _, mgr in held(context)})


def _exists(mgr: Daemon) -> bool:
    """A mgr's whole data is its keyring: without that it is to be mended, not made elsewhere."""
    return mgr.data or mgr.running or bool(mgr.record)


def _missing(context: Context) -> Iterator[Work]:
    held = _held(context.facts)
    absent = _silent(context.facts, {mgr.id for _, mgr in held})
    places = placement.choose(
        _lacking(context),
        _ready(context),
        load=lambda host: sum(map(_exists, host.daemons_of(DaemonType.MGR))),
        per_host=_limit(context),
        rules=rules(context),
    )
    letters = placement.next_names(len(places), {mgr.id for _, mgr in held} | absent)
    leavers = [f"mgr.{name} leaves {place}" for name, (place, _) in leaving(context).items()]
    exist = ", ".join([f"{len(held)} exist", *leavers])
    for letter, host in zip(letters, places, strict=True):
        yield Work(
            change=Change(
                action=Action.CREATE,
                subject=f"mgr.{letter}",
                host=host.name,
                reason=f"{context.spec.mgr.count} wanted, {exist}",
            ),
            target=_target(context, letter, host.name),
        )


def _lacking(context: Context) -> int:
    cluster = context.facts.cluster
    if cluster and "mgr" in cluster.unanswered:
        return 0
    held = {mgr.id for _, mgr in _held(context.facts)}
    staying = held - set(leaving(context))
    return context.spec.mgr.count - len(staying) - len(_silent(context.facts, held))


def leaving(context: Context) -> dict[str, tuple[HostName, str]]:
    """Mgrs by id that have to leave their host, and why: they go when others have come."""
    held = ((host, mgr, rules(context).eviction(host)) for host, mgr in _held(context.facts))
    return {mgr.id: (host.name, why) for host, mgr, why in held if why and host.reachable}


def _ready(context: Context) -> tuple[Host, ...]:
    return tuple(host for host in candidates(context) if "ceph-mgr" in host.binaries)


def _silent(facts: Facts, seen: set[str]) -> set[str]:
    """Mgrs that Ceph knows while a host does not answer: they may be there, so none is made.

    A stopped mgr is no longer in the mgr map, but its key still is in the mons' store.
    """
    if facts.cluster is None or all(host.reachable for host in facts.hosts.values()):
        return set()
    users = {one.entity.removeprefix("mgr.") for one in facts.cluster.auth if _is_mgr(one.entity)}
    known = {facts.cluster.mgr.active, *facts.cluster.mgr.standbys, *users}
    return {name for name in known if name and name not in seen}


def _is_mgr(entity: str) -> bool:
    return entity.startswith("mgr.")


def _limit(context: Context) -> int | None:
    return None if context.spec.mgr.allow_multiple_per_node else 1


def rules(context: Context) -> Rules:
    return Rules(spec=context.spec, facts=context.facts, kind=DaemonType.MGR)


def candidates(context: Context) -> tuple[Host, ...]:
    return placement.eligible(context.facts, DaemonType.MGR)


def _mending(context: Context) -> Iterator[Work]:
    for host, mgr in _held(context.facts):
        target = _target(context, mgr.id, host.name)
        need = upkeep(host, mgr, record=target.record, fsid=context.fsid, mons=context.mons)
        if need:
            yield Work(change=need.change, target=target, alone=need.restarts)


def notices(context: Context) -> Iterator[Reason]:
    """Why there are fewer mgrs than wanted, and modules that these mgrs do not have."""
    yield from _shortfall(context)
    yield from modules.notices(context)
    yield from dashboard.notices(context)


def _shortfall(context: Context) -> Iterator[Reason]:
    places = [work.target.host for work in _missing(context)]
    lacking = _lacking(context) - len(places)
    if lacking <= 0:
        return
    for host in candidates(context):
        if host.reachable and "ceph-mgr" not in host.binaries:
            text = "ceph-mgr is not installed; install the package ceph-mgr to place one here"
            yield Reason(code="MissingPackage", host=host.name, message=text)
    count = context.spec.mgr.count
    rule = ", at most one on a host" if _limit(context) else ""
    text = f"{count} mgrs are wanted and {count - lacking} have a place{rule}; "
    yield Reason(code="MgrPlacement", message=f"{text}add hosts or lower spec.mgr.count")
    yield from _excluded(context, places)


def _excluded(context: Context, places: Sequence[HostName]) -> Iterator[Reason]:
    staying = [host.name for host, one in _held(context.facts) if one.id not in leaving(context)]
    taken = {*places, *staying}
    hosts = context.facts.hosts
    free = [host for host in hosts.values() if host.name not in taken]
    yield from host_rules.excluded(rules(context), free, [hosts[name] for name in places])
