"""The playbooks, one small operation after the other."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName
from tests.fakes.machines import daemons
from tests.fakes.machines.ceph import Ceph
from tests.fakes.machines.hosts import Disk, Machine

Operation = Callable[[], None]


def operations(ceph: Ceph, variables: Variables) -> Iterator[Operation]:
    fsid = variables.extra["ceph_fsid"]
    ceph.fsids.add(fsid)
    others = {
        "site.yml": _creation,
        "absent.yml": _removals,
        "cleanup.yml": _cleanup,
    }
    if variables.playbook in others:
        yield from others[variables.playbook](ceph, variables)
        return
    yield from _consent(ceph, variables)
    for name in variables.targets:
        if name in ceph.broken:
            continue
        yield from _host(ceph, ceph.machines[str(name)], variables, fsid)
    for name in variables.extra.get("mon_readdressed", ()):
        yield lambda name=name: daemons.readdress(ceph, name, variables.extra["ceph_mons"])
    for name in variables.extra.get("mon_restarts", ()):
        yield lambda name=name: daemons.restart(ceph, name)
    yield from _settings(ceph, variables.extra)
    for module in variables.extra.get("mgr_modules", ()):
        yield lambda module=module: ceph.toggle(module)
    if "mgr_dashboard" in variables.extra:
        yield lambda: ceph.set_up_dashboard(variables.extra["mgr_dashboard"])
    for user in variables.extra.get("config_removed_users", ()):
        yield lambda user=user: ceph.users.discard(user)


def _creation(ceph: Ceph, variables: Variables) -> Iterator[Operation]:
    """The plays of `site.yml`, each with what its own role reads."""
    for kind, more in (("mon", ("config_",)), ("mgr", ()), ("osd", ())):
        assert kind == "mon" or ceph.quorum(), f"{kind}s are made without a quorum"
        hosts = {
            name: {key: value for key, value in own.items() if key.startswith(f"{kind}_")}
            for name, own in variables.hosts.items()
        }
        extra = {
            key: value
            for key, value in variables.extra.items()
            if key.startswith(("ceph_", f"{kind}_", *more))
        }
        targets = tuple(HostName(name) for name in variables.extra[f"{kind}_targets"])
        play = replace(variables, playbook=f"{kind}.yml", targets=targets, hosts=hosts, extra=extra)
        yield from operations(ceph, play)


def _removals(ceph: Ceph, variables: Variables) -> Iterator[Operation]:
    for user in variables.extra.get("mgr_removed_users", ()):
        yield lambda user=user: ceph.users.discard(user)
    for name in variables.extra.get("mon_unmapped", ()):
        yield lambda name=name: daemons.unmap(ceph, name)
    for kind in ("mgr", "osd", "mon"):
        for name in variables.targets:
            for one in variables.hosts[name].get(f"{kind}_removed", ()):
                machine = ceph.machines[str(name)]
                key = f"{kind}.{one['id']}"
                yield lambda machine=machine, key=key: machine.stop(key)
                yield lambda machine=machine, key=key, one=one: machine.forget(key, one["data"])


def _cleanup(ceph: Ceph, variables: Variables) -> Iterator[Operation]:
    fsid = variables.extra["ceph_fsid"]
    destroy = variables.extra["cleanup_data"]
    for name in variables.targets:
        machine, own = ceph.machines[str(name)], variables.hosts[name]
        for disk in machine.disks if destroy else ():
            if f"/dev/disk/by-id/wwn-{disk.name}" in own["cleanup_devices"]:
                yield lambda disk=disk: disk.clear(fsid)
        for one in own["cleanup_daemons"] if destroy else ():
            key = f"{one['type']}.{one['id']}"
            yield lambda machine=machine, key=key: machine.units.pop(key, None)
        if destroy:
            yield lambda machine=machine: machine.empty(fsid)
        yield lambda machine=machine: machine.bare(fsid)


def _settings(ceph: Ceph, extra: Mapping[str, Any]) -> Iterator[Operation]:
    begun = [{**one, "owned": False} for one in extra.get("mon_initial_settings", ())]
    for setting in (*begun, *extra.get("config_settings", ())):
        yield lambda setting=setting: ceph.store.set(setting)
    for setting in extra.get("config_secret_settings", ()):
        yield lambda setting=setting: ceph.store.set_secret(setting)
    for option in extra.get("config_removed", ()):
        yield lambda option=option: ceph.store.remove(option)
    for option in extra.get("config_released", ()):
        yield lambda option=option: ceph.store.release(option)
    if extra.get("config_muted") or extra.get("config_unmuted"):
        muted, unmuted = extra.get("config_muted", ()), extra.get("config_unmuted", ())
        yield lambda: ceph.store.mute(muted, unmuted)
    for kind, ratio in extra.get("config_full_ratios", {}).items():
        yield lambda kind=kind, ratio=ratio: ceph.store.full_ratios.update({kind: ratio})
    for name in extra.get("config_restarted_modules", ()):
        yield lambda name=name: ceph.store.restart(name)
    for user in extra.get("config_users", ()):
        yield lambda user=user: ceph.caps.update({user["entity"]: dict(user["caps"])})


def _consent(ceph: Ceph, variables: Variables) -> Iterator[Operation]:
    """As the role `osd`: Ceph is asked once more, about all of the play together."""
    batch = [osd for own in variables.hosts.values() for osd in own.get("osd_restarts", ())]
    if not batch:
        return
    if variables.extra["osd_restarts_need_consent"]:
        assert not set(batch) & set(ceph.refusals), "refused, and about to be stopped"
        assert len(batch) <= ceph.together, "stopped together, and not allowed to be"
    yield lambda: ceph.restarted.append(tuple(batch))


def _host(ceph: Ceph, machine: Machine, variables: Variables, fsid: str) -> Iterator[Operation]:
    own = variables.hosts[HostName(machine.name)]
    listed = ",".join(mon["addrs"] for mon in variables.extra["ceph_mons"])
    yield lambda: machine.conf.update({"fsid": fsid, "mon_host": listed})
    for mon in own.get("mon_daemons", ()):
        yield lambda mon=mon: daemons.mkfs(ceph, machine, mon, variables, fsid)
        yield lambda mon=mon: daemons.start(ceph, machine, "mon", mon["id"], mon["record"])
        yield lambda mon=mon: daemons.join(ceph, mon)
    for mgr in own.get("mgr_daemons", ()):
        yield lambda mgr=mgr: machine.daemon("mgr", mgr["id"], fsid)
        yield lambda mgr=mgr: daemons.start(ceph, machine, "mgr", mgr["id"], mgr["record"])
    for device in own.get("osd_devices", ()):
        yield lambda device=device: daemons.prepare(ceph, machine, device, fsid)
    if "osd_record" in own:
        location = own["osd_crush_location"]
        yield lambda: machine.conf.update({"crush_location": location})
        ignored = own.get("osd_ignored_uuids", ())
        for disk in machine.disks:
            if disk.osd and disk.osd["uuid"] in ignored:
                continue
            if _left(machine, disk, own):
                continue
            yield lambda disk=disk: daemons.activate(ceph, machine, disk, _osd_record(own), fsid)


def _left(machine: Machine, disk: Disk, own: Mapping[str, Any]) -> bool:
    """Whether an OSD runs by an older description and must not be started again now."""
    unit = machine.units.get(f"osd.{disk.osd['id']}") if disk.osd else None
    if unit is None or unit.active != "active" or not unit.record:
        return False
    if unit.record.partition(".")[2] == _osd_record(own).partition(".")[2]:
        return False
    return int(unit.id) not in own.get("osd_restarts", ())


def _osd_record(own: Mapping[str, Any]) -> str:
    """Disks here are of no class that has amounts of its own."""
    classes = own.get("osd_resources")
    return str(classes[""]["record"] if classes else own["osd_record"])
