"""Where the mons are, and where those that are missing will be.

Members of the monmap come first, whatever the manifest says: a mon is never lost sight of because
its host did not answer. Places for missing ones are chosen by placement's rules.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.model.facts import DaemonType, Facts, Host
from orchestrator.model.plan import PlacedMon, Reason
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import addresses, placement
from orchestrator.planning.identity import Fresh, Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Mons:
    """The wanted mons, of which `missing` are still to be made."""

    placed: tuple[PlacedMon, ...] = ()
    missing: tuple[PlacedMon, ...] = ()
    forming: bool = False
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()

    @property
    def wanted(self) -> tuple[PlacedMon, ...]:
        return (*self.placed, *self.missing)


def locate(spec: CephClusterSpec, facts: Facts, identity: Known | Fresh) -> Mons:
    """Existing mons with their places, and places for those that are missing."""
    if isinstance(identity, Fresh):
        return _forming(spec, facts)
    members = _from_monmap(facts) if facts.cluster else _from_hosts(facts)
    placed, empty = _rehomed(facts, members)
    found = _place_missing(spec, facts, members)
    surplus = len(members) - spec.mon.count
    notices = (_surplus(spec, len(members)),) if surplus > 0 else ()
    return replace(
        found,
        placed=placed,
        missing=(*empty, *found.missing),
        notices=(*found.notices, *notices),
    )


def _rehomed(
    facts: Facts, members: Sequence[PlacedMon]
) -> tuple[tuple[PlacedMon, ...], tuple[PlacedMon, ...]]:
    """Members with their data, and those whose own host answers and has none: these are remade.

    A creation that was cut leaves such members, and so does a data directory removed by hand. A
    member on a host that does not answer stays where it is.
    """
    homes = {address: host for host in facts.hosts.values() for address in _addresses(host)}
    empty = tuple(
        replace(mon, host=homes[mon.address].name)
        for mon in members
        if mon.host is None and mon.address in homes and homes[mon.address].reachable
    )
    lacking = {mon.name for mon in empty}
    return tuple(mon for mon in members if mon.name not in lacking), empty


def _addresses(host: Host) -> tuple[str, ...]:
    texts = (host.address, *(text.split("/", 1)[0] for text in host.addresses))
    return tuple(text for text in texts if text)


def _forming(spec: CephClusterSpec, facts: Facts) -> Mons:
    """The same places as at the first try, computed as if the mons made so far were not there."""
    found = _place_missing(spec, facts, ())
    stray = tuple(_strays(facts, found.missing))
    if stray:
        return replace(found, missing=(), blocked=(*found.blocked, *stray))
    made = {mon.id for _, mon in facts.daemons(DaemonType.MON) if mon.data}
    return replace(
        found,
        forming=True,
        placed=tuple(mon for mon in found.missing if mon.name in made),
        missing=tuple(mon for mon in found.missing if mon.name not in made),
    )


def _strays(facts: Facts, places: Sequence[PlacedMon]) -> Iterator[Reason]:
    expected = {(mon.name, mon.host) for mon in places}
    for host, mon in facts.daemons(DaemonType.MON):
        if mon.data and (mon.id, host.name) not in expected:
            yield Reason(
                code="InterruptedCreation",
                host=host.name,
                message=f"{mon.name} was made by an earlier try that never reached quorum, and "
                "the manifest or inventory now asks for other places. It holds no data yet: "
                f"remove /var/lib/ceph/mon/ceph-{mon.id} there, or restore the old input",
            )


def _from_monmap(facts: Facts) -> tuple[PlacedMon, ...]:
    holders = {mon.id: host.name for host, mon in facts.daemons(DaemonType.MON) if mon.data}
    members = facts.cluster.mons if facts.cluster else ()
    return tuple(
        PlacedMon(
            name=member.name,
            host=holders.get(member.name),
            address=addresses.host_of(member.addrs[0]) if member.addrs else "",
        )
        for member in members
    )


def _from_hosts(facts: Facts) -> tuple[PlacedMon, ...]:
    """Without quorum: the members of the newest monmap that a mon still holds."""
    held = [(host, mon) for host, mon in facts.daemons(DaemonType.MON) if mon.fsid]
    holders = {mon.id: host.name for host, mon in held}
    newest = max(held, key=lambda pair: pair[1].monmap_epoch, default=None)
    members = newest[1].monmap if newest else ()
    return tuple(
        PlacedMon(name=member.name, host=holders.get(member.name), address=member.addr)
        for member in members
    )


def _place_missing(spec: CephClusterSpec, facts: Facts, placed: Sequence[PlacedMon]) -> Mons:
    lacking = spec.mon.count - len(placed)
    if lacking <= 0:
        return Mons()
    candidates = placement.eligible(facts, DaemonType.MON)
    ready, unfit = _sort_out(candidates, spec.public_ranges)
    taken = {mon.host for mon in placed}
    places = placement.choose(lacking, ready, load=lambda host: int(host.name in taken), per_host=1)
    if len(places) < lacking:
        return Mons(blocked=(_too_few(spec, len(placed) + len(places)), *unfit))
    letters = placement.next_names(lacking, [mon.name for mon in placed])
    missing = (
        PlacedMon(name=letter, host=host.name, address=_address(host, spec))
        for letter, host in zip(letters, places, strict=True)
    )
    return Mons(missing=tuple(missing), notices=unfit)


def _address(host: Host, spec: CephClusterSpec) -> str:
    return addresses.mon_address(host, spec.public_ranges) or ""


def _sort_out(
    candidates: Sequence[Host], ranges: Sequence[str]
) -> tuple[tuple[Host, ...], tuple[Reason, ...]]:
    reasons = {host.name: _unfit(host, ranges) for host in candidates}
    ready = tuple(host for host in candidates if reasons[host.name] is None)
    return ready, tuple(reason for reason in reasons.values() if reason)


def _unfit(host: Host, ranges: Sequence[str]) -> Reason | None:
    if not host.reachable:
        return None  # the plan itself names hosts that did not answer
    if "ceph-mon" not in host.binaries:
        text = "ceph-mon is not installed; install the package ceph-mon"
        return Reason(code="MissingPackage", host=host.name, message=text)
    if addresses.mon_address(host, ranges) is None:
        where = f" inside {', '.join(ranges)}" if ranges else ""
        text = f"has no address{where} for a mon; set ansible_host to an IP"
        return Reason(code="NoAddress", host=host.name, message=text)
    return None


def _too_few(spec: CephClusterSpec, possible: int) -> Reason:
    why = (
        "mons on one host would share its address and port"
        if spec.mon.allow_multiple_per_node
        else "allowMultiplePerNode is false"
    )
    return Reason(
        code="MonPlacement",
        message=f"cannot start {spec.mon.count} mons on {possible} node(s) when {why}; "
        "add hosts or lower spec.mon.count",
    )


def _surplus(spec: CephClusterSpec, existing: int) -> Reason:
    return Reason(
        code="MonSurplus",
        message=f"{existing} mons exist and spec.mon.count is {spec.mon.count}; "
        "this release adds mons and never removes one",
    )


def electing(facts: Facts) -> bool:
    """True while mons that are a majority of their map run, and none of them leads yet."""
    if facts.cluster:
        return False
    held = [mon for _, mon in facts.daemons(DaemonType.MON) if mon.fsid]
    newest = max(held, key=lambda mon: mon.monmap_epoch, default=None)
    if newest is None:
        return False
    members = {member.name for member in newest.monmap}
    running = {mon.id for mon in held if mon.running and mon.mon_state}
    return 2 * len(running & members) > len(members)
