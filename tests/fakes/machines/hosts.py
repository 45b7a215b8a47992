"""Simulated hosts: their disks and daemons, reported in the shape of `ceph_host_info`."""

from dataclasses import dataclass, field
from typing import Any

GIB = 1024**3


@dataclass(slots=True)
class Disk:
    name: str
    content: str = ""
    osd: dict[str, Any] | None = None
    size: int = 10 * GIB

    def report(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "path": f"/dev/{self.name}",
            "by_id": f"/dev/disk/by-id/wwn-{self.name}",
            "links": [f"/dev/disk/by-id/wwn-{self.name}"],
            "type": "disk",
            "size": self.size,
            "filesystem": self.content,
            "osd": self.osd,
        }

    def clear(self, fsid: str) -> None:
        if self.osd:
            assert self.osd["fsid"] == fsid, f"{self.name} is of {self.osd['fsid']}"
            self.osd = None


@dataclass(slots=True)
class Unit:
    type: str
    id: str
    fsid: str
    record: str = ""
    data: bool = True
    keyring: bool = True
    active: str = "inactive"
    enabled: bool = True
    drifted: list[str] = field(default_factory=list)
    osd_uuid: str = ""
    epoch: int = -1
    monmap: list[dict[str, Any]] = field(default_factory=list)
    started: float = 0.0

    def report(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in ("type", "id", "fsid", "record", "data")}
        more = {name: getattr(self, name) for name in ("keyring", "active", "enabled", "osd_uuid")}
        return {
            **values,
            **more,
            "drifted": list(self.drifted),
            "monmap_epoch": self.epoch,
            "monmap": list(self.monmap),
        }


@dataclass(slots=True)
class Machine:
    name: str
    address: str
    disks: list[Disk] = field(default_factory=list)
    units: dict[str, Unit] = field(default_factory=dict)
    conf: dict[str, Any] = field(default_factory=dict)
    reachable: bool = True
    groups: tuple[str, ...] = ()
    secrets: dict[str, dict[str, str]] = field(default_factory=dict)
    listed: bool = True
    put_aside: list[dict[str, str]] = field(default_factory=list)
    crash_dumps: int = 0
    services: list[dict[str, Any]] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        return {
            "hostname": self.name,
            "addresses": [f"{self.address}/24"],
            "ceph_version": "20.2.4",
            "binaries": ["ceph-mon", "ceph-mgr", "ceph-osd", "ceph-volume"],
            "conf": {"present": bool(self.conf), "crush_location": "", **self.conf},
            "secrets": dict(self.secrets),
            "put_aside": [dict(one) for one in self.put_aside],
            "crash_dumps": self.crash_dumps,
            "daemons": [unit.report() for unit in self.units.values()],
            "devices": [disk.report() for disk in self.disks],
            "services": [dict(one) for one in self.services],
        }

    def daemon(self, kind: str, name: str, fsid: str) -> Unit:
        """The one of that name, which there is from now on."""
        return self.units.setdefault(f"{kind}.{name}", Unit(kind, name, fsid))

    def stop(self, key: str) -> None:
        unit = self.units.get(key)
        if unit:
            unit.active, unit.enabled = "inactive", False

    def forget(self, key: str, data: str) -> None:
        """A stopped daemon's record goes; its `data` stay, are put aside, or go along."""
        unit = self.units.get(key)
        if unit:
            unit.record, unit.drifted = "", []
            if data != "keep":
                del self.units[key]
            if data == "aside" and unit.type == "mon":
                self.put_aside.append({"type": "mon", "id": unit.id, "fsid": unit.fsid})

    def empty(self, fsid: str) -> None:
        self.put_aside = [one for one in self.put_aside if one["fsid"] != fsid]
        self.crash_dumps = 0

    def bare(self, fsid: str) -> None:
        if self.conf.get("fsid") == fsid:
            self.conf.clear()
