"""The IP address by which a mon is known for all its life."""

import ipaddress
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from orchestrator.model.facts import Host

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
FAMILIES = {"IPv4": 4, "IPv6": 6}


def mon_address(
    host: Host,
    public_ranges: Sequence[str],
    family: str | None = None,
    shared: Collection[str] = (),
) -> str | None:
    """A bare IP of `host`, inside `public_ranges` (CIDRs) when there are any; None if it has none.

    The address that the inventory uses comes first: it is the one that is known to be reachable.
    One that is `shared`, as the bridges of containers have it on every host, names no host.
    """
    own = (text for text in of_host(host) if text not in shared)
    return next((text for text in own if fits(text, public_ranges, family)), None)


def shared(hosts: Iterable[Host]) -> frozenset[str]:
    """The IPs that more than one host claims to have."""
    counts = Counter(text for host in hosts for text in set(of_host(host)))
    return frozenset(text for text, count in counts.items() if count > 1)


def of_host(host: Host) -> Iterator[str]:
    """The bare IPs by which others may reach a host: never loopback or link-local ones."""
    for text in (host.address, *host.addresses):
        address = _parse(text)
        if address and is_usable(address):
            yield str(address)


def fits(text: str, ranges: Sequence[str], family: str | None) -> bool:
    """Whether an IP is of the family, and inside one of the ranges if there are any."""
    address = _parse(text)
    if address is None or (family and address.version != FAMILIES[family]):
        return False
    networks = [ipaddress.ip_network(one, strict=False) for one in ranges]
    return not networks or any(_inside(address, network) for network in networks)


def is_usable(address: Address) -> bool:
    """Whether other hosts can know a mon by it."""
    special = (address.is_loopback, address.is_link_local, address.is_unspecified)
    return not any((*special, address.is_multicast))


def is_reachable(text: str) -> bool:
    address = _parse(text)
    return address is not None and is_usable(address)


def family_of(text: str) -> str:
    """IPv4, IPv6, or nothing for what is no address."""
    address = _parse(text)
    return f"IPv{address.version}" if address else ""


def _parse(text: str) -> Address | None:
    try:
        return ipaddress.ip_interface(text).ip
    except ValueError:
        return None


def _inside(address: Address, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    return address.version == network.version and address in network
