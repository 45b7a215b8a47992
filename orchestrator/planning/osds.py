"""OSDs: blank selected devices are prepared, labelled ones are kept running. All hosts at once.

An OSD is its uuid and its cluster's fsid, as the label on the device says; paths are only where it
was last seen. What the manifest no longer names keeps running: removal is never an omission.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.model.decisions import Decision, WantedDevice
from orchestrator.model.facts import (
    DaemonType,
    Facts,
    Host,
    LvmOsd,
    Osd,
    OsdLabel,
)
from orchestrator.model.names import OsdId
from orchestrator.model.plan import Action, Change, OsdHost, OsdStep, Reason
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import osd_reasons, safety, topology
from orchestrator.planning.context import Context
from orchestrator.planning.records import record
from orchestrator.planning.upkeep import upkeep

KnownOsds = Mapping[OsdId, Osd] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a plan has of OSDs."""

    steps: tuple[OsdStep, ...] = ()
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A part of what one host needs; OSDs with uuids in `ignored` are not touched by it."""

    host: Host
    devices: tuple[tuple[Change, WantedDevice], ...] = ()
    cleaning: tuple[Change, ...] = ()
    osds: tuple[tuple[Change, OsdId], ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        osds = (change for change, _ in self.osds)
        return (*osds, *self.cleaning, *(change for change, _ in self.devices))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWork:
    """What one host needs: what stops nothing, and that for which running OSDs restart."""

    quiet: Work
    restarts: Work
    held: tuple[Reason, ...] = ()


def planned(context: Context) -> Part:
    """Steps, and what stands in their way. Making OSDs never waits for restarts (CASES C37)."""
    known = known_osds(context.facts)
    works = [_work(context, host, known) for host in osd_reasons.ready(context.survey.hosts)]
    waits = _waits(context, [one.restarts for one in works if one.restarts.osds])
    return Part(
        steps=tuple(_steps(context, works, restart=not waits)),
        blocked=(
            *osd_reasons.blocked(context),
            *(reason for work in works for reason in work.held),
            *waits,
        ),
        notices=tuple(osd_reasons.notices(context, known)),
    )


def _steps(context: Context, works: Sequence[HostWork], *, restart: bool) -> Iterator[OsdStep]:
    """One step for everything that stops nothing, then one for each host with restarts."""
    together = [work.quiet for work in works if work.quiet.changes]
    if together:
        yield _step(context, together)
    for work in works:
        if work.restarts.osds and restart:
            yield _step(context, [work.restarts])


def _waits(context: Context, works: Sequence[Work]) -> tuple[Reason, ...]:
    """OSDs of one host restart only when all placement groups are healthy (CASES C39)."""
    cluster = context.facts.cluster
    pgmap = cluster.status.get("pgmap") if cluster else None
    why = safety.restarts_wait(context.spec, pgmap if isinstance(pgmap, Mapping) else {})
    if not works or not why:
        return ()
    hosts = osd_reasons.listed([str(work.host.name) for work in works])
    text = f"OSDs on {hosts} wait for their restart: {why}"
    return (Reason(code="PgsNotClean", message=text, transient=True),)


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
    )


def osd_record(spec: CephClusterSpec, host: Host) -> str:
    """Levels between root and host are no part of it: Ceph moves no host for them at a start."""
    location = f"root={topology.root(spec)} host={osd_reasons.crush_host(host)}"
    return record(type="osd", crush_location=location)


def _work(context: Context, host: Host, known: KnownOsds) -> HostWork:
    decisions = context.survey.decisions[host.name]
    present = _present(context, host, known)
    needs = list(_upkeep(context, host, known, present))
    held = {present[one.osd] for one in needs if one.held}
    waiting = {present[one.osd] for one in needs if one.restarts}
    never = {label.uuid for label in _ours(context, host)} - set(present.values()) | held
    return HostWork(
        quiet=Work(
            host=host,
            devices=tuple((_prepare(host, one), one.wanted) for one in decisions if one.wanted),
            cleaning=tuple(_cleaning(context, host, decisions)),
            osds=tuple((one.change, one.osd) for one in needs if one.change and not one.restarts),
            ignored=tuple(sorted(never | waiting)),
        ),
        restarts=Work(
            host=host,
            osds=tuple((one.change, one.osd) for one in needs if one.change and one.restarts),
            ignored=tuple(sorted(never)),
        ),
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


def _upkeep(
    context: Context, host: Host, known: KnownOsds, present: Mapping[OsdId, str]
) -> Iterator[Need]:
    daemons = {daemon.id: daemon for daemon in host.daemons_of(DaemonType.OSD)}
    expected = osd_record(context.spec, host)
    conf_named = False
    for osd, uuid in sorted(present.items()):
        daemon = daemons.get(str(osd))
        if daemon is None:
            elsewhere = osd_reasons.runs_elsewhere(context, host, osd, uuid, (known or {}).get(osd))
            yield Need(osd=osd, held=elsewhere) if elsewhere else _activation(host, osd)
            continue
        need = upkeep(host, daemon, record=expected, fsid=context.fsid, mons=context.mons)
        if need and not (need.conf_only and conf_named):
            conf_named = conf_named or need.conf_only
            yield Need(osd=osd, change=need.change, restarts=need.restarts)


def _activation(host: Host, osd: OsdId) -> Need:
    change = Change(
        action=Action.ACTIVATE,
        subject=f"osd.{osd}",
        host=host.name,
        reason="its disk is here and no unit starts it",
    )
    return Need(osd=osd, change=change)


def _present(context: Context, host: Host, known: KnownOsds) -> dict[OsdId, str]:
    """OSDs of this cluster on `host` by id, but those unknown to Ceph and those seen twice."""
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


def known_osds(facts: Facts) -> KnownOsds:
    """OSDs by id as Ceph has them; None where it did not tell, which says nothing of any OSD."""
    if facts.cluster is None or "osds" in facts.cluster.unanswered:
        return None
    return {osd.id: osd for osd in facts.cluster.osds}
