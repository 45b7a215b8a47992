"""Addresses of pods and Services, of each cluster its own: the machine routes to all of them."""

from ipaddress import IPv4Network

SPACE = IPv4Network("100.64.0.0/10")  # RFC 6598; 4096 times 1024 addresses
SIZE = 1024
MOST_NODES = 12


def inner(net: IPv4Network) -> IPv4Network:
    """Return the network of Services and pods that belongs to a network of nodes.

    Labs have networks from 10.224.0.0/24 to 10.239.255.0/24 (`lab.network`): 4096 of them.
    """
    index = int(net.network_address) >> 8 & 0xFFF
    return IPv4Network((int(SPACE.network_address) + index * SIZE, 22))


def services(net: IPv4Network) -> IPv4Network:
    """Return the first quarter."""
    return next(inner(net).subnets(new_prefix=24))


def pods(net: IPv4Network, number: int) -> IPv4Network:
    """Return the pods' network of a node, which is counted from 1."""
    quarter = SIZE // 4
    first = int(services(net).network_address) + quarter
    return IPv4Network((first + (number - 1) * 64, 26))
