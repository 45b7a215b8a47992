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
from orchestrator.planning import osd_reasons, safety
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
    """What one host needs; `alone` holds changes for which running OSDs restart."""

    host: Host
    devices: tuple[tuple[Change, WantedDevice], ...] = ()
    cleaning: tuple[Change, ...] = ()
    osds: tuple[tuple[Change, OsdId], ...] = ()
    alone: tuple[tuple[Change, OsdId], ...] = ()
    held: tuple[Reason, ...] = ()

    @property
    def together(self) -> bool:
        return bool(self.devices or self.cleaning or self.osds)


def planned(context: Context) -> Part:
    """Steps, and what stands in their way. Making OSDs never waits for restarts (CASES C37)."""
    known = known_osds(context.facts)
    works = [_work(context, host, known) for host in osd_reasons.ready(context.survey.hosts)]
    waits = _waits(context, works)
    return Part(
        steps=tuple(_steps(context, works, restart=not waits)),
        blocked=(
            *osd_reasons.blocked(context),
            *(reason for work in works for reason in work.held),
            *waits,
        ),
        notices=tuple(osd_reasons.notices(context, known)),
    )


def _steps(context: Context, works: Sequence[Work], *, restart: bool) -> Iterator[OsdStep]:
    """One step for everything that stops nothing, then one for each host with restarts."""
    together = [work for work in works if work.together]
    if together:
        yield _step(context, [(work, _host(context, work), _changes(work)) for work in together])
    for work in works:
        if work.alone and restart:
            changes = tuple(change for change, _ in work.alone)
            osds = tuple(osd for _, osd in work.alone)
            yield _step(context, [(work, _host(context, Work(host=work.host), osds), changes)])


def _waits(context: Context, works: Sequence[Work]) -> tuple[Reason, ...]:
    """OSDs of one host restart only when all placement groups are healthy (CASES C39)."""
    hosts = [str(work.host.name) for work in works if work.alone]
    cluster = context.facts.cluster
    pgmap = cluster.status.get("pgmap") if cluster else None
    why = safety.restarts_wait(context.spec, pgmap if isinstance(pgmap, Mapping) else {})
    if not hosts or not why:
        return ()
    text = f"OSDs on {osd_reasons.listed(hosts)} wait for their restart: {why}"
    return (Reason(code="PgsNotClean", message=text, transient=True),)


Piece = tuple[Work, OsdHost, tuple[Change, ...]]


def _step(context: Context, pieces: Sequence[Piece]) -> OsdStep:
    return OsdStep(
        changes=tuple(change for _, _, changes in pieces for change in changes),
        fsid=context.fsid,
        mons=context.mons,
        admin_host=context.admin_host,
        hosts=tuple(host for _, host, _ in pieces),
    )


def _changes(work: Work) -> tuple[Change, ...]:
    osds = (change for change, _ in work.osds)
    return (*osds, *work.cleaning, *(change for change, _ in work.devices))


def _host(context: Context, work: Work, alone: tuple[OsdId, ...] = ()) -> OsdHost:
    return OsdHost(
        host=work.host.name,
        crush_location=crush_location(context.spec, work.host),
        record=osd_record(context.spec, work.host),
        devices=tuple(device for _, device in work.devices),
        osds=alone or tuple(osd for _, osd in work.osds),
    )


def crush_location(spec: CephClusterSpec, host: Host) -> str:
    root = spec.storage.config.get("crushRoot") or "default"
    return f"root={root} host={osd_reasons.crush_host(host)}"


def osd_record(spec: CephClusterSpec, host: Host) -> str:
    return record(type="osd", crush_location=crush_location(spec, host))


def _work(context: Context, host: Host, known: KnownOsds) -> Work:
    decisions = context.survey.decisions[host.name]
    wanted = tuple(
        (_prepare(host, decision), decision.wanted) for decision in decisions if decision.wanted
    )
    needs = list(_upkeep(context, host, known))
    return Work(
        host=host,
        devices=wanted,
        cleaning=tuple(_cleaning(context, host, decisions)),
        osds=tuple((one.change, one.osd) for one in needs if one.change and not one.restarts),
        alone=tuple((one.change, one.osd) for one in needs if one.change and one.restarts),
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


def _upkeep(context: Context, host: Host, known: KnownOsds) -> Iterator[Need]:
    daemons = {daemon.id: daemon for daemon in host.daemons_of(DaemonType.OSD)}
    expected = osd_record(context.spec, host)
    conf_named = False
    for osd, uuid in sorted(_present(context, host, known).items()):
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
    seen = (disk.osd for disk in host.devices if disk.osd)
    labels: list[OsdLabel | LvmOsd] = [*seen, *host.osds_lvm]
    return {
        label.id: label.uuid
        for label in labels
        if label.fsid == context.fsid
        and label.id >= 0
        and label.uuid not in context.survey.cloned
        and (known is None or osd_reasons.same(known.get(label.id), label.uuid))
    }


def known_osds(facts: Facts) -> KnownOsds:
    """OSDs by id as Ceph has them; None where it did not tell, which says nothing of any OSD."""
    if facts.cluster is None or "osds" in facts.cluster.unanswered:
        return None
    return {osd.id: osd for osd in facts.cluster.osds}
