"""What on a host belongs to one cluster: only what says so itself, daemon by daemon, disk by disk.

Two clusters may share a host. Mons, OSDs and disks name their cluster; a mgr names none, so the
host's ceph.conf speaks for it, by which it found its cluster.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host, PutAside
from orchestrator.model.names import Fsid, OsdId
from orchestrator.planning.identity import claims_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongings:
    """One host's share of a cluster. `disks` are stable paths with the OSD that each holds.

    `aside` is the data of daemons that were taken away before, `crashes` counts dumps.
    """

    host: Host
    daemons: tuple[Daemon, ...]
    disks: tuple[tuple[str, OsdId], ...]
    devices: tuple[str, ...]
    volumes: tuple[str, ...]
    services: tuple[str, ...]
    conf: bool
    keys: bool
    aside: tuple[PutAside, ...]
    crashes: int

    @property
    def configured(self) -> bool:
        return self.conf or bool(self.services)

    @property
    def with_data(self) -> tuple[Daemon, ...]:
        return tuple(daemon for daemon in self.daemons if daemon.data)

    @property
    def holds_data(self) -> bool:
        disks, rest = (*self.devices, *self.volumes), (self.keys, self.aside, self.crashes)
        return bool(self.with_data or disks or any(rest))


def fsid_of(facts: Facts) -> Fsid | None:
    """The one cluster that these hosts are of, once there is no doubt; None when there is none."""
    if facts.cluster and facts.cluster.fsid:
        return facts.cluster.fsid
    if facts.identity:
        return facts.identity.fsid
    return next((one.fsid for host in facts.hosts.values() for one in claims_of(host)), None)


def of(host: Host, fsid: Fsid) -> Belongings:
    """The share of a host that answered."""
    volumes = {osd.uuid: osd for osd in host.osds_lvm if osd.fsid == fsid}
    raw = {
        disk.stable_path: disk.osd.id
        for disk in host.devices
        if disk.osd
        and disk.osd.fsid == fsid
        and not disk.multipath_member
        and disk.osd.uuid not in volumes
    }
    disks = (*raw.items(), *((osd.path, osd.id) for osd in volumes.values()))
    daemons = tuple(one for one in host.daemons if _is_ours(host, one, fsid))
    aside = tuple(one for one in host.put_aside if one.fsid == fsid)
    member = host.conf.fsid == fsid or bool(daemons or disks or aside)
    return Belongings(
        host=host,
        daemons=daemons,
        disks=disks,
        devices=tuple(raw),
        volumes=tuple(volumes),
        services=tuple(one.name for one in host.services if one.record and _speaks_for(host, fsid)),
        conf=host.conf.fsid == fsid,
        keys=host.admin_keyring and _speaks_for(host, fsid),
        aside=aside,
        crashes=host.crash_dumps if member and _speaks_for(host, fsid) else 0,
    )


def _is_ours(host: Host, daemon: Daemon, fsid: Fsid) -> bool:
    """By its own word; else by the label of its disk; else by the host's configuration."""
    if daemon.fsid:
        return daemon.fsid == fsid
    labels = (
        {disk.osd.fsid for disk in host.devices if disk.osd and str(disk.osd.id) == daemon.id}
        if daemon.type is DaemonType.OSD
        else set()
    )
    if labels:
        return labels == {fsid}
    return _speaks_for(host, fsid) and (bool(host.conf.fsid or daemon.record) or daemon.data)


def _speaks_for(host: Host, fsid: Fsid) -> bool:
    """Whether what names no cluster on this host is taken for this one's.

    Its ceph.conf decides. Without one, because an earlier pass removed it, it is ours unless
    another cluster's daemon is here.
    """
    if host.conf.fsid:
        return host.conf.fsid == fsid
    return all(daemon.fsid in {"", fsid} for daemon in host.daemons)


def set_up(found: Sequence[Belongings], *kinds: DaemonType) -> list[tuple[Host, Daemon]]:
    """The daemons of these kinds that still run or may start again, kind by kind."""
    return [
        (one.host, daemon)
        for kind in kinds
        for one in found
        for daemon in one.daemons
        if daemon.type is kind and _is_set_up(daemon)
    ]


def _is_set_up(daemon: Daemon) -> bool:
    """Whether there is more to it than its data."""
    idle = daemon.active in {"", "inactive"}
    return not idle or daemon.enabled or bool(daemon.record or daemon.drifted)
