"""OSDs: blank selected devices are prepared, labelled ones are kept running. All hosts at once.

An OSD is its uuid and its cluster's fsid, as the label on the device says; paths are only where it
was last seen. What the manifest no longer names keeps running: removal is never an omission.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.decisions import Decision, WantedDevice
from orchestrator.model.facts import (
    NO_RESTARTS,
    Daemon,
    DaemonType,
    Host,
    LvmOsd,
    OsdLabel,
    Restarts,
)
from orchestrator.model.names import OsdId
from orchestrator.model.plan import Action, Change, OsdClass, OsdHost, OsdStep, Reason
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import (
    network,
    osd_classes,
    osd_reasons,
    osd_removal,
    osd_restarts,
    resources,
    topology,
)
from orchestrator.planning.context import Context
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a plan has of OSDs."""

    steps: tuple[OsdStep, ...] = ()
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()
    restarts: Restarts = NO_RESTARTS
    asks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A part of what one host needs.

    OSDs with uuids in `ignored` are not touched by it, and only `restarts` may be stopped for it.
    """

    host: Host
    devices: tuple[tuple[Change, WantedDevice], ...] = ()
    cleaning: tuple[Change, ...] = ()
    osds: tuple[tuple[Change, OsdId], ...] = ()
    ignored: tuple[str, ...] = ()
    restarts: tuple[OsdId, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        osds = (change for change, _ in self.osds)
        return (*osds, *self.cleaning, *(change for change, _ in self.devices))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWork:
    """What one host needs: what stops nothing (`quiet`), and the OSDs that have to restart.

    `present` has the uuids of its OSDs, `never` those that must not run there.
    """

    quiet: Work
    restarts: Mapping[OsdId, Change]
    present: Mapping[OsdId, str]
    never: frozenset[str]
    held: tuple[Reason, ...] = ()


def planned(context: Context) -> Part:
    """Steps, and what stands in their way. Making OSDs never waits for restarts (CASES C37)."""
    known = context.known_osds
    works = [_work(context, host) for host in osd_reasons.ready(context.survey.hosts)]
    waiting = sorted(osd for work in works for osd in work.restarts)
    found = osd_restarts.planned(context, waiting, None if known is None else len(known))
    return Part(
        steps=tuple(_steps(context, works, found)),
        blocked=(
            *osd_reasons.blocked(context),
            *(reason for work in works for reason in work.held),
            *found.blocked,
        ),
        notices=(
            *osd_reasons.notices(context, known),
            *osd_removal.notices(context),
            *found.notices,
        ),
        restarts=found.restarts,
        asks=found.batch.asks,
    )


def _steps(
    context: Context, works: Sequence[HostWork], found: osd_restarts.Round
) -> Iterator[OsdStep]:
    """One step for everything that stops nothing, then one for the OSDs that restart together."""
    quiet = [work.quiet for work in works if work.quiet.changes]
    if quiet:
        yield _step(context, quiet)
    batch = frozenset(found.batch.osds)
    restarts = [_restarting(work, batch) for work in works if batch & set(work.restarts)]
    if restarts:
        step = _step(context, restarts)
        yield replace(step, need_consent=found.batch.consented, next=found.next)


def _restarting(work: HostWork, batch: frozenset[OsdId]) -> Work:
    """The restarts of one host; its others, and those that still wait, are left alone."""
    now = {osd: change for osd, change in work.restarts.items() if osd in batch}
    waiting = {work.present[osd] for osd in work.restarts if osd not in batch}
    return Work(
        host=work.quiet.host,
        osds=tuple((change, osd) for osd, change in now.items()),
        ignored=tuple(sorted(work.never | waiting)),
        restarts=tuple(now),
    )


def _step(context: Context, works: Sequence[Work]) -> OsdStep:
    return OsdStep(
        changes=tuple(change for work in works for change in work.changes),
        fsid=context.fsid,
        mons=context.mons,
        admin_host=context.admin_host,
        hosts=tuple(_host(context, work) for work in works),
    )


def _host(context: Context, work: Work) -> OsdHost:
    return OsdHost(
        host=work.host.name,
        crush_location=topology.location(context.spec, context.facts, work.host),
        record=osd_record(context.spec, work.host),
        devices=tuple(device for _, device in work.devices),
        osds=tuple(osd for _, osd in work.osds),
        ignored=work.ignored,
        restarts=work.restarts,
        restart_on=restart_on(context.spec),
        classes=_classes(context, work.host),
        device_classes=context.told_classes,
    )


def _classes(context: Context, host: Host) -> dict[str, OsdClass]:
    return {
        name: OsdClass(
            record=osd_record(context.spec, host, limits),
            resources=limits,
            environment=resources.environment(limits),
        )
        for name, limits in osd_classes.of_host(context, host).items()
    }


def osd_record(spec: CephClusterSpec, host: Host, limits: DaemonResources = UNLIMITED) -> str:
    """Behind a dot stands what only a restart brings in.

    Levels between root and host are no part of it: Ceph moves no host for them at a start.
    """
    location = f"root={topology.root(spec)} host={osd_reasons.crush_host(host)}"
    found = record(type="osd", crush_location=location, **resources.recorded(limits))
    read, environment = restart_on(spec), resources.environment(limits)
    told = {"environment": environment} if environment else {}
    return f"{found}.{record(restart_on=read, **told)}" if read or told else found


def restart_on(spec: CephClusterSpec) -> str:
    """What an OSD reads from the cluster's options only when it starts: where it binds to."""
    ranges = spec.network.address_ranges
    networks = {"public": ranges.public, "cluster": ranges.cluster}
    found = {name: ",".join(map(str, given)) for name, given in networks.items() if given}
    return " ".join(f"{name}={value}" for name, value in {**found, **network.binds(spec)}.items())


