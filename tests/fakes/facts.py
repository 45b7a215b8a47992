"""Facts for tests of the pure core: a healthy three-host cluster, and what a test changes of it."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from orchestrator.model.facts import (
    Cluster,
    Conf,
    Daemon,
    DaemonType,
    Device,
    Facts,
    Host,
    Mgr,
    MgrModules,
    MonmapEntry,
    MonMember,
    Osd,
    OsdLabel,
    StoredIdentity,
)
from orchestrator.model.names import Fsid, HostName, OsdId
from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import mgrs, mons, osds
from orchestrator.planning.context import Context
from tests.fakes.clusters import cluster

OURS = Fsid("0a1b2c3d-1111-4222-8333-444455556666")
OTHER = Fsid("9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff")
GIB = 1024**3
PROGRAMS = ("ceph-mon", "ceph-mgr", "ceph-osd", "ceph-volume")
MONS = tuple(
    PlacedMon(name=letter, host=HostName(f"store-{letter}"), address=f"192.0.2.{number}")
    for number, letter in enumerate("abc", start=1)
)
MONMAP = tuple(MonmapEntry(name=mon.name, addr=mon.address) for mon in MONS)
MON_HOST = ",".join(f"[v2:{mon.address}:3300,v1:{mon.address}:6789]" for mon in MONS)


def spec(**values: Any) -> CephClusterSpec:
    return cluster(**values).spec


def addrs(address: str) -> tuple[str, ...]:
    return (f"v2:{address}:3300/0", f"v1:{address}:6789/0")


def uuid(number: int) -> str:
    return f"11111111-0000-4000-8000-{number:012}"


def disk(name: str, **values: Any) -> Device:
    """A blank disk of 10 GiB."""
    plain = {
        "name": name,
        "path": f"/dev/{name}",
        "by_id": f"/dev/disk/by-id/wwn-{name}",
        "links": (f"/dev/disk/by-id/wwn-{name}",),
        "type": "disk",
        "size": 10 * GIB,
    }
    return Device(**{**plain, **values})


def osd_disk(name: str, number: int, fsid: Fsid = OURS) -> Device:
    label = OsdLabel(id=OsdId(number), uuid=uuid(number), fsid=fsid)
    return disk(name, filesystem="ceph_bluestore", osd=label)


def host(name: str, **values: Any) -> Host:
    """A host with Ceph's packages and nothing else; its address ends like its letter."""
    number = ord(name[-1]) - ord("a") + 1
    plain = {"name": HostName(name), "hostname": name, "binaries": PROGRAMS}
    return Host(**{**plain, "addresses": (f"192.0.2.{number}/24",), **values})


def silent(name: str) -> Host:
    return Host(name=HostName(name), reachable=False, error="connection timed out")


def daemon(kind: DaemonType, name: str, **values: Any) -> Daemon:
    plain = {"data": True, "keyring": True, "active": "active", "enabled": True, "fsid": OURS}
    return Daemon(type=kind, id=name, **{**plain, **values})


def mon(name: str, **values: Any) -> Daemon:
    record = mons.mon_record(next((one for one in MONS if one.name == name), MONS[0]))
    known = {"record": record, "monmap_epoch": 2, "monmap": MONMAP}
    return daemon(DaemonType.MON, name, **{**known, **values})


def mgr(name: str, **values: Any) -> Daemon:
    return daemon(DaemonType.MGR, name, **{"record": mgrs.mgr_record(name), **values})


def osd(number: int, on: Host, **values: Any) -> Daemon:
    known = {"record": osds.osd_record(spec(), on), "osd_uuid": uuid(number)}
    return daemon(DaemonType.OSD, str(number), **{**known, **values})


def hosts(*given: Host) -> dict[HostName, Host]:
    return {one.name: one for one in given}


def empty(*names: str) -> Facts:
    """Hosts on which no cluster ever was."""
    return Facts(hosts=MappingProxyType(hosts(*(host(name) for name in names))))


def view(**values: Any) -> Cluster:
    """Ceph's own view of the healthy cluster."""
    plain = {
        "fsid": OURS,
        "quorum_names": ("a", "b", "c"),
        "mons": tuple(
            MonMember(name=one.name, rank=rank, addrs=addrs(one.address))
            for rank, one in enumerate(MONS)
        ),
        "osds": tuple(
            Osd(id=OsdId(number), uuid=uuid(number), up=True, in_=True) for number in range(3)
        ),
        "mgr": Mgr(available=True, active="a", standbys=("b",)),
        "mgr_modules": MgrModules(
            enabled=("prometheus",), always_on=("balancer",), available=("alerts", "prometheus")
        ),
        "status": {"pgmap": {"num_pgs": 0, "pgs_by_state": []}},
        "df": {"pools": {}},
    }
    return Cluster(**{**plain, **values})


def healthy() -> Facts:
    """Three mons, two mgrs and three OSDs that need nothing for `spec(mgr={"count": 2})`."""
    found = []
    for number, name in enumerate(("store-a", "store-b", "store-c")):
        bare = host(name, conf=Conf(present=True, fsid=OURS, mon_host=MON_HOST))
        own = [mon(name[-1]), osd(number, bare)] + ([mgr(name[-1])] if number < 2 else [])
        found.append(replace(bare, daemons=tuple(own), devices=(osd_disk("sdb", number),)))
    stored = StoredIdentity(fsid=OURS, established=True)
    return Facts(hosts=MappingProxyType(hosts(*found)), cluster=view(), identity=stored)


def changed(facts: Facts, *given: Host, **values: Any) -> Facts:
    """Facts with these hosts in place of, or beside, those of the same name."""
    return replace(facts, hosts=MappingProxyType({**facts.hosts, **hosts(*given)}), **values)


def with_daemon(facts: Facts, name: str, kind: DaemonType, **values: Any) -> Facts:
    """Facts in which the daemons of one kind on one host are otherwise."""
    found = facts.hosts[HostName(name)]
    daemons = (replace(one, **values) if one.type is kind else one for one in found.daemons)
    return changed(facts, replace(found, daemons=tuple(daemons)))


def context(facts: Facts, **values: Any) -> Context:
    return Context(
        spec=spec(**{"mgr": {"count": 2}, **values}),
        facts=facts,
        fsid=OURS,
        mons=MONS,
        admin_host=HostName("store-a"),
    )
