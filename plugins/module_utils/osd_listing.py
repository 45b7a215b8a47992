"""The OSDs of a cluster that are on this host: by their labels, and by the tags of volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    devices,
    lvm_list,
    managed_file,
    prepare_orders,
    systemd,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_SECONDS = 5.0


def collect(parameters: Mapping[str, Any], prepared: Collection[str]) -> list[dict[str, Any]]:
    """List them, each with what was wanted of its device, and whether it was made just now."""
    found = devices.collect(_SECONDS)
    on_volumes = prepare_orders.listed() if lvm_list.may_hold_osds(found) else []
    listed = osds(found, on_volumes, parameters["fsid"])
    new = {blank.resolve(path) for path in prepared}
    wanted = {blank.resolve(entry["path"]): entry for entry in parameters["devices"]}
    rotating = {blank.resolve(device.path) for device in found if device.rotational}
    units = _units([_unit(osd) for osd in listed])
    for osd in listed:
        below = [blank.resolve(path) for path in (osd["path"], *osd.pop("below"))]
        entry: Mapping[str, Any] = next((wanted[path] for path in below if path in wanted), {})
        osd.update(
            device_class=entry.get("device_class") or "",
            initial_weight=entry.get("initial_weight") or "",
            primary_affinity=entry.get("primary_affinity") or "",
            rotational=bool(rotating.intersection(below)),
            new=bool(new.intersection(below)),
            running=units[_unit(osd)].running and _folder_uuid(osd) == osd["uuid"],
        )
    return listed


def _units(names: Sequence[str]) -> Mapping[str, systemd.Unit]:
    """Ask systemd; where it is not what runs here, nothing that it would know of runs either."""
    try:
        return systemd.show(names)
    except managed_file.HostError:
        if systemd.booted():
            raise
        return {name: systemd.Unit(name) for name in names}


def osds(
    found: Iterable[devices.Device], on_volumes: Sequence[lvm_list.LvmOsd], fsid: str
) -> list[dict[str, Any]]:
    """Put both together; of a device under another one (multipath) the upper one counts."""
    below = {osd.uuid: list(osd.devices) for osd in on_volumes}
    listed = {
        osd.uuid: {"id": osd.id, "uuid": osd.uuid, "path": osd.path, "below": below[osd.uuid]}
        for osd in lvm_list.of_cluster(on_volumes, fsid)
    }
    for device in found:
        osd = device.osd
        if osd and osd["fsid"] == fsid and osd["id"] >= 0 and not device.holders:
            path = device.by_id or device.path
            uuid = osd["uuid"]
            listed[uuid] = {
                "id": osd["id"],
                "uuid": uuid,
                "path": path,
                "below": below.get(uuid, []),
            }
    return sorted(listed.values(), key=lambda osd: int(osd["id"]))


def _unit(osd: Mapping[str, Any]) -> str:
    return f"ceph-osd@{osd['id']}.service"


def _folder_uuid(osd: Mapping[str, Any]) -> str:
    """Give the uuid for which the folder was made: two disks may bear one number."""
    return managed_file.read(f"/var/lib/ceph/osd/ceph-{osd['id']}/fsid").strip()
