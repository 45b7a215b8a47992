"""Which disks become OSDs, and for every other one the reason why not.

Rook's rules (ROOK-COMPAT section 7): `devices` before `deviceFilter` before `devicePathFilter`
before `useAllDevices`, node values before those of the cluster. Safer where a mistake would cost
data: anything that a device could hold rules it out, whoever named it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.model.facts import Device as Disk
from orchestrator.model.facts import Host
from orchestrator.model.names import Fsid
from orchestrator.model.spec import CephClusterSpec, Device, Node, patterns

MINIMUM_BYTES = 5 * 1024**3
"""ceph-volume rejects anything smaller."""

DATA_TYPES = frozenset({"disk", "part", "loop", "lvm", "mpath", "crypt", "linear"})
OBVIOUS = frozenset(
    {
        "HasChildren",
        "LoopNotAllowed",
        "Mounted",
        "NoSize",
        "NotExplicit",
        "PartOfOsd",
        "ReadOnly",
        "Removable",
        "TypeNotSupported",
        "Volatile",
    }
)
"""Why a device that only a rule for many devices takes in is not used, and nobody wonders."""

VOLATILE = ("zram", "ram", "nbd", "rbd")


class State(StrEnum):
    """What a device is to the cluster."""

    OSD = "osd"
    SELECTED = "selected"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict on one device; `code` is stable, `reason` is for people.

    `missed` when somebody who reads the manifest would expect this device to be used.
    """

    disk: Disk
    state: State
    code: str
    reason: str
    device_class: str = ""
    missed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """The storage section as it holds for one host."""

    devices: tuple[Device, ...]
    device_filter: str
    device_path_filter: str
    use_all_devices: bool
    config: Mapping[str, str]


def selector_for(spec: CephClusterSpec, host: Host) -> Selector | None:
    """None when the manifest does not use this host for storage at all."""
    storage = spec.storage
    if storage.use_all_nodes:
        return _selector(spec, None)
    for node in storage.nodes:
        if is_host(node.name, host):
            return _selector(spec, node)
    return None


def _selector(spec: CephClusterSpec, node: Node | None) -> Selector:
    storage = spec.storage
    chosen = node.use_all_devices if node else None
    if chosen is None:
        chosen = storage.use_all_devices
    return Selector(
        devices=(node.devices if node else ()) or storage.devices,
        device_filter=(node.device_filter if node else "") or storage.device_filter or "",
        device_path_filter=(node.device_path_filter if node else "")
        or storage.device_path_filter
        or "",
        use_all_devices=bool(chosen),
        config={**storage.config, **(node.config if node else {})},
    )


def is_host(name: str, host: Host) -> bool:
    """A manifest's node name: the inventory name, short or full, in any case (CASES C13)."""
    wanted = name.lower()
    full = str(host.name).lower()
    return wanted == full or wanted.split(".", 1)[0] == full or wanted == full.split(".", 1)[0]


def decide(host: Host, selector: Selector | None, fsid: Fsid | None) -> tuple[Decision, ...]:
    """One verdict for every device of `host`, in the order of discovery."""
    by_name = {disk.name: disk for disk in host.devices}
    return tuple(_decide(disk, host, by_name, selector, fsid) for disk in host.devices)


