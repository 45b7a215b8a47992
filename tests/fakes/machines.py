"""Simulated hosts and a simulated Ceph behind the `Ansible` protocol of the reconcile pass.

Each playbook is a list of small operations; a cut after any of them leaves what an interrupted run
would leave. Reports have the shape of `ceph_host_info`, so parsing and variables are exercised too.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from orchestrator.ansible.facts import Member
from orchestrator.ansible.variables import Variables, asking
from orchestrator.model import endpoints
from orchestrator.model.facts import NO_RESTARTS, Lock, Restarts
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.planning import caps
from tests.fakes.mon_store import Store

GIB = 1024**3
Operation = Callable[[], None]
NO_DASHBOARD = {"certificate": False, "users": [], "password": ""}


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


class CutError(Exception):
    """The simulated run is interrupted here."""


@dataclass(slots=True)
class Machines:
    """The machine room. `cut_after` operations the next run fails; None lets it finish."""

    machines: dict[str, Machine]
    cut_after: int | None = None
    members_in_map: dict[str, str] = field(default_factory=dict)
    osds: list[dict[str, Any]] = field(default_factory=list)
    store: Store = field(default_factory=Store)
    modules: set[str] = field(default_factory=set)
    fsids: set[str] = field(default_factory=set)
    runs: list[str] = field(default_factory=list)
    lowest_quorum: list[str] = field(default_factory=list)
    clock: float = 0.0
    quorum_seen: list[str] = field(default_factory=list)
    quorum_at: float = 0.0
    users: set[str] = field(default_factory=set)
    unlisted_mgrs: set[str] = field(default_factory=set)
    lock: dict[str, Any] | None = None
    broken: set[str] = field(default_factory=set)
    caps: dict[str, dict[str, str]] = field(default_factory=dict)
    dashboard: dict[str, Any] = field(default_factory=lambda: dict(NO_DASHBOARD))

    refusals: dict[int, str] = field(default_factory=dict)
    together: int = 1
    asked: Mapping[str, Any] = field(default_factory=dict)
    restarted: list[tuple[int, ...]] = field(default_factory=list)

    grudging: set[str] = field(default_factory=set)
    """Mons that will keep out whoever gets other addresses, until they start again."""

    kept_out_by: dict[str, set[str]] = field(default_factory=dict)
    map_changed: float = 0.0
    restarted_mons: list[tuple[str, float]] = field(default_factory=list)
    """Each with the moment of the map's change since which it has run."""

    def time(self) -> float:
        return self.clock

    @property
    def config(self) -> dict[tuple[str, str], str]:
        return self.store.config

    # --- the Ansible protocol

    def members(self) -> tuple[Member, ...]:
        return tuple(
            Member(name=HostName(one.name), address=one.address, groups=one.groups)
            for one in self.machines.values()
            if one.listed
        )

    def observe(self, restarts: Restarts = NO_RESTARTS) -> Outcome:
        self.runs.append("facts.yml")
        self.asked = asking(restarts)
        names = [name for name, machine in self.machines.items() if machine.listed]
        return self._outcome("facts.yml", names, ())

    def release(self, variables: Variables) -> Outcome:
        self.runs.append(variables.playbook)
        if self.lock and self.lock["id"] == variables.extra["lock_id"]:
            self.lock = None
        return self._outcome(variables.playbook, [], ())

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome:
        if check:
            self.runs.append(f"{variables.playbook} --check")
            return self._outcome(variables.playbook, [str(name) for name in variables.hosts], ())
        self.runs.append(variables.playbook)
        asked = variables.extra["lock_hosts"]
        if asked and self.lock and self.lock["id"] != variables.extra["lock_id"]:
            holder = Lock(**self.lock)
            return Outcome(ok=False, run="0", playbook=variables.playbook, holder=holder)
        self.lock = {
            "owner": variables.extra["lock_owner"],
            "id": variables.extra["lock_id"],
            "seconds_left": variables.extra["lock_seconds"],
        }
        self.asked = variables.extra
        failures: tuple[Failure, ...] = tuple(
            Failure(host=name, task="Prepare", message="exit code 1: no space left")
            for name in variables.targets
            if name in self.broken
        )
        try:
            for count, operation in enumerate(self._operations(variables)):
                if self.cut_after is not None and count >= self.cut_after:
                    raise CutError  # noqa: TRY301 - the fake and its interruption are one
                had = bool(self.quorum())
                operation()
                self._settle()
                if had and not self.quorum():
                    self.lowest_quorum.append("lost")
            if variables.extra["lock_release_hosts"]:
                self.lock = None
        except CutError:
            self.cut_after = None
            failures = (Failure(host=variables.targets[0], task="cut", message="interrupted"),)
        return self._outcome(variables.playbook, [str(name) for name in variables.hosts], failures)

    def _outcome(self, playbook: str, names: list[str], failures: tuple[Failure, ...]) -> Outcome:
        silent = tuple(
            Failure(host=HostName(name), task="", message="timed out", unreachable=True)
            for name in names
            if not self.machines[name].reachable
        )
        self._settle()
        leader = self._leader()
        reports = {
            HostName(name): {
                "host": {**self._report(self.machines[name]), "lock": self.lock},
                "cluster": self._view() if name == leader else None,
            }
            for name in names
            if self.machines[name].reachable
        }
        everything = (*failures, *silent)
        return Outcome(
            ok=not everything,
            run=f"{len(self.runs)}",
            playbook=playbook,
            failures=everything,
            reports={} if failures else reports,
        )

    def _report(self, machine: Machine) -> dict[str, Any]:
        found = machine.report()
        for one, unit in zip(found["daemons"], machine.units.values(), strict=True):
            if unit.type == "mon" and unit.active == "active":
                one["running_seconds"] = self.clock - unit.started
                one["monmap_age"] = self.clock - self.map_changed
                one["mon_state"] = "probing" if unit.id in self._probing() else ""
        return found

    def _probing(self) -> set[str]:
        """Who finds no quorum because of peers; without one that is everybody."""
        out = {name for name, peers in self.kept_out_by.items() if peers}
        return out if self.quorum() or not out else set(self.members_in_map)

    # --- Ceph itself

    def units(self, kind: str) -> Iterator[tuple[Machine, Unit]]:
        for machine in self.machines.values():
            for unit in machine.units.values():
                if unit.type == kind:
                    yield machine, unit

    def quorum(self) -> list[str]:
        running = [
            unit.id
            for machine, unit in self.units("mon")
            if unit.active == "active" and machine.reachable and self._is_member(machine, unit)
        ]
        members = self.members_in_map or {
            entry["name"]: entry["addr"] for _, unit in self.units("mon") for entry in unit.monmap
        }
        heard = [name for name in running if not self.kept_out_by.get(name)]
        present = [name for name in heard if name in members]
        return present if members and 2 * len(present) > len(members) else []

    def _is_member(self, machine: Machine, unit: Unit) -> bool:
        """Its address is in the map: a store that was left behind is not the member of its name."""
        addrs = self.members_in_map.get(unit.id)
        return addrs is None or endpoints.read([addrs])[0] == machine.address

    def _settle(self) -> None:
        """Mons that reach a majority form quorum; from then on their map has an epoch."""
        names = self.quorum()
        if names != self.quorum_seen:
            self.quorum_seen, self.quorum_at = names, self.clock
        if not names:
            return
        running = [unit for _, unit in self.units("mon") if unit.id in names]
        if not self.members_in_map:
            self.members_in_map = {one["name"]: one["addrs"][0] for one in running[0].monmap}
        for unit in running:
            unit.epoch = max(unit.epoch, 1)
            unit.monmap = self._monmap()

    def _monmap(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "addr": endpoints.read([addrs])[0], "addrs": [addrs]}
            for name, addrs in self.members_in_map.items()
        ]

    def _leader(self) -> str:
        names = self.quorum()
        for machine, unit in self.units("mon"):
            if names and unit.id == names[0]:
                return machine.name
        return ""

    def _view(self) -> dict[str, Any]:
        running = [unit.id for _, unit in self.units("mgr") if unit.active == "active"]
        mgrs = [name for name in running if name not in self.unlisted_mgrs]
        return {
            "fsid": next(iter(self.fsids)),
            "quorum_names": self.quorum(),
            "mons": [
                {"name": name, "rank": rank, "addrs": [addrs]}
                for rank, (name, addrs) in enumerate(self.members_in_map.items())
            ],
            "osds": [dict(osd) for osd in self.osds],
            "mgr": {
                "available": bool(mgrs),
                "active": (mgrs or [""])[0],
                "standbys": mgrs[1:],
                "services": self.store.services(self.modules) if mgrs else {},
            },
            "mgr_modules": {"enabled": sorted(self.modules), "always_on": [], "available": []},
            **self.store.view(),
            "dashboard": dict(self.dashboard) if "dashboard" in self.modules else None,
            "auth": [
                {"entity": user, "caps": dict(self.caps.get(user) or caps.CAPS.get(user, {}))}
                for user in sorted(self.users | set(self.caps))
            ],
            "status": {
                "health": {"status": "HEALTH_OK", "checks": {}},
                "quorum_age": self.clock - self.quorum_at,
                "pgmap": {"num_pgs": 0, "pgs_by_state": []},
            },
            "versions": {"mon": {"ceph version 20.2.4 (x) tentacle (stable)": 1}},
            **self._ok_to_stop(),
        }

    def _ok_to_stop(self) -> dict[str, Any]:
        """As `ceph_host_info` does: one after the other until the first yes."""
        waiting = self.asked.get("facts_restarting_osds", ())
        answers: list[dict[str, Any]] = []
        for osd in waiting:
            ok = osd not in self.refusals
            more = [one for one in waiting if one not in self.refusals and one != osd]
            osds = [osd, *more][: self.together] if ok else []
            reason = self.refusals.get(osd, "")
            answers.append({"osd": osd, "ok": ok, "osds": osds, "reason": reason})
            if ok:
                break
        return {"ok_to_stop": answers} if waiting else {}

    # --- the playbooks, one small operation after the other

    def _operations(self, variables: Variables) -> Iterator[Operation]:
        fsid = variables.extra["ceph_fsid"]
        self.fsids.add(fsid)
        others = {
            "site.yml": self._creation,
            "absent.yml": self._removals,
            "cleanup.yml": self._cleanup,
        }
        if variables.playbook in others:
            yield from others[variables.playbook](variables)
            return
        yield from self._consent(variables)
        for name in variables.targets:
            if name in self.broken:
                continue
            yield from self._host(self.machines[str(name)], variables, fsid)
        for name in variables.extra.get("mon_readdressed", ()):
            yield lambda name=name: self._readdress(name, variables.extra["ceph_mons"])
        for name in variables.extra.get("mon_restarts", ()):
            yield lambda name=name: self._restart(name)
        yield from self._settings(variables.extra)
        for module in variables.extra.get("mgr_modules", ()):
            yield lambda module=module: self._toggle(module)
        if "mgr_dashboard" in variables.extra:
            yield lambda: self._set_up(variables.extra["mgr_dashboard"])
        for user in variables.extra.get("config_removed_users", ()):
            yield lambda user=user: self.users.discard(user)

    def _creation(self, variables: Variables) -> Iterator[Operation]:
        """The plays of `site.yml`, each with what its own role reads."""
        for kind, more in (("mon", ("config_",)), ("mgr", ()), ("osd", ())):
            assert kind == "mon" or self.quorum(), f"{kind}s are made without a quorum"
            hosts = {
                name: {key: value for key, value in own.items() if key.startswith(f"{kind}_")}
                for name, own in variables.hosts.items()
            }
            extra = {
                key: value
                for key, value in variables.extra.items()
                if key.startswith(("ceph_", f"{kind}_", *more))
            }
            targets = tuple(HostName(name) for name in variables.extra[f"{kind}_targets"])
            play = replace(
                variables, playbook=f"{kind}.yml", targets=targets, hosts=hosts, extra=extra
            )
            yield from self._operations(play)

    def _removals(self, variables: Variables) -> Iterator[Operation]:
        for user in variables.extra.get("mgr_removed_users", ()):
            yield lambda user=user: self.users.discard(user)
        for name in variables.extra.get("mon_unmapped", ()):
            yield lambda name=name: self._unmap(name)
        for kind in ("mgr", "osd", "mon"):
            for name in variables.targets:
                for one in variables.hosts[name].get(f"{kind}_removed", ()):
                    machine = self.machines[str(name)]
                    key = f"{kind}.{one['id']}"
                    yield lambda machine=machine, key=key: self._stop(machine, key)
                    yield lambda machine=machine, key=key, one=one: self._forget(machine, key, one)

    def _cleanup(self, variables: Variables) -> Iterator[Operation]:
        fsid = variables.extra["ceph_fsid"]
        destroy = variables.extra["cleanup_data"]
        for name in variables.targets:
            machine, own = self.machines[str(name)], variables.hosts[name]
            for disk in machine.disks if destroy else ():
                if f"/dev/disk/by-id/wwn-{disk.name}" in own["cleanup_devices"]:
                    yield lambda disk=disk: self._clear(disk, fsid)
            for one in own["cleanup_daemons"] if destroy else ():
                key = f"{one['type']}.{one['id']}"
                yield lambda machine=machine, key=key: machine.units.pop(key, None)
            if destroy:
                yield lambda machine=machine: self._empty(machine, fsid)
            yield lambda machine=machine: self._bare(machine, fsid)

    def _empty(self, machine: Machine, fsid: str) -> None:
        machine.put_aside = [one for one in machine.put_aside if one["fsid"] != fsid]
        machine.crash_dumps = 0

    def _clear(self, disk: Disk, fsid: str) -> None:
        if disk.osd:
            assert disk.osd["fsid"] == fsid, f"{disk.name} is of {disk.osd['fsid']}"
            disk.osd = None

    def _bare(self, machine: Machine, fsid: str) -> None:
        if machine.conf.get("fsid") == fsid:
            machine.conf.clear()

    def _unmap(self, name: str) -> None:
        if name not in self.members_in_map:
            return
        assert len(self.members_in_map) > 2, "never from two mons to one"
        del self.members_in_map[name]
        assert self.quorum(), f"mon.{name} left the map and took the majority along"

    def _stop(self, machine: Machine, key: str) -> None:
        unit = machine.units.get(key)
        if unit:
            unit.active, unit.enabled = "inactive", False

    def _forget(self, machine: Machine, key: str, one: dict[str, Any]) -> None:
        unit = machine.units.get(key)
        if unit:
            unit.record, unit.drifted = "", []
            if one["data"] != "keep":
                del machine.units[key]
            if one["data"] == "aside" and unit.type == "mon":
                machine.put_aside.append({"type": "mon", "id": unit.id, "fsid": unit.fsid})

    def _settings(self, extra: Mapping[str, Any]) -> Iterator[Operation]:
        begun = [{**one, "owned": False} for one in extra.get("mon_initial_settings", ())]
        for setting in (*begun, *extra.get("config_settings", ())):
            yield lambda setting=setting: self.store.set(setting)
        for setting in extra.get("config_secret_settings", ()):
            yield lambda setting=setting: self.store.set_secret(setting)
        for option in extra.get("config_removed", ()):
            yield lambda option=option: self.store.remove(option)
        for option in extra.get("config_released", ()):
            yield lambda option=option: self.store.release(option)
        if extra.get("config_muted") or extra.get("config_unmuted"):
            muted, unmuted = extra.get("config_muted", ()), extra.get("config_unmuted", ())
            yield lambda: self.store.mute(muted, unmuted)
        for kind, ratio in extra.get("config_full_ratios", {}).items():
            yield lambda kind=kind, ratio=ratio: self.store.full_ratios.update({kind: ratio})
        for name in extra.get("config_restarted_modules", ()):
            yield lambda name=name: self.store.restart(name)
        for user in extra.get("config_users", ()):
            yield lambda user=user: self.caps.update({user["entity"]: dict(user["caps"])})

    def _consent(self, variables: Variables) -> Iterator[Operation]:
        """As the role `osd`: Ceph is asked once more, about all of the play together."""
        batch = [osd for own in variables.hosts.values() for osd in own.get("osd_restarts", ())]
        if not batch:
            return
        if variables.extra["osd_restarts_need_consent"]:
            assert not set(batch) & set(self.refusals), "refused, and about to be stopped"
            assert len(batch) <= self.together, "stopped together, and not allowed to be"
        yield lambda: self.restarted.append(tuple(batch))

    def _host(self, machine: Machine, variables: Variables, fsid: str) -> Iterator[Operation]:
        own = variables.hosts[HostName(machine.name)]
        listed = ",".join(mon["addrs"] for mon in variables.extra["ceph_mons"])
        yield lambda: machine.conf.update({"fsid": fsid, "mon_host": listed})
        for mon in own.get("mon_daemons", ()):
            yield lambda mon=mon: self._mkfs(machine, mon, variables, fsid)
            yield lambda mon=mon: self._start(machine, "mon", mon["id"], mon["record"])
            yield lambda mon=mon: self._join(mon)
        for mgr in own.get("mgr_daemons", ()):
            yield lambda mgr=mgr: self._unit(machine, "mgr", mgr["id"], fsid)
            yield lambda mgr=mgr: self._start(machine, "mgr", mgr["id"], mgr["record"])
        for device in own.get("osd_devices", ()):
            yield lambda device=device: self._prepare(machine, device, fsid)
        if "osd_record" in own:
            location = own["osd_crush_location"]
            yield lambda: machine.conf.update({"crush_location": location})
            ignored = own.get("osd_ignored_uuids", ())
            for disk in machine.disks:
                if disk.osd and disk.osd["uuid"] in ignored:
                    continue
                if self._left(machine, disk, own):
                    continue
                yield lambda disk=disk: self._activate(machine, disk, _osd_record(own), fsid)

    def _left(self, machine: Machine, disk: Disk, own: Mapping[str, Any]) -> bool:
        """Whether an OSD runs by an older description and must not be started again now."""
        unit = machine.units.get(f"osd.{disk.osd['id']}") if disk.osd else None
        if unit is None or unit.active != "active" or not unit.record:
            return False
        if unit.record.partition(".")[2] == _osd_record(own).partition(".")[2]:
            return False
        return int(unit.id) not in own.get("osd_restarts", ())

    def _unit(self, machine: Machine, kind: str, name: str, fsid: str) -> Unit:
        return machine.units.setdefault(f"{kind}.{name}", Unit(kind, name, fsid))

    def _mkfs(self, machine: Machine, mon: dict[str, Any], variables: Variables, fsid: str) -> None:
        if f"mon.{mon['id']}" in machine.units:
            return
        unit = self._unit(machine, "mon", mon["id"], fsid)
        if variables.extra["mon_new_cluster"]:
            unit.epoch = 0
            unit.monmap = [
                {"name": one["name"], "addr": one["address"], "addrs": [one["addrs"]]}
                for one in variables.extra["ceph_mons"]
            ]
            return
        assert self.quorum(), "a mon can join only a quorum"
        unit.epoch = 0
        unit.monmap = self._monmap()

    def _join(self, mon: dict[str, Any]) -> None:
        """A mon that starts adds itself to the map of a cluster that lives."""
        if self.members_in_map and mon["id"] not in self.members_in_map:
            assert self.quorum(), "a mon can join only a quorum"
            addrs = mon["addrs"]
            assert addrs not in self.members_in_map.values(), f"two mons at {addrs}"
            self.members_in_map[mon["id"]] = addrs
            self.map_changed = self.clock

    def _readdress(self, name: str, mons: list[dict[str, Any]]) -> None:
        self.members_in_map[name] = next(one["addrs"] for one in mons if one["name"] == name)
        self.map_changed = self.clock
        self.kept_out_by[name] = self.grudging & set(self.members_in_map) - {name}

    def _restart(self, name: str) -> None:
        self.restarted_mons.append((name, self.map_changed))
        self.grudging.discard(name)
        next(unit for _, unit in self.units("mon") if unit.id == name).started = self.clock
        for peers in self.kept_out_by.values():
            peers.discard(name)

    def _start(self, machine: Machine, kind: str, name: str, record: str) -> None:
        unit = machine.units[f"{kind}.{name}"]
        changed = unit.record != record or bool(unit.drifted)
        if changed and unit.active == "active" and kind == "mon":
            unit.active = "inactive"
            self.lowest_quorum.append("kept" if self.quorum() else "lost")
        if unit.active != "active":
            unit.started = self.clock
        unit.record = record
        unit.drifted = []
        unit.keyring = True
        unit.enabled = True
        unit.active = "active"

    def _toggle(self, module: dict[str, Any]) -> None:
        (self.modules.add if module["enabled"] else self.modules.discard)(module["name"])
        self.store.restart(module["name"])

    def _set_up(self, wanted: dict[str, Any]) -> None:
        password = wanted.get("password")
        self.dashboard = {
            "certificate": self.dashboard["certificate"] or wanted["certificate"],
            "users": ["admin"],
            "password": self.store.digest(password) if password else self.dashboard["password"],
        }

    def _prepare(self, machine: Machine, device: dict[str, Any], fsid: str) -> None:
        disk = next(one for one in machine.disks if device["path"].endswith(f"-{one.name}"))
        if disk.osd:
            return
        assert not disk.content, f"{disk.name} holds {disk.content} and was about to be prepared"
        number = len(self.osds)
        uuid = f"00000000-0000-4000-8000-{number:012}"
        disk.osd = {"id": number, "uuid": uuid, "fsid": fsid}
        self.osds.append({"id": number, "uuid": uuid, "up": True, "in": True})

    def _activate(self, machine: Machine, disk: Disk, record: str, fsid: str) -> None:
        if disk.osd and disk.osd["fsid"] == fsid:
            name = str(disk.osd["id"])
            self._unit(machine, "osd", name, fsid).osd_uuid = disk.osd["uuid"]
            self._start(machine, "osd", name, record)


def _osd_record(own: Mapping[str, Any]) -> str:
    """Disks here are of no class that has amounts of its own."""
    classes = own.get("osd_resources")
    return str(classes[""]["record"] if classes else own["osd_record"])
