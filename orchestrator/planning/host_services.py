"""What hosts run beside their daemons: the collector of crashes, the exporter, rotation of logs.

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
from orchestrator.planning import drains, quantities, resources
from orchestrator.planning.context import Context
from orchestrator.planning.records import record

CRASH, LOGROTATE, EXPORTER, CSI = "crash", "logrotate", "exporter", "csi"
BUDGETS, MONITORS, PRUNER = "budgets", "monitors", "pruner"
FIELDS = {
    CRASH: "spec.crashCollector",
    LOGROTATE: "spec.logCollector",
    EXPORTER: "spec.monitoring",
    CSI: "spec.csi",
    BUDGETS: "spec.disruptionManagement",
    MONITORS: "spec.monitoring",
    PRUNER: "spec.crashCollector",
}
WITH_KEYRING = (CRASH, EXPORTER)
NAMESPACED = (CSI, BUDGETS, MONITORS, PRUNER)
"""What a namespace of Kubernetes has once, whichever of its nodes it is told with."""

PROGRAMS = {CRASH: "ceph-crash", EXPORTER: "ceph-exporter"}
PERIODS = {"1h": "hourly", "24h": "daily", "1d": "daily", "": "daily"}
"""Rook's other words for logrotate's."""

MEGABYTE = 1000**2

UNSERVED = Reason(
    code="ServiceMonitorsNotServed",
    message="spec.monitoring.enabled asks for ServiceMonitors, and Kubernetes serves none "
    "(monitoring.coreos.com/v1), or not to this account; install the Prometheus operator, or leave "
    "spec.monitoring.enabled out",
)
"""All else goes on; Prometheus may read the same metrics from the Services."""

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
            for here in [host.name in busy or service.name in NAMESPACED]
            for one in _asked(context, service, present=here)
            if (change := _change(host, service, one, forbidden=off and host.name in busy))
        )
        if work:
            yield host.name, work


def _asked(context: Context, service: Service, *, present: bool) -> Iterator[WantedService]:
    """What the manifest asks for; what may be evicted also depends on what Ceph says now."""
    if service.name != BUDGETS or not context.spec.disruption_management.manage_pod_budgets:
        yield wanted(context.spec, service.name, present=present)
    elif drain := drains.wanted(context, service.notes):
        yield _budgets(drain)


def again(context: Context) -> float | None:
    """Seconds until what may be evicted may be another, as time passes or data gets whole.

    The monitor wakes a pass for OSDs that go or come back; this is for all else, so that nothing
    that was missed between two looks keeps OSDs from being evicted.
    """
    if not context.spec.disruption_management.manage_pod_budgets:
        return None
    found = (
        drains.wanted(context, service.notes)
        for host in context.facts.hosts.values()
        for service in host.services
        if service.name == BUDGETS
    )
    return drains.pause(context.spec) if any(one and one.passing for one in found) else None


def _budgets(drain: drains.Wanted) -> WantedService:
    """Which data may be moved again is told in passing: it is no part of what is to last."""
    lasting = {name: value for name, value in drain.settings.items() if name != "released"}
    return WantedService(
        name=BUDGETS,
        present=True,
        record=record(service=BUDGETS, **lasting),
        settings=drain.settings,
        reason=drain.reason,
    )


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
    asked, settings = _ASKED[name](spec)
    if not asked or not present:
        return WantedService(name=name, present=False)
    return WantedService(
        name=name, present=True, record=record(service=name, **settings), settings=settings
    )


def _crash(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    return not spec.crash_collector.disable, _limits(spec, "crashcollector")


def _exporter(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    return not spec.monitoring.metrics_disabled, _limits(spec, "exporter")


def _logrotate(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    collector = spec.log_collector
    size = int(quantities.exact(collector.max_log_size) // MEGABYTE)
    settings = {
        "periodicity": PERIODS.get(collector.periodicity, collector.periodicity),
        "max_size_mb": max(1, size),
        **_limits(spec, "logcollector"),
    }
    return collector.enabled, settings


def _csi(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    """What drivers read is always there; their users only as long as the manifest wants them."""
    return True, {"users": not spec.csi.skip_user_creation}


def _monitors(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    return spec.monitoring.enabled and not spec.monitoring.metrics_disabled, {}


def _pruner(spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    return spec.crash_collector.days_to_retain > 0 and not spec.crash_collector.disable, {}


def _no_budgets(_spec: CephClusterSpec) -> tuple[bool, dict[str, object]]:
    """Where the manifest asks for budgets, what they say is planned with what Ceph says."""
    return False, {}


_ASKED = {
    CRASH: _crash,
    LOGROTATE: _logrotate,
    EXPORTER: _exporter,
    CSI: _csi,
    BUDGETS: _no_budgets,
    MONITORS: _monitors,
    PRUNER: _pruner,
}


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
    if not service.record:
        return Action.CREATE, f"as {FIELDS[one.name]} says"
    if service.active != "active" or not service.enabled:
        enabled = "" if service.enabled else " and not enabled"
        return Action.START, f"it is {service.active or 'not loaded'}{enabled}"
    return _difference(service, one)


def _difference(service: Service, one: WantedService) -> tuple[Action, str] | None:
    if one.name in WITH_KEYRING and not service.keyring:
        return Action.REPAIR, "its keyring is missing"
    if one.settings.get("users") and not service.keyring:
        return Action.REPAIR, "a Secret of its users is missing"
    if service.drifted:
        return Action.REPAIR, "; ".join(service.drifted)
    if service.record == one.record:
        return None
    return Action.UPDATE, one.reason or "its description changed"


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
    """Hosts, or the one image of all pods, without the program of a service that is asked for."""
    lacking = [
        (host, PROGRAMS.get(service.name, service.name))
        for host in hosts
        for service in host.services
        if not service.installed and wanted(spec, service.name, present=True).present
    ]
    if any(program == MONITORS for _, program in lacking):
        yield UNSERVED
    lacking = [one for one in lacking if one[1] != MONITORS]
    for host, program in lacking:
        if not host.pods:
            text = f"{program} is not installed; install its package"
            yield Reason(code="MissingPackage", host=host.name, message=text)
    for program in sorted({program for host, program in lacking if host.pods}):
        text = f"the image has no {program}, so none is run; take one of spec.cephVersion that has"
        yield Reason(code="MissingPackage", message=text)


def settings(spec: CephClusterSpec) -> dict[tuple[str, str], str]:
    """Options of the mon store: the crash module of the mgr prunes by itself, once a day or so."""
    days = spec.crash_collector.days_to_retain
    if not days or spec.crash_collector.disable:
        return {}
    return {("mgr", "mgr/crash/retain_interval"): str(days * 24 * 60 * 60)}
