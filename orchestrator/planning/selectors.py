"""What the manifest asks for on one host, and by which of its fields.

Rook's rules (ROOK-COMPAT section 7): `devices` before `deviceFilter` before `devicePathFilter`
before `useAllDevices`; values of a node before those of the cluster, and `config` maps merged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Device as Disk
from orchestrator.model.spec import CephClusterSpec, Device, Node, patterns
from orchestrator.planning.osd_settings import Narrowing, OsdSettings, narrowing, settings

EVERY = "useAllDevices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One device that the manifest names: by kernel name, path or any link."""

    name: str
    order: int
    settings: OsdSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """That the manifest asks for a device: by which of its fields, and as what.

    `name` is the one that a `devices` entry gives it; empty when a rule for many devices does.
    """

    asked_by: str
    settings: OsdSettings
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """The storage section as it holds for one host."""

    entries: Mapping[str, Entry]
    device_filter: str
    device_path_filter: str
    use_all_devices: bool
    settings: OsdSettings
    narrowing: Narrowing

    def request(self, disk: Disk) -> Request | None:
        """None when nothing in the manifest asks for this device."""
        if self.entries:
            return self._by_name(disk)
        rule = self._rule(disk)
        return Request(asked_by=rule, settings=self.settings) if rule else None

    def unmet(self, disks: Sequence[Disk]) -> tuple[str, ...]:
        """Names of entries that no device of the host has."""
        if not self.entries:
            return ()
        present = {name for disk in disks for name in names(disk)}
        return tuple(name for name in self.entries if name not in present)

    def _by_name(self, disk: Disk) -> Request | None:
        """Of several entries for one device the first counts, as in Rook."""
        found = [self.entries[name] for name in names(disk) if name in self.entries]
        if not found:
            return None
        entry = min(found, key=lambda one: one.order)
        asked_by = f"devices entry {entry.name}"
        return Request(asked_by=asked_by, settings=entry.settings, name=entry.name)

    def _rule(self, disk: Disk) -> str:
        """The one rule of the highest precedence that is set, if it takes this device."""
        if self.device_filter:
            found = patterns.search(self.device_filter, disk.name)
            return f"deviceFilter {self.device_filter}" if found else ""
        if self.device_path_filter:
            found = any(patterns.search(self.device_path_filter, path) for path in paths(disk))
            return f"devicePathFilter {self.device_path_filter}" if found else ""
        return EVERY if self.use_all_devices else ""

    @property
    def metadata_names(self) -> tuple[str, ...]:
        """Every device that is named to hold metadata, used or not."""
        every = (self.settings, *(entry.settings for entry in self.entries.values()))
        return tuple(dict.fromkeys(one.metadata_device for one in every if one.metadata_device))


def paths(disk: Disk) -> tuple[str, ...]:
    """The device's own node first: `/dev/dm-0`, `/dev/mapper/data` and every link to it."""
    return tuple(dict.fromkeys((f"/dev/{disk.name}", disk.path, *disk.links)))


def names(disk: Disk) -> tuple[str, ...]:
    return (disk.name, *paths(disk))


def named(name: str, disks: Sequence[Disk]) -> Disk | None:
    """The device of this name, path or link; all of them are one device."""
    return next((disk for disk in disks if name in names(disk)), None)


def selector(spec: CephClusterSpec, node: Node | None) -> Selector:
    """The storage section for every host, or for the host of a `nodes` entry."""
    storage = spec.storage
    chosen = node.use_all_devices if node else None
    if chosen is None:
        chosen = storage.use_all_devices
    config = {**storage.config, **(node.config if node else {})}
    devices = (node.devices if node else ()) or storage.devices
    return Selector(
        entries=_entries(devices, config),
        device_filter=(node.device_filter if node else "") or storage.device_filter,
        device_path_filter=(node.device_path_filter if node else "") or storage.device_path_filter,
        use_all_devices=bool(chosen),
        settings=settings(config),
        narrowing=narrowing(config),
    )


def _entries(devices: Sequence[Device], config: Mapping[str, str]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for order, device in enumerate(devices):
        name = device.fullpath or device.name
        entry = Entry(name=name, order=order, settings=settings(config, device.config))
        found.setdefault(name, entry)
    return found
