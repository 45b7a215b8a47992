"""The mons that exist: where each member of the monmap lives, and why it could not stay there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.model import endpoints
from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import HostName
from orchestrator.model.plan import PlacedMon
from orchestrator.model.spec import CephClusterSpec, durations
from orchestrator.planning import addresses

DEFAULT_TIMEOUT = 600.0
"""Rook's: a mon that is out of quorum for longer is replaced."""


def members(facts: Facts) -> tuple[PlacedMon, ...]:
    """The monmap with each member's host, or None when no known host is its home."""
    homes = _homes(facts)
    found = _from_monmap(facts) if facts.cluster else _from_hosts(facts)
    served = any(host.mon_services for host in facts.hosts.values())
    return tuple(
        replace(mon, host=_home(facts, homes, mon), served=served and mon.address not in homes)
        for mon in found
    )


def _from_monmap(facts: Facts) -> Iterator[PlacedMon]:
    for member in facts.cluster.mons if facts.cluster else ():
        address, ports = endpoints.read(member.addrs)
        yield PlacedMon(name=member.name, host=None, address=address, ports=ports)


def _from_hosts(facts: Facts) -> Iterator[PlacedMon]:
    """Without quorum: the members of the newest monmap that a mon still holds."""
    held = [mon for _, mon in facts.daemons(DaemonType.MON) if mon.fsid]
    newest = max(held, key=lambda mon: mon.monmap_epoch, default=None)
    for member in newest.monmap if newest else ():
        _, ports = endpoints.read(member.addrs)
        known = ports if member.addrs else endpoints.BOTH
        yield PlacedMon(name=member.name, host=None, address=member.addr, ports=known)


def _homes(facts: Facts) -> Mapping[str, HostName]:
    """Which host an address means: none, if several have it."""
    ambiguous = addresses.shared(facts.hosts.values())
    return {
        text: host.name
        for host in facts.hosts.values()
        for text in addresses.of_host(host)
        if text not in ambiguous
    }


def _home(facts: Facts, homes: Mapping[str, HostName], mon: PlacedMon) -> HostName | None:
    """Its address tells; data of the same name elsewhere is what somebody left behind.

    A host that does not answer has data of which nothing is known, so it is named by nobody.
    """
    host = facts.hosts.get(homes[mon.address]) if mon.address in homes else None
    if host is not None:
        return host.name if host.reachable else None
    holders = [at.name for at, daemon in facts.daemons(DaemonType.MON) if _knows(daemon, mon)]
    return holders[0] if len(holders) == 1 else None


def _knows(daemon: Daemon, mon: PlacedMon) -> bool:
    """Whether a store has the member under the same address: an older mon of that name has not."""
    known = any(one.name == mon.name and one.addr == mon.address for one in daemon.monmap)
    return _is(daemon, mon) and known


def _is(daemon: Daemon, mon: PlacedMon) -> bool:
    return daemon.data and daemon.id == mon.name


def holds(facts: Facts, mon: PlacedMon) -> bool:
    """Whether a mon's host has its data."""
    host = facts.hosts.get(mon.host) if mon.host else None
    return host is not None and any(_is(one, mon) for one in host.daemons_of(DaemonType.MON))


def lacks_data(facts: Facts, mon: PlacedMon) -> bool:
    """Its own host answers and has nothing of it, so it is made again there.

    A creation that was cut leaves such members, and so does a data directory removed by hand.
    """
    host = facts.hosts.get(mon.host) if mon.host else None
    return host is not None and host.reachable and not holds(facts, mon)


def can_be_mended(facts: Facts, mon: PlacedMon) -> bool:
    """Whether its host answers and it only has to be started, or made again."""
    host = facts.hosts.get(mon.host) if mon.host else None
    if host is None or not host.reachable:
        return False
    own = [one for one in host.daemons_of(DaemonType.MON) if _is(one, mon)]
    return not own or not own[0].running


def _gave_up(facts: Facts, mon: PlacedMon) -> bool:
    """Whether its supervisor tried for long and does not any more."""
    host = facts.hosts.get(mon.host) if mon.host else None
    own = host.daemons_of(DaemonType.MON) if host else ()
    return any(_is(one, mon) and one.active == "failed" for one in own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Finds what is wrong with members; `evicted` says why a host may not keep its mon, or "".

    A mon in quorum serves at its address, whatever its host says of its own: behind a translation
    of addresses both are right.
    """

    spec: CephClusterSpec
    facts: Facts
    evicted: Callable[[Host], str]

    def faults(self, mons: Sequence[PlacedMon]) -> dict[str, str]:
        """Why each faulty member has to be replaced, by name."""
        found = {mon.name: self._fault(mon) for mon in mons}
        for mon in self._doubled(mons, found):
            found[mon.name] = f"mon.{mon.name} shares its host, and allowMultiplePerNode is false"
        return {name: why for name, why in found.items() if why}

    def _fault(self, mon: PlacedMon) -> str:
        return self._misplaced(mon) or self._misaddressed(mon) or self._timed_out(mon)

    def _misplaced(self, mon: PlacedMon) -> str:
        silent = any(not host.reachable for host in self.facts.hosts.values())
        if mon.host is not None:
            return self.evicted(self.facts.hosts[mon.host])
        at = next((one for one in self.facts.hosts.values() if one.address == mon.address), None)
        if at is not None:
            return self.evicted(at)
        return "" if silent or not mon.address else f"no host of the inventory has {mon.address}"

    def _misaddressed(self, mon: PlacedMon) -> str:
        family = self.spec.network.ip_family
        if mon.address and not addresses.fits(mon.address, (), family):
            return f"its address {mon.address} is not of the family {family}"
        if mon.served:
            return ""
        if mon.address and not addresses.fits(mon.address, self.spec.public_ranges, None):
            ranges = ", ".join(self.spec.public_ranges)
            return f"its address {mon.address} is outside {ranges}"
        if mon.address and not addresses.is_reachable(mon.address):
            return f"no other host can reach its address {mon.address}"
        return self._unhomed(mon)

    def _unhomed(self, mon: PlacedMon) -> str:
        quorum = self.facts.cluster.quorum_names if self.facts.cluster else ()
        host = self.facts.hosts.get(mon.host) if mon.host else None
        if host is None or mon.name in quorum or mon.address in addresses.of_host(host):
            return ""
        return f"its host does not have the address {mon.address} any more"

    def _timed_out(self, mon: PlacedMon) -> str:
        """Rook replaces what was out for longer than the timeout; 0 is never.

        What was only stopped is started instead.
        """
        limit, outage = timeout(self.spec), self.facts.outages.get(mon.name)
        if not limit or outage is None or outage.seconds <= limit:
            return ""
        if can_be_mended(self.facts, mon) and not _gave_up(self.facts, mon):
            return ""
        return f"out of quorum for {outage.seconds:.0f} s, longer than {limit:.0f} s"

    def _doubled(self, mons: Sequence[PlacedMon], faults: Mapping[str, str]) -> Iterator[PlacedMon]:
        """Later mons of a host that may have one; what is to go anyway does not count."""
        seen: set[HostName] = set()
        for mon in mons:
            if self.spec.mon.allow_multiple_per_node or mon.host is None or faults[mon.name]:
                continue
            if mon.host in seen:
                yield mon
            seen.add(mon.host)


def timeout(spec: CephClusterSpec) -> float:
    """Seconds after which a mon is replaced; 0 for never. Rook's default for what is no time."""
    check = spec.health_check.daemon_health.mon
    if check.disabled:
        return 0.0
    found = durations.seconds(check.timeout)
    return DEFAULT_TIMEOUT if found is None or found < 0 else found
