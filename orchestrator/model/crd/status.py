"""The status of a CephCluster, as Rook's readers know it and with what is added to it.

Only the schema of the CRD is made from these: `orchestrator.status` makes the values.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from orchestrator.model.spec.base import Int32, Int64, Section

Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
DaemonVersions = Mapping[str, int]


class Condition(Section):
    last_heartbeat_time: Time = ""
    last_transition_time: Time = ""
    message: str = ""
    reason: str = ""
    status: str = ""
    type: str = ""


class HealthMessage(Section):
    message: str
    severity: str


class Capacity(Section):
    bytes_available: Int64 = 0
    bytes_total: Int64 = 0
    bytes_used: Int64 = 0
    last_updated: str = ""


class Versions(Section):
    cephfs_mirror: DaemonVersions = Field(default_factory=dict, alias="cephfs-mirror")
    mds: DaemonVersions = Field(default_factory=dict)
    mgr: DaemonVersions = Field(default_factory=dict)
    mon: DaemonVersions = Field(default_factory=dict)
    osd: DaemonVersions = Field(default_factory=dict)
    overall: DaemonVersions = Field(default_factory=dict)
    rbd_mirror: DaemonVersions = Field(default_factory=dict, alias="rbd-mirror")
    rgw: DaemonVersions = Field(default_factory=dict)


class Ceph(Section):
    capacity: Capacity = Capacity()
    details: Mapping[str, HealthMessage] = Field(default_factory=dict)
    fsid: str = ""
    health: str = ""
    last_changed: str = ""
    last_checked: str = ""
    previous_health: str = ""
    versions: Versions = Versions()


class Key(Section):
    key_ceph_version: str = ""
    key_generation: Int32 = 0
    key_type: str = ""


class CsiKey(Key):
    prior_key_count: int = 0


class Cephx(Section):
    admin: Key = Key()
    ceph_exporter: Key = Key()
    crash_collector: Key = Key()
    csi: CsiKey = CsiKey()
    mgr: Key = Key()
    mon: Key = Key()
    osd: Key = Key()
    rbd_mirror_peer: Key = Key()


class DeviceClass(Section):
    name: str = ""


class Migration(Section):
    pending: int = 0


class Osd(Section):
    migration_status: Migration = Migration()
    store_type: Mapping[str, int] = Field(default_factory=dict)


class Device(Section):
    """The verdict on one device and its reason."""

    code: str = ""
    device: str = ""
    host: str = ""
    model: str = ""
    path: str = ""
    reason: str = ""
    size: Int64 = 0
    state: str = ""


class Storage(Section):
    deprecated_osds: Mapping[str, tuple[int, ...]] = Field(
        default_factory=dict, alias="deprecatedOSDs"
    )
    device_classes: tuple[DeviceClass, ...] = ()
    device_counts: Mapping[str, int] = Field(default_factory=dict)
    devices: tuple[Device, ...] = ()
    devices_omitted: int = 0
    osd: Osd = Osd()
    restarts_refused_since: str = ""


class Mgr(Section):
    active: str = ""
    available: bool = False
    host: str = ""
    services: Mapping[str, str] = Field(default_factory=dict)
    standbys: tuple[str, ...] = ()


class Absence(Section):
    """A mon that is out of quorum, and since when."""

    name: str = ""
    since: str = ""


class Mon(Section):
    last_checked: str = ""
    out_of_quorum: tuple[Absence, ...] = ()


class Version(Section):
    image: str = ""
    version: str = ""


class Status(Section):
    ceph: Ceph = Ceph()
    cephx: Cephx = Cephx()
    conditions: tuple[Condition, ...] = ()
    message: str = ""
    mgr: Mgr = Mgr()
    mon: Mon = Mon()
    observed_generation: Int64 = 0
    phase: str = ""
    state: str = ""
    storage: Storage = Storage()
    version: Version = Version()
