"""A step of the plan as Ansible sees it: playbook, limit and variables (pure).

The roles' argument_specs name every variable used here; a contract test holds the two together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, assert_never

from orchestrator.ansible import settings
from orchestrator.model.decisions import Mode, WantedDevice
from orchestrator.model.facts import DaemonType, Facts, Restarts
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.owner import Owner
from orchestrator.model.plan import (
    AbsentStep,
    CleanHost,
    CleanupStep,
    ConfigStep,
    HostStep,
    MgrStep,
    MonStep,
    OsdHost,
    OsdStep,
    PlacedDaemon,
    PlacedMon,
    Remains,
    RemovedDaemon,
    Step,
    WantedService,
)
from orchestrator.model.resources import DaemonResources

MAY_LOSE_THE_QUORUM = frozenset({"mon.yml", "absent.yml", "cleanup.yml"})
"""Playbooks after whose cut the mons' store may not answer: their lock is on the hosts as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """`targets` are worked on; `hosts` are those of the limit, with their host variables."""

    playbook: str
    targets: tuple[HostName, ...]
    hosts: Mapping[HostName, Mapping[str, Any]]
    extra: Mapping[str, Any]


def for_step(step: Step, facts: Facts, fsid: Fsid) -> Variables:
    """All that the playbook of `step` needs. No key is among it: hosts make and hold them."""
    targets = _targets(step)
    served = _served(step)
    reported = (*targets, *served, *_mon_hosts(step, facts))
    own = _merged(_host_variables(step, facts), served)
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


def _served(step: Step) -> dict[HostName, dict[str, Any]]:
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


def lock_hosts(found: Variables, facts: Facts) -> tuple[HostName, ...]:
    """Where the lock lies beside the mons' store.

    Without a quorum, or where it may be lost, there is no other place than the hosts themselves.
    """
    mons = found.playbook in MAY_LOSE_THE_QUORUM or facts.cluster is None
    admin = HostName(found.extra["ceph_admin_host"])
    return tuple(dict.fromkeys((admin, *(found.targets if mons else ()))))


def locked(
    found: Variables, facts: Facts, owner: Owner, *, last: bool, kept: bool = False
) -> Variables:
    """`found` for one writer at a time: the run takes the lock first, and the `last` releases it.

    One that is `kept` from the run before need not be taken; it is only renewed in a long run.
    """
    holding = lock_hosts(found, facts)
    ours = (name for name, host in facts.hosts.items() if host.lock and host.lock.id == owner.id)
    released = tuple(dict.fromkeys((*holding, *ours))) if last else ()
    return replace(
        found,
        hosts={**{key: {} for key in (*found.hosts, *holding, *released)}, **found.hosts},
        extra={
            **found.extra,
            "lock_hosts": [] if kept else [str(name) for name in holding],
            "lock_renewal_hosts": [str(name) for name in holding],
            "lock_release_hosts": [str(name) for name in released],
            "lock_owner": owner.name,
            "lock_id": owner.id,
            "lock_seconds": owner.seconds,
            "lock_in_cluster": facts.cluster is not None,
        },
    )


def held(found: Variables, before: Variables | None) -> Variables:
    """`found` with the places where `before` took the lock as well: all that is to be let go."""
    if before is None:
        return found
    places = (*found.extra["lock_renewal_hosts"], *before.extra["lock_renewal_hosts"])
    stored = found.extra["lock_in_cluster"] or before.extra["lock_in_cluster"]
    both = {"lock_renewal_hosts": list(dict.fromkeys(places)), "lock_in_cluster": stored}
    hosts = {**before.hosts, **found.hosts}
    return replace(found, hosts=hosts, extra={**found.extra, **both})


def unlocked(found: Variables) -> Variables:
    """A run that does nothing but let go of the lock of `found` on all its hosts."""
    hosts = found.extra["lock_renewal_hosts"]
    extra = {**found.extra, "lock_hosts": [], "lock_release_hosts": hosts}
    return replace(found, playbook="unlock.yml", extra={**extra, "lock_renewal_hosts": []})


PLAYBOOKS: Mapping[type[Step], str] = {
    MonStep: "mon.yml",
    ConfigStep: "config.yml",
    MgrStep: "mgr.yml",
    OsdStep: "osd.yml",
    AbsentStep: "absent.yml",
    HostStep: "hosts.yml",
    CleanupStep: "cleanup.yml",
}


def playbook(step: Step) -> str:
    """The file name of the playbook that does `step`."""
    return PLAYBOOKS[type(step)]


def _targets(step: Step) -> tuple[HostName, ...]:
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


def _mon_hosts(step: Step, facts: Facts) -> tuple[HostName, ...]:
    """One of them leads, and only its report carries Ceph's own view."""
    placed = {mon.host for mon in step.mons if mon.host}
    holders = {host.name for host, _ in facts.daemons(DaemonType.MON)}
    return tuple(
        name for name, host in facts.hosts.items() if host.reachable and name in placed | holders
    )


