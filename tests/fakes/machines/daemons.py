"""What the playbooks' tasks do to daemons and disks of simulated hosts."""

from typing import Any

from orchestrator.ansible.variables import Variables
from tests.fakes.machines.ceph import Ceph
from tests.fakes.machines.hosts import Disk, Machine


def start(ceph: Ceph, machine: Machine, kind: str, name: str, record: str) -> None:
    unit = machine.units[f"{kind}.{name}"]
    changed = unit.record != record or bool(unit.drifted)
    if changed and unit.active == "active" and kind == "mon":
        unit.active = "inactive"
        ceph.lowest_quorum.append("kept" if ceph.quorum() else "lost")
    if unit.active != "active":
        unit.started = ceph.clock
    unit.record = record
    unit.drifted = []
    unit.keyring = True
    unit.enabled = True
    unit.active = "active"


def mkfs(
    ceph: Ceph, machine: Machine, mon: dict[str, Any], variables: Variables, fsid: str
) -> None:
    if f"mon.{mon['id']}" in machine.units:
        return
    unit = machine.daemon("mon", mon["id"], fsid)
    if variables.extra["mon_new_cluster"]:
        unit.epoch = 0
        unit.monmap = [
            {"name": one["name"], "addr": one["address"], "addrs": [one["addrs"]]}
            for one in variables.extra["ceph_mons"]
        ]
        return
    assert ceph.quorum(), "a mon can join only a quorum"
    unit.epoch = 0
    unit.monmap = ceph.monmap()


def join(ceph: Ceph, mon: dict[str, Any]) -> None:
    """A mon that starts adds itself to the map of a cluster that lives."""
    if ceph.members_in_map and mon["id"] not in ceph.members_in_map:
        assert ceph.quorum(), "a mon can join only a quorum"
        addrs = mon["addrs"]
        assert addrs not in ceph.members_in_map.values(), f"two mons at {addrs}"
        ceph.members_in_map[mon["id"]] = addrs
        ceph.map_changed = ceph.clock


def unmap(ceph: Ceph, name: str) -> None:
    if name not in ceph.members_in_map:
        return
    assert len(ceph.members_in_map) > 2, "never from two mons to one"
    del ceph.members_in_map[name]
    assert ceph.quorum(), f"mon.{name} left the map and took the majority along"


def readdress(ceph: Ceph, name: str, mons: list[dict[str, Any]]) -> None:
    ceph.members_in_map[name] = next(one["addrs"] for one in mons if one["name"] == name)
    ceph.map_changed = ceph.clock
    ceph.kept_out_by[name] = ceph.grudging & set(ceph.members_in_map) - {name}


def restart(ceph: Ceph, name: str) -> None:
    ceph.restarted_mons.append((name, ceph.map_changed))
    ceph.grudging.discard(name)
    next(unit for _, unit in ceph.units("mon") if unit.id == name).started = ceph.clock
    for peers in ceph.kept_out_by.values():
        peers.discard(name)


def prepare(ceph: Ceph, machine: Machine, device: dict[str, Any], fsid: str) -> None:
    disk = next(one for one in machine.disks if device["path"].endswith(f"-{one.name}"))
    if disk.osd:
        return
    assert not disk.content, f"{disk.name} holds {disk.content} and was about to be prepared"
    number = len(ceph.osds)
    uuid = f"00000000-0000-4000-8000-{number:012}"
    disk.osd = {"id": number, "uuid": uuid, "fsid": fsid}
    ceph.osds.append({"id": number, "uuid": uuid, "up": True, "in": True})


def activate(ceph: Ceph, machine: Machine, disk: Disk, record: str, fsid: str) -> None:
    if disk.osd and disk.osd["fsid"] == fsid:
        name = str(disk.osd["id"])
        machine.daemon("osd", name, fsid).osd_uuid = disk.osd["uuid"]
        start(ceph, machine, "osd", name, record)
