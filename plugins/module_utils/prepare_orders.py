"""From a wanted device and what is on it to the command that makes its OSDs, or to a refusal.

For Rook's LVM mode the disk may already hold some of its OSDs, and a metadata device the DBs of
others: both only of this cluster, and nothing else.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    ceph_volume,
    lvm_list,
    prepare_commands,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECONDS = 120.0
_LOOP = {"CEPH_VOLUME_ALLOW_LOOP_DEVICES": "1"}


@dataclass(frozen=True)
class Plan:
    """How one device is prepared: `mode` is raw, batch or volume, `count` the OSDs it makes.

    `seen` is what the devices showed that the command writes.
    """

    mode: str
    count: int
    command: tuple[str, ...]
    environment: Mapping[str, str]
    seen: tuple[blank.Look, ...] = ()


def listed() -> list[lvm_list.LvmOsd]:
    """List the OSDs on volumes; not to know them is an error here."""
    errors: list[str] = []
    found = lvm_list.ask(_SECONDS, errors)
    if errors and not found:
        raise HostError("; ".join(errors))
    return found


def on_device(
    osds: Sequence[lvm_list.LvmOsd], device: str, fsid: str, *, database: bool = False
) -> list[lvm_list.LvmOsd]:
    """Choose the cluster's OSDs that have their data, or their DB, on a device."""
    return [
        osd
        for osd in lvm_list.of_cluster(osds, fsid)
        if device in map(blank.resolve, osd.db_devices if database else (*osd.devices, osd.path))
    ]


class Orders:
    """Makes the plans of all wanted devices of a host: devices may share a metadata device."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.fsid: str = parameters["fsid"]
        self._allow_loop: bool = parameters["allow_loop_devices"]
        self._entries: Sequence[Mapping[str, Any]] = parameters["devices"]
        self._conflicts = prepare_commands.conflicts(
            (entry, blank.resolve(entry["path"]), _metadata(entry)) for entry in self._entries
        )
        self._slots: dict[str, int] = {}

    def plan(self, entry: Mapping[str, Any], seen: blank.Look) -> Plan:
        """Check everything and give the command; HostError or ReportError when it may not run."""
        wrong = prepare_commands.problem(entry, seen.type, seen.size)
        wrong = wrong or self._conflicts.get(seen.device, "")
        if wrong:
            raise HostError(wrong)
        mode = prepare_commands.mode(entry, seen.type)
        environment = _LOOP if seen.type == "loop" else {}
        if mode == "raw":
            self._refuse(seen)
            order = prepare_commands.Order(seen.device, entry["device_class"])
            return Plan(mode, 1, tuple(prepare_commands.raw(order)), environment, (seen,))
        return self._with_lvm(entry, seen, mode, environment)

    def _refuse(self, seen: blank.Look) -> None:
        reason = blank.refusal(seen, allow_loop=self._allow_loop)
        if reason:
            raise HostError(reason)

    def _with_lvm(
        self, entry: Mapping[str, Any], seen: blank.Look, mode: str, environment: Mapping[str, str]
    ) -> Plan:
        osds = listed()
        total = entry.get("osds_per_device") or 1
        there = on_device(osds, seen.device, self.fsid)
        if there:
            _refuse_others(seen, len(there))
        else:
            self._refuse(seen)
        name = _metadata(entry)
        fast = blank.look(name) if name else None
        order = self._order(entry, seen, fast, osds, total - len(there))
        looks = (seen, fast) if fast else (seen,)
        if mode == "volume" or order.metadata_is_partition:
            return Plan("volume", 1, tuple(prepare_commands.volume(order)), environment, looks)
        said = ceph_volume.report(prepare_commands.batch(order, report=True), environment)
        prepare_commands.check_report(said, order, blank.resolve)
        command = prepare_commands.batch(order, report=False)
        return Plan(mode, order.count, tuple(command), environment, looks)

    def _order(
        self,
        entry: Mapping[str, Any],
        seen: blank.Look,
        fast: blank.Look | None,
        osds: Sequence[lvm_list.LvmOsd],
        count: int,
    ) -> prepare_commands.Order:
        partition = self._check_metadata(entry, fast, osds) if fast else False
        metadata = fast.device if fast else ""
        return prepare_commands.Order(
            device=seen.device,
            device_class=entry["device_class"],
            encrypted=bool(entry.get("encrypted")),
            total=entry.get("osds_per_device") or 1,
            count=count,
            metadata=metadata,
            metadata_is_partition=partition,
            slots=self._slots.get(metadata, 0),
            database_bytes=prepare_commands.database_bytes(entry.get("database_size_mb") or 0),
            volume=volume_name(seen.device) if seen.type == "lvm" else "",
        )

    def _check_metadata(
        self, entry: Mapping[str, Any], seen: blank.Look, osds: Sequence[lvm_list.LvmOsd]
    ) -> bool:
        """Refuse a metadata device that holds anything but DBs of ours; say if it is a partition.

        How many OSDs share it in the end is settled when it is first seen.
        """
        named = f"its metadata device {entry['metadata_device']}"
        metadata = seen.device
        there = on_device(osds, metadata, self.fsid, database=True)
        try:
            if there and seen.type != "part":
                _refuse_others(seen, len(there))
            else:
                self._refuse(seen)
        except HostError as error:
            raise HostError(f"{named}: {error}") from None
        users = [one for one in self._entries if _metadata(one) == metadata]
        if seen.type == "part" and (len(users) > 1 or (entry.get("osds_per_device") or 1) > 1):
            raise HostError(f"{named} is a partition, which can serve one OSD only")
        wanted = sum((one.get("osds_per_device") or 1) for one in users)
        served = [
            osd for one in users for osd in on_device(there, blank.resolve(one["path"]), self.fsid)
        ]
        self._slots.setdefault(metadata, wanted + len(there) - len(served))
        return seen.type == "part"


def _metadata(entry: Mapping[str, Any]) -> str:
    """Follow the metadata device's link; Rook takes bare kernel names too."""
    name = str(entry.get("metadata_device") or "")
    return blank.resolve(name if name.startswith("/") else f"/dev/{name}") if name else ""


def _refuse_others(seen: blank.Look, ours: int) -> None:
    """Refuse a disk with volumes that are none of our OSDs': the rest of its content is LVM's."""
    if seen.problem:
        raise HostError(seen.problem)
    if seen.label or len(seen.children) != ours or set(seen.signatures) - {"LVM2_member"}:
        held = ", ".join((*seen.children, *seen.signatures))
        raise HostError(f"it holds more than this cluster's {ours} OSDs: {held}")


def volume_name(device: str) -> str:
    """Give a logical volume as group/name, as `lvm prepare` wants it."""
    options = ["--noheadings", "--separator", "/", "--options", "vg_name,lv_name"]
    name = program.run(["lvs", *options, device], _SECONDS).strip()
    if name.count("/") != 1 or name.startswith("/") or name.endswith(os.sep):
        raise HostError(f"{device} is no logical volume that lvs knows")
    return name