def _work(context: Context, host: Host) -> HostWork:
    decisions = context.survey.decisions[host.name]
    present = osd_removal.staying(context, host, _present(context, host))
    needs = list(_upkeep(context, host, present))
    held = {present[one.osd] for one in needs if one.held}
    restarts = {one.osd: one.change for one in needs if one.change and one.restarts}
    never = {label.uuid for label in _ours(context, host)} - set(present.values()) | held
    return HostWork(
        quiet=Work(
            host=host,
            devices=tuple((_prepare(host, one), one.wanted) for one in decisions if one.wanted),
            cleaning=tuple(_cleaning(context, host, decisions)),
            osds=tuple((one.change, one.osd) for one in needs if one.change and not one.restarts),
            ignored=tuple(sorted(never | {present[osd] for osd in restarts})),
        ),
        restarts=restarts,
        present=present,
        never=frozenset(never),
        held=tuple(one.held for one in needs if one.held),
    )


def _prepare(host: Host, decision: Decision) -> Change:
    disk = decision.disk
    count = decision.wanted.osds_per_device if decision.wanted else 1
    return Change(
        action=Action.PREPARE,
        subject=f"{'osd' if count == 1 else f'{count} osds'} on {disk.stable_path}",
        host=host.name,
        reason=f"{_size(disk.size)} {disk.model or disk.type}, {decision.reason}",
    )


def _size(size: int) -> str:
    gib = size / 1024**3
    return f"{gib / 1024:.1f} TiB" if gib >= 1024 else f"{gib:.1f} GiB"  # noqa: PLR2004


def _cleaning(context: Context, host: Host, decisions: Sequence[Decision]) -> Iterator[Change]:
    """Preparations that were cut off on devices which are not selected now are cleared up too."""
    again = {one.disk.stable_path for one in decisions if one.wanted}
    for one in host.unfinished:
        if one.fsid in {"", context.fsid} and one.by_id not in again:
            yield Change(
                action=Action.REPAIR,
                subject=f"unfinished osd on {one.by_id}",
                host=host.name,
                reason="an earlier preparation was cut off here",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What an OSD on a host needs, or why it is held back."""

    osd: OsdId
    change: Change | None = None
    restarts: bool = False
    held: Reason | None = None


def _upkeep(context: Context, host: Host, present: Mapping[OsdId, str]) -> Iterator[Need]:
    known = context.known_osds or {}
    daemons = {daemon.id: daemon for daemon in host.daemons_of(DaemonType.OSD)}
    classes = context.told_classes
    conf_named = False
    for osd, uuid in sorted(present.items()):
        daemon = daemons.get(str(osd))
        if daemon is None:
            elsewhere = osd_reasons.runs_elsewhere(context, host, osd, uuid, known.get(osd))
            yield Need(osd=osd, held=elsewhere) if elsewhere else _activation(host, osd)
            continue
        limits = osd_classes.limits(context, host, classes.get(osd, osd_classes.REST))
        expected = osd_record(context.spec, host, limits)
        if osd_classes.unknown(context):
            expected = daemon.record or expected
        need = upkeep(
            host,
            daemon,
            record=expected,
            fsid=context.fsid,
            mons=context.mons,
            location=topology.location(context.spec, context.facts, host),
        )
        restarts = _is_outdated(daemon, expected)
        if restarts and context.survey.selector(host) is None:
            continue  # as in Rook, an OSD that the manifest gave up is neither changed nor removed
        if need and not (need.conf_only and conf_named):
            conf_named = conf_named or need.conf_only
            yield Need(osd=osd, change=need.change, restarts=restarts)


def _is_outdated(daemon: Daemon, expected: str) -> bool:
    """Whether it runs by what it once read at its start; all else is changed without a restart."""
    known, wanted = (text.partition(".")[2] for text in (daemon.record, expected))
    changed = bool(daemon.record) and known != wanted
    return daemon.running and changed and not daemon.left_alone


def _activation(host: Host, osd: OsdId) -> Need:
    change = Change(
        action=Action.ACTIVATE,
        subject=f"osd.{osd}",
        host=host.name,
        reason="its disk is here and no unit starts it",
    )
    return Need(osd=osd, change=change)


def _present(context: Context, host: Host) -> dict[OsdId, str]:
    """OSDs of this cluster on `host` by id, but those unknown to Ceph and those seen twice."""
    known = context.known_osds
    return {
        label.id: label.uuid
        for label in _ours(context, host)
        if label.uuid not in context.survey.cloned
        and (known is None or osd_reasons.same(known.get(label.id), label.uuid))
    }


def _ours(context: Context, host: Host) -> list[OsdLabel | LvmOsd]:
    seen = (disk.osd for disk in host.devices if disk.osd)
    labels: list[OsdLabel | LvmOsd] = [*seen, *host.osds_lvm]
    return [label for label in labels if label.fsid == context.fsid and label.id >= 0]
