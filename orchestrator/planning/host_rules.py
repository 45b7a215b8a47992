"""What the manifest and the inventory say of a host for a kind of daemon, in words.

A new daemon is held to all of Kubernetes' rules. A running one leaves its host only for what would
make Rook start it elsewhere: the group, the required nodeAffinity, or a taint with NoExecute.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.plan import Reason
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.kube import Placement
from orchestrator.planning import node_affinity, placing, pods, tolerations
from orchestrator.planning.pod_affinity import Neighbours
from orchestrator.planning.pods import Placed, Pod
from orchestrator.planning.spreading import Spread

GROUPS = {DaemonType.MON: "mons", DaemonType.MGR: "mgrs", DaemonType.OSD: "osds"}

BEST = 100
TAINTS, NODES, SPREAD, PODS = 3, 2, 2, 2
"""Weights of the scheduler's plugins, as Kubernetes has them by default."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules for new daemons of a kind; those in `leaving` (like `mon.a`) count as gone.

    `joining` are hosts that have been chosen for daemons of the kind already.
    """

    spec: CephClusterSpec
    facts: Facts
    kind: DaemonType
    leaving: frozenset[str] = frozenset()
    joining: tuple[Host, ...] = ()

    @property
    def namespace(self) -> str:
        return self.facts.namespace

    @cached_property
    def pod(self) -> Pod:
        return pods.pod(self.spec, self.kind, "", self.namespace)

    @cached_property
    def others(self) -> tuple[Placed, ...]:
        if not self.spec.placement:
            return ()
        return tuple(pods.present(self.spec, self.facts, self.namespace, self.leaving))

    @property
    def placement(self) -> Placement:
        return self.pod.placement

    @cached_property
    def group(self) -> str:
        """The inventory's group for this kind; empty when there is none."""
        name = GROUPS[self.kind]
        return name if any(name in host.groups for host in self.facts.hosts.values()) else ""

    def eviction(self, host: Host) -> str:
        """Why a daemon that runs on this host has to leave it, or nothing."""
        return (
            self._outside(host)
            or node_affinity.refusal(host, self.placement.node_affinity)
            or _tainted(tolerations.evicting(host.taints, self.placement.tolerations))
        )

    def refusal(self, host: Host, added: Sequence[Host] = ()) -> str:
        """Why no new daemon goes to this host, given those just placed on `added`, or nothing."""
        return self.unfit(host) or self._crowded(host, added)

    def unfit(self, host: Host) -> str:
        """The part of a refusal that holds whatever else is placed where."""
        return self.eviction(host) or _tainted(
            tolerations.refusing(host.taints, self.placement.tolerations)
        )

    def _outside(self, host: Host) -> str:
        outside = self.group and self.group not in host.groups
        return f"it is not in the inventory's group {self.group}" if outside else ""

    def _crowded(self, host: Host, added: Sequence[Host]) -> str:
        if not self._among_others:
            return ""
        return self._neighbours(added).refusal(host) or self._spread(added).refusal(host)

    @cached_property
    def _among_others(self) -> bool:
        """Whether it matters at all where other daemons are."""
        return any(
            one.pod_affinity or one.pod_anti_affinity or one.topology_spread_constraints
            for one in self.spec.placement.values()
        )

    def _neighbours(self, added: Sequence[Host]) -> Neighbours:
        return Neighbours(pod=self.pod, others=self._all(added), namespace=self.namespace)

    def _spread(self, added: Sequence[Host]) -> Spread:
        hosts = tuple(self.facts.hosts.values())
        return Spread(pod=self.pod, others=self._all(added), hosts=hosts)

    def _all(self, added: Sequence[Host]) -> tuple[Placed, ...]:
        return (
            *self.others,
            *(Placed(pod=self.pod, host=host) for host in (*self.joining, *added)),
        )

    def scores(self, hosts: Sequence[Host], added: Sequence[Host] = ()) -> list[int]:
        """How well each of these hosts fits, as Kubernetes adds it up; more is better."""
        placement = self.placement
        if not self.spec.placement or not hosts:
            return [0] * len(hosts)
        taints = [tolerations.avoided(host.taints, placement.tolerations) for host in hosts]
        nodes = [node_affinity.score(host, placement.node_affinity) for host in hosts]
        parts = [
            (TAINTS, [BEST - one for one in _of_highest(taints)]),
            (NODES, _of_highest(nodes)),
        ]
        if self._among_others:
            neighbours = self._neighbours(added)
            parts += [
                (SPREAD, self._spread(added).scores(hosts)),
                (PODS, _between([neighbours.score(host) for host in hosts])),
            ]
        return [sum(weight * part[at] for weight, part in parts) for at in range(len(hosts))]


def _tainted(taints: Collection[object]) -> str:
    """Name the taints that nothing tolerates."""
    names = ", ".join(str(one) for one in taints)
    return f"nothing tolerates its taint{'s' if len(taints) > 1 else ''} {names}" if names else ""


def _of_highest(values: Sequence[int]) -> list[int]:
    highest = max(values)
    return [BEST * value // highest if highest else value for value in values]


def _between(values: Sequence[int]) -> list[int]:
    low, high = min(values), max(values)
    return [BEST * (value - low) // (high - low) if high > low else 0 for value in values]


UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
"""The taint of a cordoned node, which `storage.scheduleAlways` overrules."""


def osd_refusal(spec: CephClusterSpec, host: Host) -> str:
    """Why no new OSD is made on this host: `osd` and `prepareosd` both have to take it.

    An OSD is where its disk is, so other daemons and domains do not matter.
    """
    always = spec.storage.schedule_always
    taints = [one for one in host.taints if not (always and one.key == UNSCHEDULABLE)]
    for name, placement in (
        ("osd", placing.of(spec, DaemonType.OSD)),
        ("prepareosd", placing.of_preparation(spec)),
    ):
        why = node_affinity.refusal(host, placement.node_affinity) or _tainted(
            tolerations.refusing(taints, placement.tolerations)
        )
        if why:
            return f"placement of {name}: {why}"
    return ""


def excluded(rules: Rules, hosts: Sequence[Host], added: Sequence[Host] = ()) -> Iterator[Reason]:
    """Why hosts that answer are left out, those with the same reason in one sentence."""
    found: dict[str, list[str]] = {}
    for host in hosts:
        why = rules.refusal(host, added) if host.reachable else ""
        if why:
            found.setdefault(why, []).append(str(host.name))
    for why, names in found.items():
        text = f"no new {rules.kind} goes to {', '.join(names)}: {why}"
        yield Reason(code="HostExcluded", message=text)