def _decide(
    disk: Disk,
    host: Host,
    by_name: Mapping[str, Disk],
    selector: Selector | None,
    fsid: Fsid | None,
) -> Decision:
    if disk.osd and disk.osd.fsid == fsid and disk.osd.id >= 0:
        reason = f"osd.{disk.osd.id}, uuid {disk.osd.uuid}"
        return Decision(disk=disk, state=State.OSD, code="ExistingOsd", reason=reason)
    request = _requested(disk, selector) if selector else None
    refusal = next(_refusals(disk, by_name), None)
    if request is None:
        code, reason = refusal or _not_selected(selector)
    elif refusal is None:
        refusal = next(_limits(disk, host, request), None)
        code, reason = refusal or ("Selected", f"matched by {request.matched_by}")
    else:
        code, reason = refusal
    selected = code == "Selected"
    return Decision(
        disk=disk,
        state=State.SELECTED if selected else State.SKIPPED,
        code=code,
        reason=reason,
        device_class=request.config.get("deviceClass", "") if request else "",
        missed=request is not None and not selected and (request.explicit or code not in OBVIOUS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """That the manifest asks for a device: by which of its fields, with what configuration."""

    matched_by: str
    explicit: bool
    config: Mapping[str, str]


def _requested(disk: Disk, selector: Selector) -> Request | None:
    if selector.devices:
        return _by_name(disk, selector)
    name = ""
    if selector.device_filter:
        if patterns.search(selector.device_filter, disk.name):
            name = f"deviceFilter {selector.device_filter}"
    elif selector.device_path_filter:
        paths = (disk.path, *disk.links)
        if any(patterns.search(selector.device_path_filter, path) for path in paths):
            name = f"devicePathFilter {selector.device_path_filter}"
    elif selector.use_all_devices:
        name = "useAllDevices"
    return Request(matched_by=name, explicit=False, config=selector.config) if name else None


def _by_name(disk: Disk, selector: Selector) -> Request | None:
    names = {disk.name, disk.path, *disk.links}
    for device in selector.devices:
        asked = device.fullpath or device.name
        if asked in names:
            config = {**selector.config, **device.config}
            return Request(matched_by=f"devices entry {asked}", explicit=True, config=config)
    return None


def _not_selected(selector: Selector | None) -> tuple[str, str]:
    if selector is None:
        return "HostNotSelected", "this host is not in storage.nodes"
    return "NotSelected", "the manifest's storage section does not ask for it"


def _refusals(disk: Disk, by_name: Mapping[str, Disk]) -> Iterator[tuple[str, str]]:
    """What rules a device out whatever the manifest says."""
    parent = by_name.get(disk.parent)
    if disk.osd and disk.osd.id < 0:
        yield "BlueStore", "holds BlueStore data that names no OSD: an unfinished OSD, or its DB"
    elif disk.osd:
        yield "ForeignOsd", f"holds osd.{disk.osd.id} of cluster {disk.osd.fsid or 'unknown'}"
    if parent and parent.osd:
        yield "PartOfOsd", f"{parent.path} is an OSD; its partitions are misread data"
    if disk.type not in DATA_TYPES:
        yield "TypeNotSupported", f"type {disk.type or 'unknown'} cannot hold an OSD"
    if disk.name.startswith(VOLATILE):
        yield "Volatile", "its content does not outlive a reboot or lives elsewhere"
    if disk.size == 0:
        yield "NoSize", "has size 0"
    if disk.error:
        yield "Unreadable", disk.error
    if disk.read_only:
        yield "ReadOnly", "is read-only"
    if disk.removable:
        yield "Removable", "is a removable medium"
    yield from _content(disk)


def _content(disk: Disk) -> Iterator[tuple[str, str]]:
    if any(disk.mountpoints):
        yield "Mounted", f"is mounted on {', '.join(disk.mountpoints)}"
    if disk.filesystem:
        yield "Filesystem", f"holds {disk.filesystem}"
    if disk.partition_table:
        yield "PartitionTable", f"has a {disk.partition_table} partition table"
    if disk.children:
        yield "HasChildren", f"has {', '.join(disk.children)}; those are looked at instead"
    if disk.holders:
        yield "InUse", f"is used by {', '.join(disk.holders)}"


def _limits(disk: Disk, host: Host, request: Request) -> Iterator[tuple[str, str]]:
    """What rules out a device that the manifest asks for."""
    if disk.type == "loop" and not host.allow_loop_devices:
        yield "LoopNotAllowed", "set ceph_allow_loop_devices in the inventory to use loop devices"
    if disk.type in {"loop", "lvm"} and not request.explicit:
        kind = "loop devices" if disk.type == "loop" else "logical volumes"
        yield "NotExplicit", f"{kind} are used only when a devices entry names them"
    if disk.size < MINIMUM_BYTES:
        yield "TooSmall", f"{disk.size} bytes are less than the 5 GiB that an OSD needs"
    yield from _not_yet(disk, request.config)


def _not_yet(disk: Disk, config: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if disk.type == "lvm":
        yield "NotSupported", "logical volumes are not prepared by this release"
    if config.get("encryptedDevice") == "true":
        yield "NotSupported", "encryptedDevice is not supported by this release"
    if config.get("metadataDevice"):
        yield "NotSupported", "metadataDevice is not supported by this release"
    if config.get("osdsPerDevice", "1") != "1":
        yield "NotSupported", "more than one OSD per device is not supported by this release"
