"""Which mgr modules are on, and whether they serve where the manifest says."""

from collections.abc import Collection, Iterator, Mapping
from urllib.parse import urlsplit

from orchestrator.model.facts import Cluster, DaemonType, Facts, MgrModules
from orchestrator.model.plan import Action, Change, ModuleSetting, Reason, Service
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import config, module_options, placement
from orchestrator.planning.context import Context

BUILT_IN_OF_ROOK = "rook"
"""Rook's own mgr module speaks to a Kubernetes operator and has no meaning on hosts."""

FIELDS: Mapping[str, str] = {"dashboard": "spec.dashboard", "prometheus": "spec.monitoring"}
"""Modules that other fields than `spec.mgr.modules` turn on and off, as in Rook."""

FAULTS = ("MGR_MODULE_DEPENDENCY", "MGR_MODULE_ERROR")
"""Health checks that tell of modules that will not come by themselves."""


def wanted(spec: CephClusterSpec) -> dict[str, bool]:
    """Module name → on or off. Those that are not named stay as they are."""
    named = {module.name: module.enabled for module in spec.mgr.modules}
    return {
        **{name: on for name, on in named.items() if name != BUILT_IN_OF_ROOK},
        "dashboard": spec.dashboard.enabled,
        "prometheus": not spec.monitoring.metrics_disabled,
    }


def planned(context: Context, restarted: Collection[str] = ()) -> Iterator[ModuleSetting]:
    """What differs; a module that `restarted` names is restarted by an earlier step already."""
    cluster = context.facts.cluster
    if cluster and "mgr_modules" in cluster.unanswered:
        return
    known = cluster.mgr_modules if cluster else MgrModules()
    for name, on in sorted(wanted(context.spec).items()):
        if name in known.always_on or (on and _is_unknown(context.facts, name)):
            continue
        if on != (name in known.enabled):
            yield ModuleSetting(name=name, enabled=on)
        elif cluster and on and name not in restarted:
            yield from _elsewhere(context, cluster, name)


def _elsewhere(context: Context, cluster: Cluster, name: str) -> Iterator[ModuleSetting]:
    """A module that took its port before the option was changed keeps it until it starts anew."""
    url = cluster.mgr.services.get(name, "") if cluster.mgr.available else ""
    place = expected(context, cluster, name)
    if url and place and not is_at(url, place):
        yield ModuleSetting(name=name, enabled=True, serves=place)


def expected(context: Context, cluster: Cluster, name: str) -> Service | None:
    """Where a module must serve, unless others have set options of the active mgr alone."""
    active, prefix = cluster.mgr.active, f"mgr/{name}/"
    options = {(one.section, one.name): one.value for one in config.all_wanted(context)}
    for one in cluster.config:
        single = one.name.startswith(f"{prefix}{active}/") or one.who == f"mgr.{active}"
        if single and one.name.startswith(prefix) and (one.who, one.name) not in options:
            return None
    return module_options.service(name, options, active)


def is_at(url: str, place: Service) -> bool:
    """Whether a URL of `ceph mgr services` is at a place."""
    parts = urlsplit(url)
    return (
        place.port in (0, parts.port)
        and place.scheme in ("", parts.scheme)
        and place.path in ("", parts.path)
    )


def _is_unknown(facts: Facts, name: str) -> bool:
    """A mgr tells which modules it has; before the first one runs, the hosts' folders do."""
    known = facts.cluster.mgr_modules if facts.cluster else MgrModules()
    if known.available:
        return name not in known.available
    hosts = placement.eligible(facts, DaemonType.MGR)
    installed = {module for host in hosts if host.reachable for module in host.mgr_modules}
    return bool(installed) and name not in installed


def change(context: Context, module: ModuleSetting) -> Change:
    field = FIELDS.get(module.name, "spec.mgr.modules")
    subject = f"mgr module {module.name}"
    if module.serves and context.facts.cluster:
        url = context.facts.cluster.mgr.services.get(module.name, "")
        reason = f"it serves at {url}, and {field} wants {_text(module.serves)}"
        return Change(action=Action.RESTART, subject=subject, reason=reason)
    return Change(
        action=Action.ENABLE if module.enabled else Action.DISABLE,
        subject=subject,
        reason=f"{field} has it {'on' if module.enabled else 'off'}",
    )


def _text(place: Service) -> str:
    scheme = f"{place.scheme}, " if place.scheme else ""
    path = f" and {place.path}" if place.path not in ("", "/") else ""
    return f"{scheme}port {place.port}{path}"


def notices(context: Context) -> Iterator[Reason]:
    """Modules that these mgrs do not have, and those that Ceph always runs."""
    cluster = context.facts.cluster
    always_on = cluster.mgr_modules.always_on if cluster else ()
    for name, on in sorted(wanted(context.spec).items()):
        if name in always_on:
            if not on and name != module_options.BALANCER:
                text = f"spec.mgr.modules has {name} off, and Ceph runs it always"
                yield Reason(code="MgrModuleAlwaysOn", message=text)
        elif on and _is_unknown(context.facts, name):
            text = f"the mgr has no module named {name}; its package may not be installed"
            yield Reason(code="UnknownMgrModule", message=text)


def is_wanted(context: Context, name: str) -> bool:
    """Whether a module is asked for and can be had."""
    return wanted(context.spec).get(name, False) and not _is_unknown(context.facts, name)


def faults(cluster: Cluster) -> str:
    """What Ceph says of modules that failed or cannot run; empty when all is well."""
    health = cluster.status.get("health")
    checks = health.get("checks") if isinstance(health, Mapping) else None
    found = checks if isinstance(checks, Mapping) else {}
    return "; ".join(_summary(found[code]) or code for code in FAULTS if code in found)


def _summary(check: object) -> str:
    summary = check.get("summary") if isinstance(check, Mapping) else None
    return str(summary.get("message", "")) if isinstance(summary, Mapping) else ""
