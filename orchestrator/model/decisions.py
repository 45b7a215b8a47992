"""The verdict on every device of a host: what it is to the cluster, and why.

Part of a plan, and shown by itself: whoever asks why a disk is not used gets a code and a sentence.
"""

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.model.facts import Device
from orchestrator.model.names import HostName, OsdId


class State(StrEnum):
    """What a device is to the cluster."""

    OSD = "osd"
    SELECTED = "selected"
    SKIPPED = "skipped"


class Mode(StrEnum):
    """How ceph-volume prepares a device; values are its own words."""

    RAW = "raw"
    LVM = "lvm"


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedDevice:
    """A blank device that is to hold `osds_per_device` OSDs.

    Sizes are in MB, and 0 leaves them to ceph-volume; weight and affinity are numbers as the
    manifest writes them, empty for Ceph's own. A device without a lasting name has its `size` in
    bytes, for its name may be another one's by the time that it is prepared.
    """

    path: str
    size: int = 0
    device_class: str = ""
    mode: Mode = Mode.RAW
    osds_per_device: int = 1
    encrypted: bool = False
    metadata_device: str = ""
    database_size_mb: int = 0
    initial_weight: str = ""
    primary_affinity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict on one device; `code` is stable, `reason` is for people.

    `osds` are those that it holds, `wanted` is what a selected one is to become, `asked_by` names
    the part of the manifest that asks for it, `device_class` what its OSDs are to be by that part,
    or empty. `missed` when somebody who reads the manifest would
    expect this device to be used; `mistaken` when the manifest asks for what can never be done.
    """

    host: HostName
    disk: Device
    state: State
    code: str
    reason: str
    osds: tuple[OsdId, ...] = ()
    wanted: WantedDevice | None = None
    asked_by: str = ""
    device_class: str = ""
    missed: bool = False
    mistaken: bool = False

    @property
    def standing(self) -> str:
        """The state for people: `osd.3`, `selected` or `skipped`."""
        return ", ".join(f"osd.{osd}" for osd in self.osds) or str(self.state)