def _common(step: Step, fsid: Fsid) -> dict[str, Any]:
    return {
        "ceph_targets": "ceph_targets",
        "ceph_fsid": str(fsid),
        "ceph_mons": [_mon(mon) for mon in step.mons],
        "ceph_admin_host": str(step.admin_host),
    }


def _mon(mon: PlacedMon) -> dict[str, str]:
    host = str(mon.host or "")
    return {"name": mon.name, "host": host, "address": mon.address, "addrs": mon.addrs}


def _own(step: Step) -> dict[str, Any]:  # noqa: PLR0911 - one for each kind of step
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


def _host_variables(step: Step, facts: Facts) -> dict[HostName, dict[str, Any]]:
    match step:
        case MonStep():
            mons = {mon.name: mon for mon in step.mons}
            return _grouped(
                "mon_daemons",
                [
                    (
                        target.host,
                        {
                            "id": target.id,
                            "address": mons[target.id].address,
                            "addrs": mons[target.id].addrs,
                            **_daemon(target),
                        },
                    )
                    for target in step.targets
                ],
            )
        case MgrStep():
            return _grouped(
                "mgr_daemons",
                [(target.host, _daemon(target)) for target in step.targets],
            )
        case OsdStep():
            return {
                host.host: {
                    "osd_devices": [_device(device) for device in host.devices],
                    "osd_crush_location": host.crush_location,
                    "osd_record": host.record,
                    **({"osd_ignored_uuids": list(host.ignored)} if host.ignored else {}),
                    **({"osd_restarts": list(host.restarts)} if host.restarts else {}),
                    **({"osd_restart_on": host.restart_on} if host.restart_on else {}),
                    **(_classes(host) if host.classes else {}),
                }
                for host in step.hosts
            }
        case ConfigStep() | HostStep():
            return {}
        case AbsentStep():
            return _removals(step, facts)
        case CleanupStep():
            return {host.host: _cleaning(host) for host in step.hosts}
        case _:
            assert_never(step)


def _sanitizing(step: CleanupStep) -> dict[str, Any]:
    found: dict[str, Any] = {"cleanup_data": step.destroy is not None}
    if step.destroy:
        found |= {f"cleanup_{name}": value for name, value in asdict(step.destroy).items()}
    return found


def _cleaning(host: CleanHost) -> dict[str, Any]:
    return {
        "cleanup_services": list(host.services),
        "cleanup_daemons": [{"type": str(kind), "id": name} for kind, name in host.daemons],
        "cleanup_devices": list(host.devices),
        "cleanup_osds": list(host.osds),
    }


def _removals(step: AbsentStep, facts: Facts) -> dict[HostName, dict[str, Any]]:
    found: dict[HostName, dict[str, Any]] = {}
    for one in step.daemons:
        own = found.setdefault(one.host, {})
        own.setdefault(f"{one.type}_removed", []).append({"id": one.id, "data": str(one.data)})
    for host, own in found.items():
        if _forgets(host, step.daemons, facts):
            own["mon_keys_removed"] = True
    return found


def _forgets(name: HostName, removed: Sequence[RemovedDaemon], facts: Facts) -> bool:
    """Whether the last mon leaves a host with its data: then the cluster's keys leave as well."""
    gone = {
        one.id
        for one in removed
        if one.host == name and one.type is DaemonType.MON and one.data is not Remains.KEEP
    }
    host = facts.hosts.get(name)
    held = {mon.id for mon in host.daemons_of(DaemonType.MON)} if host else set()
    return bool(gone) and held <= gone


def _daemon(target: PlacedDaemon) -> dict[str, Any]:
    limits = _limits(target.resources)
    own = {"id": target.id, "record": target.record}
    return {**own, "resources": limits} if limits else own


def _limits(resources: DaemonResources) -> dict[str, int]:
    """What a supervisor enforces: a request it does not."""
    given = {"memory_limit": resources.memory_limit, "cpu_limit": resources.cpu_limit}
    return {name: amount for name, amount in given.items() if amount}


def _classes(host: OsdHost) -> dict[str, Any]:
    return {
        "osd_resources": {
            name: {
                "record": one.record,
                "resources": _limits(one.resources),
                "environment": dict(one.environment),
            }
            for name, one in host.classes.items()
        },
        "osd_known_classes": {str(osd): name for osd, name in host.device_classes.items()},
    }


def _device(device: WantedDevice) -> dict[str, Any]:
    """What differs from the role's defaults, as plain values that YAML can hold."""
    plain = asdict(WantedDevice(path=""))
    values = {name: value for name, value in asdict(device).items() if value != plain[name]}
    return {
        name: str(value) if isinstance(value, Mode) else value for name, value in values.items()
    }


def _grouped(
    name: str, entries: Sequence[tuple[HostName, dict[str, Any]]]
) -> dict[HostName, dict[str, Any]]:
    found: dict[HostName, dict[str, Any]] = {}
    for host, entry in entries:
        found.setdefault(host, {name: []})[name].append(entry)
    return found
