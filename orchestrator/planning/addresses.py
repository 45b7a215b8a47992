"""The IP address by which a mon is known for all its life."""

import ipaddress
from collections.abc import Sequence

from orchestrator.model.facts import Host


def mon_address(host: Host, public_ranges: Sequence[str]) -> str | None:
    """A bare IP of `host`, inside `public_ranges` (CIDRs) when there are any; None if it has none.

    The address that the inventory uses comes first: it is the one that is known to be reachable.
    """
    ranges = [ipaddress.ip_network(text, strict=False) for text in public_ranges]
    for text in (host.address, *host.addresses):
        address = _parse(text)
        if address and (not ranges or any(_inside(address, network) for network in ranges)):
            return str(address)
    return None


def _parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_interface(text).ip
    except ValueError:
        return None
    return None if address.is_loopback or address.is_link_local else address


def _inside(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> bool:
    return address.version == network.version and address in network


def host_of(addr: str) -> str:
    """The bare IP in one of Ceph's addresses: `v2:[fd00::1]:3300/0` gives `fd00::1`."""
    text = addr.split("/", 1)[0]
    if text.startswith(("v1:", "v2:")):
        text = text[3:]
    return text.rpartition(":")[0].strip("[]")
