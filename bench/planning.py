"""How long one plan takes, and its memory, for 1,000 hosts with 10,000 OSDs (made-up facts)."""

import json
import resource
import subprocess
import sys
import time
from types import MappingProxyType

from bench import selection
from orchestrator import planning
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
    MonMember,
    Osd,
    OsdLabel,
)
from orchestrator.model.manifest import parse_object
from orchestrator.model.names import Fsid, HostName, OsdId
from orchestrator.model.spec import CephCluster

HOSTS = 1000
OSDS_PER_HOST = 10
FSID = Fsid("0a1b2c3d-1111-4222-8333-444455556666")
MONS = 5
DISK_BYTES = 4 * 10**12


def facts() -> Facts:
    """A large healthy cluster in which every host has one new blank disk."""
    hosts = {host.name: host for host in map(_host, range(HOSTS))}
    return Facts(hosts=MappingProxyType(hosts), cluster=_cluster())


def _address(number: int) -> str:
    return f"10.{number // 250}.{number % 250}.1"


def _host(number: int) -> Host:
    first = number * OSDS_PER_HOST
    osds = range(first, first + OSDS_PER_HOST)
    return Host(
        name=HostName(f"store-{number:04}"),
        address=_address(number),
        addresses=(f"{_address(number)}/24",),
        ceph_version="20.2.4",
        binaries=("ceph-mon", "ceph-mgr", "ceph-osd", "ceph-volume"),
        conf=Conf(present=True, fsid=FSID, mon_host=_mon_host()),
        daemons=(*_mon(number), *(_daemon(osd) for osd in osds)),
        devices=(*(_disk(osd, f"sd{osd - first}") for osd in osds), _blank()),
    )


def _mon_host() -> str:
    return ",".join(f"[v2:{_address(one)}:3300,v1:{_address(one)}:6789]" for one in range(MONS))


def _mon(number: int) -> tuple[Daemon, ...]:
    if number >= MONS:
        return ()
    return (
        Daemon(
            type=DaemonType.MON,
            id="abcde"[number],
            fsid=FSID,
            data=True,
            keyring=True,
            active="active",
            enabled=True,
            monmap_epoch=1,
        ),
    )


def _daemon(osd: int) -> Daemon:
    return Daemon(
        type=DaemonType.OSD,
        id=str(osd),
        fsid=FSID,
        data=True,
        keyring=True,
        active="active",
        enabled=True,
        osd_uuid=_uuid(osd),
    )


def _uuid(osd: int) -> str:
    return f"00000000-0000-4000-8000-{osd:012}"


def _disk(osd: int, name: str) -> Device:
    return Device(
        name=name,
        path=f"/dev/{name}",
        by_id=f"/dev/disk/by-id/wwn-0x{osd:016x}",
        links=(f"/dev/disk/by-id/wwn-0x{osd:016x}", f"/dev/disk/by-path/pci-{name}"),
        type="disk",
        size=DISK_BYTES,
        osd=OsdLabel(id=OsdId(osd), uuid=_uuid(osd), fsid=FSID),
    )


def _blank() -> Device:
    return Device(name="sdz", path="/dev/sdz", by_id="", type="disk", size=DISK_BYTES)


def _cluster() -> Cluster:
    count = HOSTS * OSDS_PER_HOST
    return Cluster(
        fsid=FSID,
        quorum_names=tuple("abcde"),
        mons=tuple(
            MonMember(name=name, rank=rank, addrs=(f"v2:{_address(rank)}:3300/0",))
            for rank, name in enumerate("abcde")
        ),
        osds=tuple(Osd(id=OsdId(one), uuid=_uuid(one), up=True) for one in range(count)),
        mgr=Mgr(available=True, active="a", standbys=("b",)),
        mgr_modules=MgrModules(enabled=("prometheus",)),
    )


def manifest() -> CephCluster:
    """Five mons, and every disk of every host."""
    return parse_object(
        {
            "apiVersion": "ceph.rook.io/v1",
            "kind": "CephCluster",
            "metadata": {"name": "large", "namespace": "rook-ceph"},
            "spec": {
                "dataDirHostPath": "/var/lib/rook",
                "mon": {"count": MONS},
                "storage": {"useAllNodes": True, "useAllDevices": True},
            },
        },
        source="bench",
    ).cluster


def measure() -> dict[str, float]:
    """The numbers, from a process of their own so that its peak memory is the plan's."""
    command = [sys.executable, "-m", "bench.planning"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    numbers: dict[str, float] = json.loads(done.stdout)
    return {**numbers, "selection_1000x60_seconds": selection.seconds()}


def main() -> None:
    """Plan once and print seconds and peak megabytes as JSON."""
    seen, wanted = facts(), manifest()
    started = time.perf_counter()
    plan = planning.plan(wanted.spec, seen)
    seconds = time.perf_counter() - started
    if len(plan.changes) < HOSTS:
        raise SystemExit(f"the plan has only {len(plan.changes)} changes; the measure is void")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"plan_1000_hosts_seconds": seconds, "plan_1000_hosts_mb": peak}))


if __name__ == "__main__":
    main()
