"""The disks of all hosts, judged once for a plan: steps, reasons and status are drawn from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from orchestrator.model.decisions import Decision
from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import (
    host_rules,
    labels,
    nodes,
    placement,
    selection,
    shared_disks,
    topology,
)
from orchestrator.planning.selectors import Selector

OUTSIDE = f"it is not in the inventory's group {host_rules.GROUPS[DaemonType.OSD]}"


@dataclass(frozen=True, kw_only=True)
class Survey:
    """Every part is computed when it is first asked for, and then kept."""

    spec: CephClusterSpec
    facts: Facts
    fsid: Fsid | None

    @cached_property
    def hosts(self) -> tuple[Host, ...]:
        """Hosts that may hold OSDs, whether they answered or not."""
        return placement.eligible(self.facts, DaemonType.OSD)

    @cached_property
    def assignment(self) -> nodes.Assignment:
        return nodes.assign(self.spec, self.hosts)

    @cached_property
    def places(self) -> labels.Places:
        return labels.places(self.facts, self.fsid)

    @cached_property
    def cloned(self) -> frozenset[str]:
        return labels.duplicates(self.places)

    @cached_property
    def moved(self) -> tuple[labels.Moved, ...]:
        return tuple(labels.moved(self.facts, self.places))

    @cached_property
    def decisions(self) -> Mapping[HostName, tuple[Decision, ...]]:
        """The verdicts on the devices of every host of the inventory that answered."""
        alone = {
            host.name: self._decided(host) for host in self.facts.hosts.values() if host.reachable
        }
        return shared_disks.left(self.facts, alone)

    @property
    def devices(self) -> tuple[Decision, ...]:
        return tuple(one for decisions in self.decisions.values() for one in decisions)

    def _decided(self, host: Host) -> tuple[Decision, ...]:
        why = self.exclusion(host)
        return selection.decide(host, self.selector(host), self.fsid, self.cloned, why)

    @cached_property
    def excluded(self) -> Mapping[HostName, str]:
        """Why no OSD is made on hosts that a group, the placement or their labels leave out."""
        members = {host.name for host in self.hosts}
        found = {
            host.name: self._refusal(host) if host.name in members else OUTSIDE
            for host in self.facts.hosts.values()
        }
        return {name: why for name, why in found.items() if why}

    def _refusal(self, host: Host) -> str:
        return host_rules.osd_refusal(self.spec, host) or self.conflicts.get(host.name, "")

    @cached_property
    def conflicts(self) -> Mapping[HostName, str]:
        return topology.conflicts(self.spec, self.facts)

    def selector(self, host: Host) -> Selector | None:
        """The storage section as it holds for a host; None where no new OSD may be made."""
        return None if host.name in self.excluded else self.assignment.selectors.get(host.name)

    def exclusion(self, host: Host) -> str:
        """Why the manifest asks for no device of a host, or nothing."""
        if host.name in self.assignment.selectors or host.name in self.excluded:
            return self.excluded.get(host.name, "")
        return "this host is not in storage.nodes"
