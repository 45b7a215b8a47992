"""`spec.storage`: which nodes and devices hold data."""

from typing import Annotated, Literal

from pydantic import Field

from orchestrator.model.spec.base import Int32, Pattern, Section, StringMap, confirming
from orchestrator.model.spec.kube import Placement, Resources, VolumeClaimTemplate

# A ratio of the cluster's capacity.
Ratio = Annotated[float, Field(ge=0, le=1)]
FULL_RATIOS = {
    "nearfull": "near_full_ratio",
    "backfillfull": "backfill_full_ratio",
    "full": "full_ratio",
}
"""Ceph's words for when an OSD counts as full, the lowest first, and our fields."""


class Device(Section):
    """One device: by its kernel name or a link (`name`), or by a full path."""

    name: str = ""
    fullpath: str = ""
    config: StringMap = Field(default_factory=dict)


class Selection(Section):
    """Which devices to take. A node's own values go before the cluster's (`Storage`)."""

    use_all_devices: bool | None = None
    device_filter: Pattern = ""
    device_path_filter: Pattern = ""
    devices: tuple[Device, ...] = ()
    config: StringMap = Field(default_factory=dict)
    volume_claim_templates: tuple[VolumeClaimTemplate, ...] = ()


class Node(Selection):
    name: str = ""
    resources: Resources = Resources()


class StorageClassDeviceSet(Section):
    name: str
    count: Annotated[int, Field(ge=1)]
    volume_claim_templates: tuple[VolumeClaimTemplate, ...]
    config: StringMap = Field(default_factory=dict)
    encrypted: bool = False
    placement: Placement = Placement()
    portable: bool = False
    prepare_placement: Placement | None = None
    resources: Resources = Resources()
    scheduler_name: str = ""
    tune_device_class: bool = False
    tune_fast_device_class: bool = False


class Migration(Section):
    confirmation: Annotated[
        str,
        confirming("yes-really-migrate-osds"),
    ] = ""


class Store(Section):
    type: Literal["bluestore", "bluestore-rdr"] = "bluestore"
    update_store: Annotated[
        str,
        confirming("yes-really-update-store"),
    ] = ""


class Storage(Selection):
    allow_device_class_update: bool = False
    allow_osd_crush_weight_update: bool = False
    backfill_full_ratio: Ratio | None = None
    flapping_restart_interval_hours: int = 0
    full_ratio: Ratio | None = None
    migration: Migration = Migration()
    near_full_ratio: Ratio | None = None
    nodes: tuple[Node, ...] = ()
    only_apply_osd_placement: bool = Field(default=False, alias="onlyApplyOSDPlacement")
    osd_max_updates_in_parallel: Annotated[Int32, Field(ge=1)] = 20
    schedule_always: bool = False
    storage_class_device_sets: tuple[StorageClassDeviceSet, ...] = ()
    store: Store = Store()
    use_all_nodes: bool = False
