"""How long the verdicts on 60,000 devices of 1,000 hosts take, by the slowest kinds of rule."""

import time
from types import MappingProxyType

from orchestrator.model.decisions import State
from orchestrator.model.facts import Device, Facts, Host
from orchestrator.model.manifest import parse_object
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning.survey import Survey

HOSTS = 1000
DEVICES = 60
ROUNDS = 3
FSID = Fsid("0a1b2c3d-1111-4222-8333-444455556666")
DISK_BYTES = 4 * 10**12


def facts() -> Facts:
    """Hosts with a system disk, OSDs, blank disks, and the loop devices of a desktop."""
    hosts = (_host(number) for number in range(HOSTS))
    return Facts(hosts=MappingProxyType({host.name: host for host in hosts}))


def _host(number: int) -> Host:
    devices = (_device(number, index) for index in range(DEVICES))
    return Host(name=HostName(f"store-{number:04}.example.net"), devices=tuple(devices))


def _device(host: int, index: int) -> Device:
    serial = f"{host:06x}{index:02x}"
    kind, filesystem = ("disk", "") if index < DEVICES - 10 else ("loop", "squashfs")
    links = (f"wwn-0x{serial}", f"ata-ST4000_{serial}", f"scsi-{serial}")
    return Device(
        name=f"sd{index}",
        path=f"/dev/sd{index}",
        by_id=f"/dev/disk/by-id/wwn-0x{serial}",
        links=(*(f"/dev/disk/by-id/{link}" for link in links), f"/dev/disk/by-path/pci-{index}"),
        type=kind,
        filesystem=filesystem,
        size=DISK_BYTES,
        rotational=True,
        model="ST4000",
        wwn=f"0x{serial}",
    )


def spec() -> CephClusterSpec:
    """Every host by its short name, a filter on all links, selectors, and a limit."""
    storage = {
        "devicePathFilter": "^/dev/disk/by-id/wwn-.*[02468ace]$",
        "nodes": [{"name": f"store-{number:04}"} for number in range(HOSTS)],
        "config": {"size": "1T:", "rotational": "1", "limit": "24", "deviceClass": "hdd"},
    }
    return parse_object(
        {
            "apiVersion": "ceph.rook.io/v1",
            "kind": "CephCluster",
            "metadata": {"name": "large"},
            "spec": {"dataDirHostPath": "/var/lib/rook", "storage": storage},
        },
        source="bench",
    ).cluster.spec


def seconds() -> float:
    """The fastest of a few rounds: other work on the machine is not what is measured."""
    seen, wanted = facts(), spec()
    return min(_once(seen, wanted) for _ in range(ROUNDS))


def _once(seen: Facts, wanted: CephClusterSpec) -> float:
    started = time.perf_counter()
    devices = Survey(spec=wanted, facts=seen, fsid=FSID).devices
    took = time.perf_counter() - started
    selected = sum(one.state is State.SELECTED for one in devices)
    if len(devices) != HOSTS * DEVICES or selected != HOSTS * 24:
        raise SystemExit(f"{selected} of {len(devices)} devices are selected; the measure is void")
    return took
