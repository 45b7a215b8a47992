"""On what a look into nodes' disks was made, and which nodes need a new one (pure)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator import planning
from orchestrator.ansible import facts as answers
from orchestrator.ansible.kubernetes import meant, nodes
from orchestrator.ansible.kubernetes.discovery import Discovered
from orchestrator.model.facts import Host
from orchestrator.model.manifest import parse_object
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Outcome
from orchestrator.model.spec.lifecycle import DESTROY

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a look depends on: the manifest and the node, and what a discovery daemon told.

    It is read before the look: a disk that comes during it is news afterwards.
    """

    signature: str = ""
    discovered: Discovered = field(default_factory=Discovered)

    def stale(self, now: "Ground") -> bool:
        """Whether a look made on this one is of no use `now`."""
        return self.signature != now.signature or now.discovered.news(self.discovered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The last look into a node's disks, and what it was made on."""

    ground: Ground
    report: Raw


NO_NOTE = Note(ground=Ground(), report={})


def of_nodes(
    found: Sequence[nodes.Node], spec: Raw, discovered: Mapping[str, Discovered]
) -> dict[HostName, Ground]:
    """The grounds of now; `discovered` is by the names of the Node objects."""
    return {
        node.member.name: Ground(
            signature=nodes.signature(node, meant.of_node(spec, node.member.name)),
            discovered=discovered.get(node.object_name, Discovered()),
        )
        for node in found
    }


def searched(raw: Raw, found: Sequence[nodes.Node], outcome: Outcome, *, asked: bool) -> list[Host]:
    """Nodes that may hold OSDs.

    Nothing is made of disks before the mons have a quorum, so nobody looks before Ceph could be
    `asked`, though the pods for it may be on their way while a first quorum comes about. A cluster
    that is deleted has none any more: its disks are looked for on all nodes, if they are to be
    cleared.
    """
    deleting = "deletionTimestamp" in raw["metadata"]
    manifest = {name: value for name, value in raw.items() if name != "operator"}
    spec = parse_object(manifest, source="the CephCluster").cluster.spec
    wanted = spec.cleanup_policy.confirmation == DESTROY if deleting else asked
    if not wanted:
        return []
    seen = answers.gathered(tuple(node.member for node in found), outcome)
    if deleting:
        return list(seen.hosts.values())
    survey, _ = planning.survey(spec, seen)
    return [host for host in survey.hosts if survey.selector(host) is not None]


def unlooked(
    hosts: Sequence[Host], now: Mapping[HostName, Ground], notes: Mapping[HostName, Note]
) -> list[HostName]:
    """Those of which nothing is known that still holds."""
    return [
        host.name
        for host in hosts
        if host.reachable
        and notes.get(host.name, NO_NOTE).ground.stale(now.get(host.name, Ground()))
    ]
