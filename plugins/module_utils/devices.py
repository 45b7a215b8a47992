"""Every block device of a host and whose it is: the list, udev's names and the device's content.

The content is read with a deadline for each device, so that one broken disk is one entry with an
error and never a host that cannot be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    child,
    label_copies,
    lsblk,
    probe,
    raw_list,
    udev,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Device = lsblk.Device
DeviceError = lsblk.DeviceError

_BLUESTORE = "ceph_bluestore"
_MULTIPATH = "mpath_member"
_ATARI = "atari"
_AT_ONCE = 8
_OPINION_SHARE = 0.8


class Head(NamedTuple):
    """What reading a device gave; without a label, what else its content shows."""

    label: bluestore_label.Label | None = None
    content: probe.Content = probe.Content()
    copies: tuple[str, ...] = ()


def collect(seconds: float, errors: list[str] | None = None) -> list[Device]:
    """List all devices; looking into any one takes at most `seconds`."""
    devices = lsblk.collect([] if errors is None else errors)
    records = {device.name: udev.record(device.number) for device in devices}
    _name(devices, records)
    _look_inside(devices, seconds)
    return devices


def _name(devices: Sequence[Device], records: Mapping[str, udev.Record]) -> None:
    links = udev.links_by_target(link for entry in records.values() for link in entry.links)
    unsafe = udev.contested(records.values())
    for device in devices:
        known = records[device.name].properties
        device.links = links.get(f"/dev/{device.name}", ())
        device.by_id = udev.stable_name(device.path, device.links, unsafe)
        device.wwn = device.wwn or known.get("ID_WWN", "")
        device.multipath_member = (
            device.multipath_member
            or device.filesystem == _MULTIPATH
            or known.get("DM_MULTIPATH_DEVICE_PATH") == "1"
        )
        if device.is_partition:
            scheme = known.get("ID_PART_ENTRY_SCHEME", "")
            device.udev_partition_scheme = scheme or device.udev_partition_scheme


def _look_inside(devices: Sequence[Device], seconds: float) -> None:
    """Read from the top of the tree down: below an OSD nothing is touched.

    On a large raw OSD the kernel may see a partition table that is not there.
    """
    by_name = {device.name: device for device in devices}
    level = [device for device in devices if not device.parent]
    while level:
        _read([one for one in level if _readable(one, by_name.get(one.parent))], seconds)
        above = {device.name for device in level}
        level = [device for device in devices if device.parent in above]


def _readable(device: Device, parent: Device | None) -> bool:
    if device.size == 0:
        device.error = "size 0: no medium, or not attached"
    elif parent and device.is_partition:
        device.error = _closed(parent, device.udev_partition_scheme)
    return not device.error and device.type != "rom"


def _closed(disk: Device, scheme: str) -> str:
    """Say why the partitions of a disk stay unread."""
    if disk.osd or disk.filesystem == _BLUESTORE:
        return f"not looked at: {disk.path} as a whole holds an OSD"
    if disk.error:
        return f"not looked at: {disk.path}: {disk.error}"
    if _ATARI in (scheme, disk.partition_table):
        return (
            f"not looked at: the kernel takes {disk.path} for partitioned by an Atari, as it does "
            "with the data of some OSDs"
        )
    return ""


def _read(devices: Sequence[Device], seconds: float) -> None:
    unknown = {device.path for device in devices if not _recognised(device)}
    paths = [device.path for device in devices]
    heads = child.each(
        paths, lambda path: _looked(path, path in unknown, seconds), seconds, _AT_ONCE
    )
    for device in devices:
        _note(device, heads[device.path])


def _recognised(device: Device) -> bool:
    """Say whether it is known to be in use: then no more than its head is read."""
    in_use = device.children or device.mountpoints or device.multipath_member
    return bool(device.filesystem or device.partition_table or in_use)


def _looked(path: str, probe_it: bool, seconds: float) -> Head:  # noqa: FBT001 - for the child alone
    """Look into one device; a label that cannot be read here is shown to Ceph in the same time."""
    try:
        return _head(path, probe_it)
    except bluestore_label.LabelError as error:
        raise bluestore_label.LabelError(f"{error}; {_second_opinion(path, seconds)}") from error


def _second_opinion(path: str, seconds: float) -> str:
    """Have ceph-volume read the label too; what it says is told, not acted upon."""
    try:
        return f"ceph-volume sees {raw_list.ask(path, seconds * _OPINION_SHARE) or 'no OSD'}"
    except raw_list.RawListError as error:
        return str(error)


def _head(path: str, probe_it: bool) -> Head:  # noqa: FBT001 - for the child alone
    label = bluestore_label.read(path)
    if label or not probe_it:
        return Head(label)
    return Head(None, probe.look(path), tuple(str(copy) for copy in label_copies.find(path)))


def _note(device: Device, head: Any) -> None:  # noqa: ANN401 - what a child sent
    if isinstance(head, Exception):
        device.error = str(head) or type(head).__name__
        if isinstance(head, bluestore_label.LabelError):
            device.filesystem = _BLUESTORE
        return
    device.signatures = head.content.signatures
    device.filesystem = device.filesystem or head.content.filesystem
    device.partition_table = device.partition_table or head.content.partition_table
    if head.copies:
        device.filesystem = device.filesystem or _BLUESTORE
        device.error = f"holds an OSD whose head is damaged: {'; '.join(head.copies)}"
    if head.label:
        device.filesystem = device.filesystem or _BLUESTORE
        device.osd = {
            "id": head.label.osd_id if head.label.finished else -1,
            "uuid": head.label.osd_uuid,
            "fsid": head.label.fsid,
            "description": head.label.description,
        }
