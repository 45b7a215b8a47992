"""A simulated Ceph: its quorum, and what `ceph_host_info` reports of it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.model import endpoints
from orchestrator.planning import caps
from tests.fakes.machines.hosts import Machine, Unit
from tests.fakes.mon_store import Store

NO_DASHBOARD = {"certificate": False, "users": [], "password": ""}


@dataclass(slots=True)
class Ceph:
    """The cluster that the daemons of these machines form, as far as playbooks can tell."""

    machines: dict[str, Machine]
    members_in_map: dict[str, str] = field(default_factory=dict)
    osds: list[dict[str, Any]] = field(default_factory=list)
    store: Store = field(default_factory=Store)
    modules: set[str] = field(default_factory=set)
    fsids: set[str] = field(default_factory=set)
    lowest_quorum: list[str] = field(default_factory=list)
    clock: float = 0.0
    quorum_seen: list[str] = field(default_factory=list)
    quorum_at: float = 0.0
    users: set[str] = field(default_factory=set)
    unlisted_mgrs: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    """Hosts whose tasks fail."""

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

    def settle(self) -> None:
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
            unit.monmap = self.monmap()

    def monmap(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "addr": endpoints.read([addrs])[0], "addrs": [addrs]}
            for name, addrs in self.members_in_map.items()
        ]

    def speaker(self, names: Collection[str]) -> str:
        """The leader's host, or where that is not looked at another one with a mon in quorum."""
        quorum = self.quorum()
        seen = {
            unit.id: machine.name
            for machine, unit in self.units("mon")
            if machine.name in names and machine.reachable
        }
        return next((seen[mon] for mon in quorum if mon in seen), "")

    def leader(self) -> str:
        names = self.quorum()
        for machine, unit in self.units("mon"):
            if names and unit.id == names[0]:
                return machine.name
        return ""

    def _probing(self) -> set[str]:
        """Who finds no quorum because of peers; without one that is everybody."""
        out = {name for name, peers in self.kept_out_by.items() if peers}
        return out if self.quorum() or not out else set(self.members_in_map)

    def report(self, machine: Machine) -> dict[str, Any]:
        found = machine.report()
        for one, unit in zip(found["daemons"], machine.units.values(), strict=True):
            if unit.type == "mon" and unit.active == "active":
                one["running_seconds"] = self.clock - unit.started
                one["monmap_age"] = self.clock - self.map_changed
                one["mon_state"] = "probing" if unit.id in self._probing() else ""
        return found

    def view(self) -> dict[str, Any]:
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
            "df": {"pools": {}},
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

    def toggle(self, module: dict[str, Any]) -> None:
        (self.modules.add if module["enabled"] else self.modules.discard)(module["name"])
        self.store.restart(module["name"])

    def set_up_dashboard(self, wanted: dict[str, Any]) -> None:
        password = wanted.get("password")
        self.dashboard = {
            "certificate": self.dashboard["certificate"] or wanted["certificate"],
            "users": ["admin"],
            "password": self.store.digest(password) if password else self.dashboard["password"],
        }
