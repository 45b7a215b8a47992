"""The `config` maps of storage as values: what each OSD is to be, and which devices are meant.

The manifest has been checked, so a text that is no number does not come here; empty is absent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from orchestrator.model.decisions import Mode, WantedDevice
from orchestrator.model.facts import Device as Disk
from orchestrator.model.spec import sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class OsdSettings:
    """How the OSDs of one device are prepared. `metadata_device` is a name as the manifest has it.

    `shared_metadata` when it was given for all devices and not for this one.
    """

    device_class: str = ""
    osds_per_device: int = 1
    encrypted: bool = False
    metadata_device: str = ""
    shared_metadata: bool = True
    database_size_mb: int = 0
    initial_weight: str = ""
    primary_affinity: str = ""

    def mode(self, disk: Disk) -> Mode:
        """Rook's rule: raw, but for what only logical volumes can do."""
        needs_lvm = self.encrypted or self.metadata_device or self.osds_per_device > 1
        return Mode.LVM if needs_lvm or disk.type == "lvm" else Mode.RAW

    def wanted(self, disk: Disk, metadata_path: str) -> WantedDevice:
        return WantedDevice(
            path=disk.stable_path,
            size=0 if disk.by_id else disk.size,
            device_class=self.device_class,
            mode=self.mode(disk),
            osds_per_device=self.osds_per_device,
            encrypted=self.encrypted,
            metadata_device=metadata_path,
            database_size_mb=self.database_size_mb,
            initial_weight=self.initial_weight,
            primary_affinity=self.primary_affinity,
        )


def settings(config: Mapping[str, str], own: Mapping[str, str] | None = None) -> OsdSettings:
    """Settings of all devices of a host, with the `own` ones of a device in front."""
    mine = {key: value for key, value in (own or {}).items() if value}
    merged = {**config, **mine}
    return OsdSettings(
        device_class=merged.get("deviceClass", ""),
        osds_per_device=_number(merged, "osdsPerDevice") or 1,
        encrypted=merged.get("encryptedDevice") == "true",
        metadata_device=merged.get("metadataDevice", ""),
        shared_metadata="metadataDevice" not in mine,
        database_size_mb=_number(merged, "databaseSizeMB"),
        initial_weight=merged.get("initialWeight", ""),
        primary_affinity=merged.get("primaryAffinity", ""),
    )


def _number(config: Mapping[str, str], key: str) -> int:
    return int(config.get(key) or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """Selectors beside Rook's, as cephadm names them. They narrow what the manifest selects."""

    size: str = ""
    model: str = ""
    vendor: str = ""
    rotational: str = ""
    limit: int = 0

    @property
    def narrows(self) -> bool:
        return bool(self.size or self.model or self.vendor or self.rotational)

    def mismatch(self, disk: Disk) -> str:
        """Why a device is not one of those that are meant; "" when it is."""
        return next(chain(self._size(disk), self._words(disk), self._kind(disk)), "")

    def _size(self, disk: Disk) -> Iterator[str]:
        if self.size and not sizes.parse(self.size).holds(disk.size):
            yield f"its size of {disk.size / 10**9:.1f} GB is not within {self.size}"

    def _words(self, disk: Disk) -> Iterator[str]:
        if self.model not in disk.model:
            yield f"its model {disk.model or '(unknown)'} does not contain {self.model}"
        if self.vendor not in disk.vendor:
            yield f"its vendor {disk.vendor or '(unknown)'} does not contain {self.vendor}"

    def _kind(self, disk: Disk) -> Iterator[str]:
        if self.rotational and disk.rotational != (self.rotational == "1"):
            yield "it rotates" if disk.rotational else "it does not rotate"


def narrowing(config: Mapping[str, str]) -> Narrowing:
    return Narrowing(
        size=config.get("size", ""),
        model=config.get("model", ""),
        vendor=config.get("vendor", ""),
        rotational=config.get("rotational", ""),
        limit=_number(config, "limit"),
    )
