"""Which entry of `storage.nodes` means which host (CASES C13).

Names are the inventory's, short or full, in any case. One name for two hosts, or two for one host,
is refused: a guess would choose whose disks are taken. The inventory's name is the one that is used
everywhere after this.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.model import endpoints
from orchestrator.model.facts import Host
from orchestrator.model.names import HostName
from orchestrator.model.plan import Reason
from orchestrator.model.spec import CephClusterSpec, Node
from orchestrator.planning.selectors import Selector, selector

SHOWN = 8
"""Names that one message lists; an inventory can have hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The selector of each host that is used for storage; the others are not in `selectors`."""

    selectors: Mapping[HostName, Selector]
    nodes: Mapping[HostName, Node] = field(default_factory=dict)
    refused: tuple[Reason, ...] = ()
    unknown: tuple[Reason, ...] = ()


def assign(spec: CephClusterSpec, hosts: Sequence[Host]) -> Assignment:
    """Give every host of `hosts` its selector."""
    if spec.storage.use_all_nodes:
        common = selector(spec, None)
        return Assignment(selectors={host.name: common for host in hosts})
    nodes = spec.storage.nodes
    found = tuple(zip(nodes, _matches(nodes, hosts), strict=True))
    ambiguous = tuple(_ambiguous(found))
    doubted = {name for _, names in ambiguous for name in names}
    meant = {names[0]: node for node, names in found if names and names[0] not in doubted}
    return Assignment(
        selectors={name: selector(spec, node) for name, node in meant.items()},
        nodes=meant,
        refused=tuple(reason for reason, _ in ambiguous),
        unknown=tuple(_unknown(node, hosts) for node, names in found if not names),
    )


def _matches(nodes: Iterable[Node], hosts: Sequence[Host]) -> Iterator[tuple[HostName, ...]]:
    """The hosts that each node's name may mean; an exact name means its host alone."""
    full = {str(host.name).lower(): host.name for host in hosts}
    short: dict[str, list[HostName]] = {}
    for name, host in full.items():
        if not endpoints.is_address(name):
            short.setdefault(_first(name), []).append(host)
    for node in nodes:
        wanted = node.name.lower()
        if wanted in full:
            yield (full[wanted],)
        elif "." in wanted:
            yield tuple(full[name] for name in [_first(wanted)] if name in full)
        else:
            yield tuple(short.get(wanted, ()))


def _first(name: str) -> str:
    return name.split(".", 1)[0]


def _ambiguous(
    found: Sequence[tuple[Node, tuple[HostName, ...]]],
) -> Iterator[tuple[Reason, tuple[HostName, ...]]]:
    taken: dict[HostName, str] = {}
    for node, names in found:
        if len(names) > 1:
            text = f"storage.nodes names {node.name}, and the inventory has {', '.join(names)}; "
            yield _refusal(f"{text}write the full name of the one that is meant"), names
        elif names and names[0] in taken:
            text = f"storage.nodes names {names[0]} twice: {taken[names[0]]} and {node.name}; "
            yield _refusal(f"{text}keep one of them"), names
        elif names:
            taken[names[0]] = node.name


def _refusal(message: str) -> Reason:
    return Reason(
        code="AmbiguousNode", message=f"{message}. No disk of such a host is taken until then"
    )


def _unknown(node: Node, hosts: Sequence[Host]) -> Reason:
    known = ", ".join(str(host.name) for host in hosts[:SHOWN])
    more = f" and {len(hosts) - SHOWN} more" if len(hosts) > SHOWN else ""
    text = f"storage.nodes names {node.name}, and the inventory has no such host for OSDs"
    return Reason(code="NodeNotFound", message=f"{text}; it has {known}{more}")
