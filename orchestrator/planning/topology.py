"""Labels of hosts as CRUSH locations, with Rook's keys and names.

A host whose bucket is in the CRUSH map stays where that is: Ceph itself does not move a host for
what its OSDs say at their start, and neither does Rook. Moving it moves data, and is a person's
decision; the plan names the command.
"""

from collections.abc import Iterator, Mapping

from orchestrator.model.facts import Facts, Host
from orchestrator.model.names import HostName
from orchestrator.model.plan import Reason
from orchestrator.model.spec import CephClusterSpec

ROOK = "topology.rook.io/"
LEVELS: Mapping[str, str] = {
    "region": "topology.kubernetes.io/region",
    "zone": "topology.kubernetes.io/zone",
    **{
        level: f"{ROOK}{level}"
        for level in ("datacenter", "room", "pod", "pdu", "row", "rack", "chassis")
    },
}
"""CRUSH levels above a host, the widest first, and the labels that name their buckets."""

ROOT = "default"


def crush_name(text: str) -> str:
    """CRUSH names know no dots: Rook writes dashes in their place."""
    return text.replace(".", "-")


def labelled(host: Host) -> dict[str, str]:
    """The buckets that a host's labels put it into, the widest first."""
    return {
        level: crush_name(host.labels[label])
        for level, label in LEVELS.items()
        if host.labels.get(label)
    }


def root(spec: CephClusterSpec) -> str:
    return spec.storage.config.get("crushRoot") or ROOT


def location(spec: CephClusterSpec, facts: Facts, host: Host) -> str:
    """The value of `crush_location` in the host's ceph.conf, in Rook's order."""
    buckets, present = labelled(host), _in_map(facts, host)
    if present is not None:
        buckets = {level: present[level] for level in buckets if level in present}
    levels = "".join(f" {level}={name}" for level, name in sorted(buckets.items()))
    return f"root={root(spec)} host={crush_name(str(host.name))}{levels}"


def _in_map(facts: Facts, host: Host) -> Mapping[str, str] | None:
    """Where the CRUSH map has the host; None when it does not have it."""
    return facts.cluster.crush_hosts.get(crush_name(str(host.name))) if facts.cluster else None


def notices(spec: CephClusterSpec, facts: Facts) -> Iterator[Reason]:
    """Hosts that are elsewhere in the CRUSH map than their labels say."""
    for host in facts.hosts.values():
        wanted, present = labelled(host), _in_map(facts, host)
        if present is None or all(present.get(level) == wanted[level] for level in wanted):
            continue
        words = " ".join(f"{level}={name}" for level, name in wanted.items())
        name = crush_name(str(host.name))
        text = f"its labels say {words}, and its OSDs are elsewhere in the CRUSH map; they stay. "
        move = f"`ceph osd crush move {name} root={present.get('root', root(spec))} {words}`"
        yield Reason(
            code="TopologyDiffers", host=host.name, message=f"{text}{move} moves them, and data"
        )


def conflicts(spec: CephClusterSpec, facts: Facts) -> dict[HostName, str]:
    """New hosts whose labels cannot be one CRUSH map with what there is and the hosts before.

    A name belongs to one bucket: of one level, and in one bucket of each wider level.
    """
    types = {root(spec): "root", **{crush_name(str(name)): "host" for name in facts.hosts}}
    above: dict[str, dict[str, str]] = {}
    found: dict[HostName, str] = {}
    for host, present in _present_first(facts):
        buckets = labelled(host) if present is None else present
        why = next(_conflicts(buckets, types, above), "") if present is None else ""
        if why:
            found[host.name] = why
            continue
        for level, name in buckets.items():
            types[name] = level
            above.setdefault(name, {}).update(_wider(buckets, level))
    return found


def _present_first(facts: Facts) -> list[tuple[Host, dict[str, str] | None]]:
    """Hosts with the levels that the CRUSH map has them in; None for those that are not there."""
    seen = [(host, _in_map(facts, host)) for host in facts.hosts.values()]
    levels = [
        (host, None if place is None else {one: place[one] for one in LEVELS if one in place})
        for host, place in seen
    ]
    return sorted(levels, key=lambda pair: pair[1] is None)


def _conflicts(
    buckets: Mapping[str, str], types: Mapping[str, str], above: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    names = list(buckets.values())
    for level, name in buckets.items():
        if types.get(name, level) != level or names.count(name) > 1:
            other = types.get(name) or next(one for one in buckets if one != level)
            yield f"its labels call a {level} {name}, and that is the name of a {other} already"
        for wider, parent in _wider(buckets, level).items():
            known = above.get(name, {}).get(wider, parent)
            if known != parent:
                text = f"its labels put {level} {name} into {wider} {parent}"
                yield f"{text}, and others into {known}"


def _wider(buckets: Mapping[str, str], level: str) -> dict[str, str]:
    order = list(LEVELS)
    return {one: name for one, name in buckets.items() if order.index(one) < order.index(level)}
