"""What is to be done and why: ordered steps, each one playbook run, and what stands in the way.

Steps carry typed payloads; orchestrator.ansible.variables turns them into Ansible's variables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrator.model import endpoints
from orchestrator.model.decisions import Decision, WantedDevice
from orchestrator.model.endpoints import Ports
from orchestrator.model.facts import NO_RESTARTS, DaemonType, Restarts
from orchestrator.model.names import Fsid, HostName, OsdId
from orchestrator.model.resources import UNLIMITED, DaemonResources


class Action(StrEnum):
    """The verb of a change, as the plan prints it."""

    CREATE = "create"
    START = "start"
    REPAIR = "repair"
    UPDATE = "update"
    PREPARE = "prepare"
    ACTIVATE = "activate"
    SET = "set"
    UNSET = "unset"
    RELEASE = "release"
    MUTE = "mute"
    UNMUTE = "unmute"
    RESTART = "restart"
    ENABLE = "enable"
    DISABLE = "disable"
    REMOVE = "remove"
    DESTROY = "destroy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line of the plan: what happens to which daemon or setting, where, and why."""

    action: Action
    subject: str
    reason: str
    host: HostName | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Something that the reader must know: `code` is stable, `message` says what helps."""

    code: str
    message: str
    host: HostName | None = None
    transient: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedMon:
    """A mon with its place: a bare IP and its host, which is None when no known host holds it.

    A `served` one has an address that is no host's: it is empty until the supervisor has made it.
    """

    name: str
    host: HostName | None
    address: str
    ports: Ports = endpoints.BOTH
    served: bool = False

    @property
    def addrs(self) -> str:
        """All its addresses in Ceph's form."""
        if not self.address:
            return ""
        return endpoints.vector(self.address, self.ports)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDaemon:
    """A daemon that a step sets up on a host; `record` is the hash of its description."""

    id: str
    host: HostName
    record: str
    resources: DaemonResources = UNLIMITED


