"""What was seen on the machines and in Ceph, parsed once and then never changed.

The module `ceph_host_info` is the source of every field; its RETURN sample parses into these
types (a contract test holds the two together). A host that did not answer is present with
`reachable` false: it is unknown, never empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from orchestrator.model.names import DaemonName, Fsid, HostName, OsdId

NO_FSID = Fsid("")


class DaemonType(StrEnum):
    """The kinds of daemon that hosts are searched for; values are Ceph's own words."""

    MON = "mon"
    MGR = "mgr"
    OSD = "osd"


@dataclass(frozen=True, slots=True, kw_only=True)
class OsdLabel:
    """The BlueStore label found on a device: the OSD it is, and of which cluster."""

    id: OsdId
    uuid: str
    fsid: Fsid


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One block device of a host, as lsblk, udev and the device's own head tell. Sizes in bytes.

    `signatures` are all that the content shows, `udev_partition_scheme` is the kind of table that a
    partition stands in, and `unfinished` tells that a preparation of ours was cut off here.
    """

    name: str
    path: str
    by_id: str
    type: str
    size: int
    links: tuple[str, ...] = ()
    rotational: bool = False
    read_only: bool = False
    removable: bool = False
    model: str = ""
    serial: str = ""
    vendor: str = ""
    filesystem: str = ""
    partition_table: str = ""
    mountpoints: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    parent: str = ""
    osd: OsdLabel | None = None
    error: str = ""
    wwn: str = ""
    signatures: tuple[str, ...] = ()
    udev_partition_scheme: str = ""
    multipath_member: bool = False
    unfinished: bool = False

    @property
    def stable_path(self) -> str:
        """The link by which the device is found again after a reboot, if it has one."""
        return self.by_id or self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class LvmOsd:
    """An OSD in logical volumes, as their tags tell.

    `devices` are the disks below its data, `db_devices` those below its database.
    """

    id: OsdId
    uuid: str
    fsid: Fsid
    path: str = ""
    devices: tuple[str, ...] = ()
    db_devices: tuple[str, ...] = ()
    encrypted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A preparation of ours that was cut off, by our own record on the host."""

    by_id: str
    device: str = ""
    fsid: Fsid = NO_FSID


