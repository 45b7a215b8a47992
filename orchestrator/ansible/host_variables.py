"""What each host of a step is told beside what all are told (pure)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, assert_never

from orchestrator.model.decisions import Mode, WantedDevice
from orchestrator.model.facts import DaemonType, Facts
from orchestrator.model.names import HostName
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
    PlainStep,
    Remains,
    RemovedDaemon,
)
from orchestrator.model.resources import DaemonResources


def of(step: PlainStep, facts: Facts) -> dict[HostName, dict[str, Any]]:
    match step:
        case MonStep():
            return _grouped("mon_daemons", _mons(step))
        case MgrStep():
            mgrs = [(target.host, _daemon(target)) for target in step.targets]
            return _grouped("mgr_daemons", mgrs)
        case OsdStep():
            return {host.host: _osds(host) for host in step.hosts}
        case ConfigStep() | HostStep():
            return {}
        case AbsentStep():
            return _removals(step, facts)
        case CleanupStep():
            return {host.host: _cleaning(host) for host in step.hosts}
        case _:
            assert_never(step)


def _mons(step: MonStep) -> list[tuple[HostName, dict[str, Any]]]:
    mons = {mon.name: mon for mon in step.mons}
    return [
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
    ]


def _osds(host: OsdHost) -> dict[str, Any]:
    return {
        "osd_devices": [_device(device) for device in host.devices],
        "osd_crush_location": host.crush_location,
        "osd_record": host.record,
        **({"osd_ignored_uuids": list(host.ignored)} if host.ignored else {}),
        **({"osd_restarts": list(host.restarts)} if host.restarts else {}),
        **({"osd_restart_on": host.restart_on} if host.restart_on else {}),
        **(_classes(host) if host.classes else {}),
    }


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
