"""What hosts run beside their daemons: Ceph's collector of crashes, and the rotation of its logs.

Each host with a daemon, or one that is about to get one, has them, as in Rook. They come with the
last step that makes OSDs: a new cluster takes no run more for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from orchestrator.model.facts import Host, Service
from orchestrator.model.names import HostName
from orchestrator.model.plan import (
    AbsentStep,
    Action,
    Change,
    HostServices,
    HostStep,
    MgrStep,
    MonStep,
    OsdStep,
    Reason,
    Step,
    WantedService,
)
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import quantities, resources
from orchestrator.planning.context import Context
from orchestrator.planning.records import record

CRASH, LOGROTATE = "crash", "logrotate"
PERIODS = {"1h": "hourly", "24h": "daily", "1d": "daily", "": "daily"}
"""Rook's other words for logrotate's."""

MEGABYTE = 1000**2

Work = tuple[Change, WantedService]


def added(context: Context, steps: Sequence[Step]) -> tuple[Step, ...]:
    """`steps` with what hosts need for their services, in the last step or in one of its own."""
    found = list(_needed(context, steps))
    if not found:
        return tuple(steps)
    changes = tuple(change for _, work in found for change, _ in work)
    services = tuple(
        HostServices(host=host, services=tuple(one for _, one in work)) for host, work in found
    )
    last = steps[-1] if steps else None
    if isinstance(last, OsdStep) and any(host.devices for host in last.hosts):
        whole = replace(last, changes=(*last.changes, *changes), services=services)
        return (*steps[:-1], whole)
    own = HostStep(
        changes=changes,
        fsid=context.fsid,
        mons=context.mons,
        admin_host=context.admin_host,
        services=services,
    )
    return (*steps, own)


def _needed(context: Context, steps: Sequence[Step]) -> Iterator[tuple[HostName, tuple[Work, ...]]]:
    busy, off = _busy(context, steps), context.spec.crash_collector.disable
    for host in context.facts.hosts.values():
        work = tuple(
            (change, one)
            for service in host.services
            for one in [wanted(context.spec, service.name, present=host.name in busy)]
            if (change := _change(host, service, one, forbidden=off and host.name in busy))
        )
        if work:
            yield host.name, work


def _busy(context: Context, steps: Sequence[Step]) -> set[HostName]:
    """Hosts that have daemons of the cluster, or will have some."""
    hosts = context.facts.hosts.values()
    found = {host.name for host in hosts if host.reachable and any(_is_ours(host, context))}
    for step in steps:
        match step:
            case MonStep() | MgrStep():
                found |= {target.host for target in step.targets}
            case OsdStep():
                found |= {one.host for one in step.hosts}
            case AbsentStep() | _:
                pass
    return found


def _is_ours(host: Host, context: Context) -> Iterator[bool]:
    for daemon in host.daemons:
        yield daemon.running or bool(daemon.record) or daemon.fsid == context.fsid


def wanted(spec: CephClusterSpec, name: str, *, present: bool) -> WantedService:
    """The service as the manifest asks for it, on a host with daemons or on one without."""
    asked, settings = (_crash if name == CRASH else _logrotate)(spec)
    if not asked or not present:
        return WantedService(name=name, present=False)
    return WantedService(
        name=name, present=True, record=record(service=name, **settings), settings=settings
    )


def _crash(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    return not spec.crash_collector.disable, _limits(spec, "crashcollector")


def _logrotate(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    collector = spec.log_collector
    size = int(quantities.exact(collector.max_log_size) // MEGABYTE)
    settings = {
        "periodicity": PERIODS.get(collector.periodicity, collector.periodicity),
        "max_size_mb": max(1, size),
        **_limits(spec, "logcollector"),
    }
    return collector.enabled, settings


def _limits(spec: CephClusterSpec, name: str) -> dict[str, object]:
    found = resources.of(spec, name)
    amounts = {key: amount for key, amount in asdict(found).items() if amount}
    amounts.pop("memory_request", None)
    return {"resources": amounts} if amounts else {}


def _change(host: Host, service: Service, one: WantedService, *, forbidden: bool) -> Change | None:
    found = _present(service, one) if one.present else _absent(service, forbidden=forbidden)
    if found is None:
        return None
    action, reason = found
    return Change(action=action, subject=service.name, host=host.name, reason=reason)


def _present(service: Service, one: WantedService) -> tuple[Action, str] | None:
    if not service.installed:
        return None
    field = "spec.crashCollector" if one.name == CRASH else "spec.logCollector"
    if not service.record:
        return Action.CREATE, f"as {field} says"
    if service.active != "active" or not service.enabled:
        enabled = "" if service.enabled else " and not enabled"
        return Action.START, f"it is {service.active or 'not loaded'}{enabled}"
    return _difference(service, one)


def _difference(service: Service, one: WantedService) -> tuple[Action, str] | None:
    if one.name == CRASH and not service.keyring:
        return Action.REPAIR, "its keyring is missing"
    if service.drifted:
        return Action.REPAIR, "; ".join(service.drifted)
    return None if service.record == one.record else (Action.UPDATE, "its description changed")


def _absent(service: Service, *, forbidden: bool) -> tuple[Action, str] | None:
    """What this manifest set up goes, and the packaged collector where it is to be disabled.

    On a host without daemons, a unit that somebody else started is left alone.
    """
    if service.record:
        return Action.REMOVE, "the manifest does not ask for it here"
    if service.name == CRASH and forbidden and (service.enabled or service.active == "active"):
        return Action.DISABLE, "spec.crashCollector.disable is true"
    return None


def notices(spec: CephClusterSpec, hosts: Sequence[Host]) -> Iterator[Reason]:
    """Hosts without the program of a service that the manifest asks for."""
    for host in hosts:
        for service in host.services:
            if not service.installed and wanted(spec, service.name, present=True).present:
                program = "ceph-crash" if service.name == CRASH else service.name
                text = f"{program} is not installed; install its package"
                yield Reason(code="MissingPackage", host=host.name, message=text)


def settings(spec: CephClusterSpec) -> dict[tuple[str, str], str]:
    """Options of the mon store: the crash module of the mgr prunes by itself, once a day or so."""
    days = spec.crash_collector.days_to_retain
    if not days or spec.crash_collector.disable:
        return {}
    return {("mgr", "mgr/crash/retain_interval"): str(days * 24 * 60 * 60)}