@dataclass(frozen=True, slots=True, kw_only=True)
class MonmapEntry:
    """A member of the monmap in a mon's own store; `addr` is a bare IP, `addrs` are Ceph's own."""

    name: str
    addr: str
    addrs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """A Ceph daemon that a host holds: its data, its unit and what we once set up for it.

    `record` is the hash of the description that we last applied (empty: not ours yet), `drifted`
    names files of that description that are missing or changed since. `monmap_epoch` is 0 for a
    mon that was never in quorum and -1 where it cannot be read. `running_seconds` is how long its
    process has run and `monmap_age` how long ago its map changed last, -1 where that is not known.
    One that is `left_alone` has Rook's label that says so: nothing of it is changed. `made_seconds`
    is how long ago its supervisor was told of it, -1 where that is not known.
    """

    type: DaemonType
    id: str
    fsid: Fsid
    data: bool
    keyring: bool
    active: str
    enabled: bool
    record: str = ""
    drifted: tuple[str, ...] = ()
    osd_uuid: str = ""
    mon_state: str = ""
    monmap_epoch: int = -1
    monmap: tuple[MonmapEntry, ...] = ()
    running_seconds: float = -1.0
    monmap_age: float = -1.0
    left_alone: bool = False
    made_seconds: float = -1.0

    @property
    def name(self) -> DaemonName:
        return DaemonName(f"{self.type}.{self.id}")

    @property
    def running(self) -> bool:
        return self.active == "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAside:
    """A daemon's data that was renamed beside its place when the daemon was taken away.

    Its name tells the cluster; `fsid` is empty where it does not.
    """

    type: DaemonType
    id: str
    fsid: Fsid = NO_FSID


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What a host runs beside its daemons: `crash` or `logrotate`; fields as those of a Daemon.

    `notes` are what it needs of the last time (see planning.drains).
    """

    name: str
    installed: bool = False
    active: str = ""
    enabled: bool = False
    keyring: bool = False
    record: str = ""
    drifted: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conf:
    """What of /etc/ceph/ceph.conf is ours: which cluster a host belongs to, and where its OSDs are.

    A `crush_location` of None was not told; an empty one is not in the file.
    """

    present: bool = False
    fsid: Fsid = NO_FSID
    mon_host: str = ""
    crush_location: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """What keeps daemons off a host that do not tolerate it, as Kubernetes' nodes have them."""

    key: str
    effect: str
    value: str = ""

    def __str__(self) -> str:
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Who works on the cluster. `id` tells owners apart, `owner` is for people.

    `seconds_left` is by the clock of the host that was asked; then the lock ends, unless renewed.
    """

    owner: str
    id: str
    seconds_left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One inventory host. `address` is the IP by which the inventory reaches it, if it is one.

    `refusal` is the code of why nothing may be done on a host that is not `reachable` for us.
    With `mon_services` a mon here gets an address of its own, known once it is made.
    `mgr_modules` are installed; `secrets` are digests of what the inventory has, by name and key.
    `crash_dumps` counts what Ceph's crashed daemons wrote there. `stranded` are daemons of nodes
    that tell nothing themselves, of which this one's report has a word. `data_dirs` are folders
    below which the cluster's mons have their data, by the word of their pods. Where its daemons are
    `pods` they have addresses of their own.
    """

    name: HostName
    reachable: bool = True
    error: str = ""
    refusal: str = "HostUnreachable"
    groups: tuple[str, ...] = ()
    address: str = ""
    hostname: str = ""
    fqdn: str = ""
    addresses: tuple[str, ...] = ()
    ceph_version: str = ""
    binaries: tuple[str, ...] = ()
    conf: Conf = field(default_factory=Conf)
    admin_keyring: bool = False
    put_aside: tuple[PutAside, ...] = ()
    crash_dumps: int = 0
    memory_bytes: int = 0
    daemons: tuple[Daemon, ...] = ()
    stranded: tuple[Daemon, ...] = ()
    data_dirs: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()
    osds_lvm: tuple[LvmOsd, ...] = ()
    unfinished: tuple[Unfinished, ...] = ()
    lock: Lock | None = None
    allow_loop_devices: bool = False
    pods: bool = False
    services: tuple[Service, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    mgr_modules: tuple[str, ...] = ()
    mon_services: bool = False
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def removed_mons(self) -> tuple[str, ...]:
        """Ids of mons that were here: they are not used again."""
        return tuple(one.id for one in self.put_aside if one.type is DaemonType.MON)

    def daemons_of(self, kind: DaemonType) -> tuple[Daemon, ...]:
        return tuple(daemon for daemon in self.daemons if daemon.type is kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonMember:
    """An entry of the monmap; `addrs` like `v2:10.0.0.1:3300/0`."""

    name: str
    rank: int
    addrs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Osd:
    """An OSD as the OSD map has it."""

    id: OsdId
    uuid: str
    up: bool
    in_: Annotated[bool, Field(alias="in")] = False
    host: str = ""
    device_class: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownOsd:
    """An OSD that is larger than its weight in the CRUSH map says, both in TiB."""

    id: OsdId
    weight: float
    size: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAnswer:
    """What `ceph osd ok-to-stop` said of one OSD; `osds` may be stopped together with it."""

    osd: OsdId
    ok: bool
    osds: tuple[OsdId, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mgr:
    """Which mgr serves and at which bare IP, which stand by, and each module's URL."""

    available: bool = False
    active: str = ""
    address: str = ""
    standbys: tuple[str, ...] = ()
    services: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MgrModules:
    """Names of mgr modules, as `ceph mgr module ls` sorts them."""

    enabled: tuple[str, ...] = ()
    always_on: tuple[str, ...] = ()
    available: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One line of `ceph config dump`."""

    section: str
    name: str
    value: str
    mask: str = ""

    @property
    def who(self) -> str:
        return f"{self.section}/{self.mask}" if self.mask else self.section


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedSecret:
    """Digests of a secret as it was given, and as the cluster stores it."""

    given: str
    stored: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What we set in this cluster, by section and name: the record that the cluster holds."""

    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    secrets: Mapping[str, Mapping[str, OwnedSecret]] = field(default_factory=dict)
    mutes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthMute:
    """A health check that is muted; a sticky one stays so when the check clears."""

    code: str
    sticky: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """What the dashboard has; `password` is the digest of the one that we keep for its admin."""

    certificate: bool = False
    users: tuple[str, ...] = ()
    password: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthEntity:
    """A cephx entity and its caps; the key itself never becomes a fact."""

    entity: str
    caps: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Ceph's own view, asked on the host of the leading mon. None in Facts when nobody leads.

    `status`, `versions` and `df` stay as Ceph printed them: orchestrator.status reads them through
    one table of expressions, so that an odd field costs that field alone. `unanswered` names the
    sections of which Ceph told nothing: they are unknown, and not empty. `crush_hosts` maps the
    hosts of the CRUSH map to the buckets above them, by their type, and `failure_domains` are the
    types of which the pools can lose one. `safe_to_destroy` are OSDs that are down and out and have
    no data that is not elsewhere, None where Ceph could not tell; `grown_osds` are those that it
    told of. `full_ratios` are those at which
    OSDs count as `nearfull`, `backfillfull` and `full`, `required_osd_release` is the oldest that
    they may have. `dashboard` is None while that
    module is off, or unknown; `ok_to_stop` when Ceph was not asked which OSDs may be stopped.
    """

    fsid: Fsid
    quorum_names: tuple[str, ...]
    mons: tuple[MonMember, ...]
    osds: tuple[Osd, ...] = ()
    crush_hosts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    failure_domains: tuple[str, ...] = ()
    safe_to_destroy: tuple[OsdId, ...] | None = None
    grown_osds: tuple[GrownOsd, ...] = ()
    full_ratios: Mapping[str, float] = field(default_factory=dict)
    required_osd_release: str = ""
    mgr: Mgr = field(default_factory=Mgr)
    mgr_modules: MgrModules = field(default_factory=MgrModules)
    config: tuple[Setting, ...] = ()
    owned: Owned = field(default_factory=Owned)
    mutes: tuple[HealthMute, ...] = ()
    dashboard: Dashboard | None = None
    auth: tuple[AuthEntity, ...] = ()
    locks: tuple[Lock, ...] = ()
    status: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)
    df: Mapping[str, Any] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()
    ok_to_stop: tuple[StopAnswer, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarts:
    """OSDs that are to be restarted, at most `at_once` together.

    `waiting` is the order in which Ceph is asked about them; `begun` are all with which this began,
    to tell how far it is. When Ceph said no to all of them they are `refused`, and then so for
    `refused_seconds`. With `sizes` Ceph is also asked which OSDs have grown.
    """

    waiting: tuple[OsdId, ...] = ()
    begun: tuple[OsdId, ...] = ()
    at_once: int = 1
    refused: bool = False
    refused_seconds: float = 0.0
    sizes: bool = False

    @property
    def progress(self) -> str:
        return f"{len(set(self.begun) - set(self.waiting))} of {len(self.begun)}"


NO_RESTARTS = Restarts()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIdentity:
    """What the workstation or the operator remembers of the cluster's identity, without keys.

    `established` turns true once the mons were seen in quorum: from then on, hosts that hold
    nothing are a loss to report and no longer a cluster to begin.
    """

    fsid: Fsid
    established: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """How long a member of the monmap has not been in quorum, as far as that is known."""

    since: datetime
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that one pass knows. `hosts` has every host of the inventory, in its order.

    `owner` is the id of who plans: locks of this id are no hindrance. `restarts` is what earlier
    passes of this run were up to; losing it costs how far they are. `outages` are those of mons,
    by name. `namespace` is the cluster's own, by which selectors of pods can name it.
    """

    hosts: Mapping[HostName, Host]
    cluster: Cluster | None = None
    identity: StoredIdentity | None = None
    owner: str = ""
    restarts: Restarts = NO_RESTARTS
    outages: Mapping[str, Outage] = field(default_factory=dict)
    namespace: str = "rook-ceph"

    def merged(self, seen: Mapping[HostName, Host], cluster: Cluster | None) -> "Facts":
        """Facts with newer answers of some hosts and the cluster's newer view (or its absence)."""
        return replace(self, hosts=MappingProxyType({**self.hosts, **seen}), cluster=cluster)

    def daemons(self, kind: DaemonType) -> tuple[tuple[Host, Daemon], ...]:
        return tuple(
            (host, daemon) for host in self.hosts.values() for daemon in host.daemons_of(kind)
        )