class Remains(StrEnum):
    """What becomes of the data directory of a daemon that is taken away.

    Aside means renamed beside its old place, out of the way of any daemon, and nothing lost.
    """

    KEEP = "keep"
    ASIDE = "aside"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedDaemon:
    """A daemon that a step stops, disables and takes out of its host's configuration."""

    type: DaemonType
    id: str
    host: HostName
    data: Remains = Remains.KEEP


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretKey:
    """Where a value stands that only the host sees: in `ceph_secrets` of the inventory."""

    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSetting:
    """An option for `ceph config set WHO NAME VALUE`.

    The `value` of a `secret` is its digest. An `owned` one is unset when it leaves the manifest.
    """

    section: str
    name: str
    value: str
    owned: bool = True
    secret: SecretKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigOption:
    """An option of a section, without a value."""

    section: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A cephx entity with all caps that it must have."""

    entity: str
    caps: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Where a mgr module must serve; what is empty or 0 does not count."""

    port: int = 0
    scheme: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleSetting:
    """A mgr module to have on or off; one that is on and serves elsewhere is restarted."""

    name: str
    enabled: bool
    serves: Service | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardSetup:
    """What the dashboard needs once it runs. No `password` means: keep it, or make one up."""

    certificate: bool
    password: SecretKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OsdClass:
    """What OSDs of one device class may use, with the hash of their description."""

    record: str
    resources: DaemonResources
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OsdHost:
    """The work of one host in an OSD step. `osds` are those to activate or start, by id.

    `ignored` are uuids of OSDs on its disks that must not run there. `restarts` are those that are
    started again though they run, when what they read at their start (`restart_on`) changed.
    `classes` say what OSDs may use where anything is limited: by device class, the empty one for
    all others; `device_classes` are those that Ceph says.
    """

    host: HostName
    crush_location: str
    record: str
    devices: tuple[WantedDevice, ...] = ()
    osds: tuple[OsdId, ...] = ()
    ignored: tuple[str, ...] = ()
    restarts: tuple[OsdId, ...] = ()
    restart_on: str = ""
    classes: Mapping[str, OsdClass] = field(default_factory=dict)
    device_classes: Mapping[OsdId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedService:
    """What a host is to run, or not to run, beside its daemons; `name` is that of a role.

    `settings` are the role's own options, without the role's name before them; `reason` says why
    they are others now, where the manifest alone does not say it.
    """

    name: str
    present: bool
    record: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostServices:
    """The services of one host that need work."""

    host: HostName
    services: tuple[WantedService, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What every step has: its changes, and the cluster that it belongs to.

    `admin_host` is where `ceph` commands run; `mons` is the whole wanted mon list, which goes
    into every ceph.conf that the step writes. `services` come after the step's own work.
    """

    changes: tuple[Change, ...]
    fsid: Fsid | None
    mons: tuple[PlacedMon, ...]
    admin_host: HostName
    services: tuple[HostServices, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MonStep(Base):
    """Set up mons. A new cluster's first mons go in one step, later ones one at a time.

    `settings` are the options that a new cluster begins with, `mutes` the health checks, and
    `full_ratios` when its OSDs count as full.
    `readdressed` are members whose addresses in the monmap become those of `mons`. `restarts` are
    running ones that start again, as they keep another one out of quorum.
    """

    targets: tuple[PlacedDaemon, ...]
    new_cluster: bool
    settings: tuple[ConfigSetting, ...] = ()
    mutes: tuple[str, ...] = ()
    full_ratios: Mapping[str, float] = field(default_factory=dict)
    readdressed: tuple[str, ...] = ()
    restarts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigStep(Base):
    """Keep the mon store: options, mutes of health checks, caps of users, when OSDs are full.

    OSDs of `device_classes` get that class, those of `weights` that CRUSH weight; with
    `osd_release` none of an older one may come up.
    `removed` options are unset; `released` ones stay, and are no longer taken for ours. `restarts`
    are mgr modules that read their options only when they start.
    """

    settings: tuple[ConfigSetting, ...] = ()
    removed: tuple[ConfigOption, ...] = ()
    released: tuple[ConfigOption, ...] = ()
    mutes: tuple[str, ...] = ()
    unmutes: tuple[str, ...] = ()
    full_ratios: Mapping[str, float] = field(default_factory=dict)
    osd_release: str = ""
    device_classes: Mapping[OsdId, str] = field(default_factory=dict)
    weights: Mapping[OsdId, float] = field(default_factory=dict)
    users: tuple[User, ...] = ()
    restarts: tuple[str, ...] = ()
    removed_users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MgrStep(Base):
    """Set up mgrs, and mgr modules."""

    targets: tuple[PlacedDaemon, ...]
    modules: tuple[ModuleSetting, ...]
    dashboard: DashboardSetup | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OsdStep(Base):
    """Prepare blank devices and activate OSDs, on all named hosts at once.

    With `need_consent` Ceph must allow its restarts; `next` are those to ask about afterwards.
    """

    hosts: tuple[OsdHost, ...]
    need_consent: bool = True
    next: Restarts = NO_RESTARTS


Part = MonStep | MgrStep | OsdStep


@dataclass(frozen=True, slots=True, kw_only=True)
class CreationStep(Base):
    """Make a new cluster in one run: its mons, then its mgrs, then its OSDs.

    `parts` are in that order; their changes are those of the step, and their services as well.
    """

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentStep(Base):
    """Take daemons away.

    Ceph is told first: mons of `unmapped` leave the monmap, be their host known or not, and the
    entities of `users` lose their keys. Only then are `daemons` stopped: a mon that is stopped
    while the map still has it counts against the majority.
    """

    daemons: tuple[RemovedDaemon, ...] = ()
    unmapped: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStep(Base):
    """Look after what hosts run beside their daemons, and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanHost:
    """What is left of a cluster on one host once its daemons are gone.

    `services` run beside daemons. Of data: the daemons whose data goes, `devices` that hold its
    OSDs by their stable paths, and `osds`, the uuids of OSDs in logical volumes.
    """

    host: HostName
    services: tuple[str, ...] = ()
    daemons: tuple[tuple[DaemonType, str], ...] = ()
    devices: tuple[str, ...] = ()
    osds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitizing:
    """Rook's `sanitizeDisks`: how disks are cleared."""

    method: str
    data_source: str
    iteration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanupStep(Base):
    """Take a deleted cluster's configuration off its hosts, and with `destroy` data and keys."""

    hosts: tuple[CleanHost, ...]
    destroy: Sanitizing | None = None


PlainStep = MonStep | ConfigStep | MgrStep | OsdStep | AbsentStep | HostStep | CleanupStep
Step = PlainStep | CreationStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All steps in their order. `blocked` stops what it names; `notices` stop nothing.

    `devices` has the verdict on every device of the hosts that answered, once it could be made.
    `restarts` is None as long as OSDs are not planned; with `asks`, Ceph must first be asked which
    of them may be stopped. `again` is in how many seconds another plan may be due though nobody did
    anything; None: that is not known beforehand.
    """

    steps: tuple[Step, ...] = ()
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()
    fsid: Fsid | None = None
    devices: tuple[Decision, ...] = ()
    restarts: Restarts | None = None
    asks: bool = False
    again: float | None = None

    @property
    def first(self) -> Step | None:
        return self.steps[0] if self.steps else None

    @property
    def converged(self) -> bool:
        return not self.steps and not self.blocked

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for step in self.steps for change in step.changes)
