"""Which cluster is this? The one rule that keeps a slow answer from becoming a second cluster.

An fsid is proven by a mon's data, a ceph.conf, the mons' own answer, or what was stored. Two
different ones are a refusal. None at all is a new cluster only when every host that may hold a mon
answered and holds nothing (CASES C23, C25).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.names import Fsid
from orchestrator.model.plan import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A cluster exists: its mons were in quorum at least once."""

    fsid: Fsid


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """No mon was ever in quorum; `fsid` is the one that an interrupted beginning chose, if any."""

    fsid: Fsid | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """It cannot be told, so nothing may be changed."""

    reasons: tuple[Reason, ...]


Identity = Known | Fresh | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One place that names an fsid; `alive` where a daemon of that cluster runs."""

    fsid: Fsid
    where: str
    alive: bool = False


def identify(facts: Facts, mon_hosts: Sequence[Host]) -> Identity:
    """Decide from `facts`; `mon_hosts` are all hosts that are allowed to hold a mon."""
    claims = tuple(_claims(facts))
    if len({claim.fsid for claim in claims}) > 1:
        return Unknown(reasons=(_mismatch(claims),))
    unreadable = tuple(_unreadable(facts))
    if unreadable:
        return Unknown(reasons=unreadable)
    if claims and _was_in_quorum(facts):
        return Known(fsid=claims[0].fsid)
    return _beginning(facts, mon_hosts, claims)


def doubtful(facts: Facts) -> Reason | None:
    """Why it cannot be told which of several clusters is meant, if so.

    What the mons in quorum say, or what was stored, decides; only if these two differ, or neither
    is there, more than one cluster on the hosts is a doubt.
    """
    claims = tuple(_claims(facts))
    sure = [claim for claim in claims if claim.where in {STORED, QUORUM}]
    asked = sure or claims
    return _mismatch(asked) if len({claim.fsid for claim in asked}) > 1 else None


def _was_in_quorum(facts: Facts) -> bool:
    """Every monmap has epoch 0 until the first quorum; an unreadable epoch counts as a cluster."""
    held = facts.daemons(DaemonType.MON)
    return facts.cluster is not None or any(mon.fsid and mon.monmap_epoch for _, mon in held)


STORED = "the stored identity"
QUORUM = "the mons in quorum"
SHOWN = 3


def _claims(facts: Facts) -> Iterator[Claim]:
    if facts.cluster and facts.cluster.fsid:
        yield Claim(fsid=facts.cluster.fsid, where=QUORUM, alive=True)
    for host in facts.hosts.values():
        yield from claims_of(host)
    if facts.identity:
        yield Claim(fsid=facts.identity.fsid, where=STORED)


def claims_of(host: Host) -> Iterator[Claim]:
    """What a host holds of a cluster; a stopped OSD is its disk's business alone."""
    if host.conf.fsid:
        yield Claim(fsid=host.conf.fsid, where=f"{host.name}:/etc/ceph/ceph.conf")
    for mon in host.daemons_of(DaemonType.MON):
        if mon.fsid:
            where = f"{host.name}:/var/lib/ceph/mon/ceph-{mon.id}"
            yield Claim(fsid=mon.fsid, where=where, alive=mon.running)
    for osd in host.daemons_of(DaemonType.OSD):
        if osd.fsid and osd.running:
            yield Claim(fsid=osd.fsid, where=f"{host.name}:{osd.name} (it runs)", alive=True)


def _mismatch(claims: Sequence[Claim]) -> Reason:
    places: dict[Fsid, list[str]] = {}
    for claim in claims:
        places.setdefault(claim.fsid, []).append(claim.where)
    found = "; ".join(f"{fsid} in {listed(wheres)}" for fsid, wheres in places.items())
    return Reason(
        code="FsidMismatch",
        message=f"hosts belong to more than one Ceph cluster: {found}. "
        "Remove the remains of the other cluster from its host, or leave that host out of the "
        "inventory; nothing was changed",
    )


def listed(wheres: Sequence[str]) -> str:
    more = f" and {len(wheres) - SHOWN} more places" if len(wheres) > SHOWN else ""
    return ", ".join(wheres[:SHOWN]) + more


def _unreadable(facts: Facts) -> Iterator[Reason]:
    for host, mon in facts.daemons(DaemonType.MON):
        if mon.data and not mon.fsid:
            yield Reason(
                code="ClusterStateUnknown",
                host=host.name,
                message=f"{mon.name} has data whose fsid cannot be read; "
                f"look at /var/lib/ceph/mon/ceph-{mon.id}",
            )


def _beginning(facts: Facts, mon_hosts: Sequence[Host], claims: Sequence[Claim]) -> Identity:
    silent = tuple(host for host in mon_hosts if not host.reachable)
    if silent:
        return Unknown(reasons=tuple(_cannot_tell(host) for host in silent))
    if facts.identity and facts.identity.established:
        return Unknown(reasons=(_lost(facts.identity.fsid),))
    if claims and (where := next(_osds_of(facts, claims[0].fsid), "")):
        return Unknown(reasons=(_outlived(claims[0].fsid, where),))
    begun = facts.identity or any(mon.data for _, mon in facts.daemons(DaemonType.MON))
    if claims and not begun:
        return Unknown(reasons=(_orphaned(claims[0]),))
    return Fresh(fsid=claims[0].fsid if claims else None)


def _osds_of(facts: Facts, fsid: Fsid) -> Iterator[str]:
    """Where OSDs of a cluster are: each one was made while its mons had a quorum."""
    for host in facts.hosts.values():
        labels = [(disk.osd.id, disk.osd.fsid) for disk in host.devices if disk.osd]
        labels += [(osd.id, osd.fsid) for osd in host.osds_lvm]
        daemons = (osd.name for osd in host.daemons_of(DaemonType.OSD) if osd.fsid == fsid)
        disks = (f"osd.{osd}" for osd, whose in labels if whose == fsid and osd >= 0)
        yield from (f"{name} on {host.name}" for name in (*daemons, *disks))


def _cannot_tell(host: Host) -> Reason:
    return Reason(
        code="ClusterStateUnknown",
        host=host.name,
        message=f"cluster state unknown: this host may hold a mon of an existing cluster, and it "
        f"did not tell ({host.error or 'no answer'}); no new cluster is begun before every mon "
        "host has answered",
    )


def _lost(fsid: Fsid) -> Reason:
    return Reason(
        code="MonsLost",
        message=f"cluster {fsid} had mons in quorum, yet no host holds any of its data now. "
        "Restore a mon, or begin a new cluster by removing identity.json from the directory in "
        "which the orchestrator keeps this cluster's state",
    )


def _outlived(fsid: Fsid, where: str) -> Reason:
    return Reason(
        code="MonsLost",
        message=f"cluster {fsid} had mons in quorum, as it has OSDs ({where}), yet no host holds "
        "one of these mons. Bring them back, or add their hosts to the inventory; new mons would "
        "have other keys, and its data would be lost",
    )


def _orphaned(claim: Claim) -> Reason:
    return Reason(
        code="MonsLost",
        message=f"{claim.where} names cluster {claim.fsid}, yet no host holds one of its mons. "
        "Add the hosts of its mons to the inventory, or remove what is left of it to begin a new "
        "cluster",
    )
