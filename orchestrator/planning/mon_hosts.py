"""Which hosts may get a mon, and the address and ports that it would have there."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from orchestrator.model.endpoints import MSGR1_PORT, MSGR2_PORT, Ports
from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.plan import PlacedMon, Reason
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import addresses, host_rules, network, placement
from orchestrator.planning.host_rules import Rules

MOST_MONS = 9
"""Rook's limit of spec.mon.count."""


@dataclass(frozen=True, kw_only=True)
class Places:
    """The hosts that may get a mon, and the address that it would have there."""

    spec: CephClusterSpec
    facts: Facts

    @property
    def members(self) -> frozenset[str]:
        """Members of the monmap, which exist whatever is decided."""
        cluster = self.facts.cluster
        return frozenset(mon.name for mon in cluster.mons) if cluster else frozenset()

    @property
    def candidates(self) -> tuple[Host, ...]:
        return placement.eligible(self.facts, DaemonType.MON)

    def rules(self, taken: Sequence[PlacedMon] = (), existing: Collection[str] = ()) -> Rules:
        """Placement's rules; mons that are no members will go, or are made anew."""
        mons = (mon for _, mon in self.facts.daemons(DaemonType.MON) if mon.id not in existing)
        hosts = [mon.host for mon in taken if mon.host and mon.name not in existing]
        return Rules(
            spec=self.spec,
            facts=self.facts,
            kind=DaemonType.MON,
            leaving=frozenset(str(mon.name) for mon in mons),
            joining=tuple(self.facts.hosts[name] for name in hosts),
        )

    def evicted(self, host: Host) -> str:
        """Why a mon has to leave a host, or nothing."""
        why = self.rules().eviction(host)
        return f"its host {host.name} may not keep it: {why}" if why else ""

    def excluded(self, taken: Sequence[PlacedMon], existing: Collection[str]) -> tuple[Reason, ...]:
        """Why hosts without a mon get none."""
        free = [host for host in self.candidates if host.name not in {mon.host for mon in taken}]
        return (*self.unfit(), *host_rules.excluded(self.rules(taken, existing), free))

    def unfit(self) -> tuple[Reason, ...]:
        return tuple(reason for host in self.candidates if (reason := self._unfit(host)))

    def address(self, host: Host) -> str | None:
        """The IP of a mon on a host: empty where its supervisor will make one for it."""
        if host.mon_services:
            return ""
        shared = addresses.shared(self.facts.hosts.values())
        family = self.spec.network.ip_family
        return addresses.mon_address(host, self.spec.public_ranges, family, shared)

    def place(
        self,
        name: str,
        taken: Sequence[PlacedMon],
        existing: Collection[str] = (),
        only: Host | None = None,
    ) -> PlacedMon | None:
        """A place for one more mon beside those that are there; `existing` ones are made.

        With `only` that host or none.
        """
        ready = [host for host in self.candidates if self._unfit(host) is None]
        if only is not None:
            ready = [host for host in ready if host.name == only.name]
        hosts = [mon.host for mon in taken]
        per_host = None if self.spec.mon.allow_multiple_per_node else 1
        chosen = placement.choose(
            1,
            ready,
            load=lambda host: hosts.count(host.name),
            per_host=per_host,
            rules=self.rules(taken, existing),
        )
        address = self.address(chosen[0]) if chosen else None
        if not chosen or address is None:
            return None
        served = chosen[0].mon_services
        beside = [] if served else [mon.ports for mon in taken if mon.address == address]
        return PlacedMon(
            name=name,
            host=chosen[0].name,
            address=address,
            ports=self.ports(beside),
            served=served,
        )

    def ports(self, used: Collection[Ports]) -> Ports:
        """The first pair that no mon at the same address has; Ceph's own for the first mon."""
        v2 = {ports.v2 for ports in used} | {ports.v1 - MSGR1_PORT + MSGR2_PORT for ports in used}
        step = next(step for step in range(2 * MOST_MONS + 1) if MSGR2_PORT + step not in v2)
        old = 0 if network.requires_msgr2(self.spec) else MSGR1_PORT + step
        return Ports(v2=MSGR2_PORT + step, v1=old)

    def _unfit(self, host: Host) -> Reason | None:
        if not host.reachable:
            return None  # the plan itself names hosts that did not answer
        if "ceph-mon" not in host.binaries:
            text = "ceph-mon is not installed; install the package ceph-mon"
            return Reason(code="MissingPackage", host=host.name, message=text)
        if self.address(host) is None:
            return Reason(code="NoAddress", host=host.name, message=self._no_address())
        return None

    def _no_address(self) -> str:
        ranges, family = self.spec.public_ranges, self.spec.network.ip_family
        where = f" inside {', '.join(ranges)}" if ranges else ""
        kind = f"{family} address" if family else "address"
        text = f"has no {kind}{where} for a mon that no other host has too"
        return f"{text}; set ansible_host to an IP"
