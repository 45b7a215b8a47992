"""A step of the plan as Ansible sees it: playbook, limit and variables (pure).

The roles' argument_specs name every variable used here; a contract test holds the two together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, assert_never

from orchestrator.ansible import host_variables, settings
from orchestrator.model.facts import DaemonType, Facts, Restarts
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import (
    AbsentStep,
    CleanupStep,
    ConfigStep,
    CreationStep,
    HostStep,
    MgrStep,
    MonStep,
    OsdStep,
    PlacedMon,
    PlainStep,
    Step,
    WantedService,
)

TARGETS_OF: Mapping[type[Step], str] = {
    MonStep: "mon_targets",
    MgrStep: "mgr_targets",
    OsdStep: "osd_targets",
}
"""In which variable `site.yml` finds the hosts of a part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """`targets` are worked on; `hosts` are those of the limit, with their host variables."""

    playbook: str
    targets: tuple[HostName, ...]
    hosts: Mapping[HostName, Mapping[str, Any]]
    extra: Mapping[str, Any]


def for_step(step: Step, facts: Facts, fsid: Fsid) -> Variables:
    """All that the playbook of `step` needs. No key is among it: hosts make and hold them."""
    if isinstance(step, CreationStep):
        return _together(step, facts, fsid)
    targets = _targets(step)
    served = _served(step)
    reported = (*targets, *served, *_mon_hosts(step, facts))
    own = _merged(host_variables.of(step, facts), served)
    return Variables(
        playbook=playbook(step),
        targets=targets,
        hosts={name: own.get(name, {}) for name in dict.fromkeys(reported)},
        extra={
            **_common(step, fsid),
            **_own(step),
            **({"service_hosts": [str(name) for name in served]} if served else {}),
        },
    )


def _together(step: CreationStep, facts: Facts, fsid: Fsid) -> Variables:
    """What the parts need, each with the hosts that it works on; no two name the same variable."""
    found = [(part, for_step(part, facts, fsid)) for part in step.parts]
    targets = {name: list[str]() for name in TARGETS_OF.values()}
    hosts: dict[HostName, dict[str, Any]] = {}
    extra: dict[str, Any] = {}
    for part, one in found:
        targets[TARGETS_OF[type(part)]] = [str(name) for name in one.targets]
        hosts = _merged(hosts, one.hosts)
        extra |= one.extra
    return Variables(
        playbook=playbook(step),
        targets=tuple(dict.fromkeys(name for _, one in found for name in one.targets)),
        hosts=hosts,
        extra={**extra, **targets},
    )


def _served(step: PlainStep) -> dict[HostName, dict[str, Any]]:
    """Hosts whose services need work, with the variables that say which."""
    return {one.host: _services(one.services) for one in step.services}


def _services(services: Sequence[WantedService]) -> dict[str, Any]:
    own: dict[str, Any] = {"host_services": [one.name for one in services]}
    for one in services:
        own[f"{one.name}_state"] = "present" if one.present else "absent"
        if one.present:
            given = {"record": one.record, **one.settings}
            own |= {f"{one.name}_{key}": value for key, value in given.items()}
    return own


def _merged(
    own: Mapping[HostName, Mapping[str, Any]], more: Mapping[HostName, Mapping[str, Any]]
) -> dict[HostName, dict[str, Any]]:
    names = dict.fromkeys((*own, *more))
    return {name: {**own.get(name, {}), **more.get(name, {})} for name in names}


PLAYBOOKS: Mapping[type[Step], str] = {
    MonStep: "mon.yml",
    ConfigStep: "config.yml",
    MgrStep: "mgr.yml",
    OsdStep: "osd.yml",
    CreationStep: "site.yml",
    AbsentStep: "absent.yml",
    HostStep: "hosts.yml",
    CleanupStep: "cleanup.yml",
}


def playbook(step: Step) -> str:
    """The file name of the playbook that does `step`."""
    return PLAYBOOKS[type(step)]


def _targets(step: PlainStep) -> tuple[HostName, ...]:
    match step:
        case OsdStep() | CleanupStep():
            return tuple(host.host for host in step.hosts)
        case MonStep() | MgrStep():
            targets = tuple(dict.fromkeys(target.host for target in step.targets))
            return targets or (step.admin_host,)
        case ConfigStep() | HostStep():
            return (step.admin_host,)
        case AbsentStep():
            hosts = tuple(dict.fromkeys(daemon.host for daemon in step.daemons))
            return hosts or (step.admin_host,)
        case _:
            assert_never(step)


def _mon_hosts(step: PlainStep, facts: Facts) -> tuple[HostName, ...]:
    """One of them leads, and only its report carries Ceph's own view."""
    placed = {mon.host for mon in step.mons if mon.host}
    holders = {host.name for host, _ in facts.daemons(DaemonType.MON)}
    return tuple(
        name for name, host in facts.hosts.items() if host.reachable and name in placed | holders
    )


def _common(step: PlainStep, fsid: Fsid) -> dict[str, Any]:
    return {
        "ceph_targets": "ceph_targets",
        "ceph_fsid": str(fsid),
        "ceph_mons": [_mon(mon) for mon in step.mons],
        "ceph_admin_host": str(step.admin_host),
    }


def _mon(mon: PlacedMon) -> dict[str, str]:
    host = str(mon.host or "")
    return {"name": mon.name, "host": host, "address": mon.address, "addrs": mon.addrs}


def _own(step: PlainStep) -> dict[str, Any]:  # noqa: PLR0911 - one for each kind of step
    match step:
        case MonStep():
            return {
                "mon_new_cluster": step.new_cluster,
                **settings.of_new_cluster(step),
                **({"mon_readdressed": list(step.readdressed)} if step.readdressed else {}),
                **({"mon_restarts": list(step.restarts)} if step.restarts else {}),
            }
        case ConfigStep():
            return settings.of_config(step)
        case MgrStep():
            return settings.of_mgrs(step)
        case OsdStep():
            return {"osd_look_first": False, **_consent(step), **asking(step.next)}
        case HostStep():
            return {}
        case AbsentStep():
            return {"mon_unmapped": list(step.unmapped), "mgr_removed_users": list(step.users)}
        case CleanupStep():
            return _sanitizing(step)
        case _:
            assert_never(step)


def _consent(step: OsdStep) -> dict[str, Any]:
    restarts = any(host.restarts for host in step.hosts)
    return {"osd_restarts_need_consent": step.need_consent} if restarts else {}


def asking(restarts: Restarts) -> dict[str, Any]:
    """What the role `facts` has to ask of OSDs, beside what it always asks."""
    sizes = {"facts_grown_osds": True} if restarts.sizes else {}
    if not restarts.waiting:
        return sizes
    return {
        **sizes,
        "facts_restarting_osds": list(restarts.waiting),
        "facts_restarting_at_once": restarts.at_once,
    }


def _sanitizing(step: CleanupStep) -> dict[str, Any]:
    found: dict[str, Any] = {"cleanup_data": step.destroy is not None}
    if step.destroy:
        found |= {f"cleanup_{name}": value for name, value in asdict(step.destroy).items()}
    return found
