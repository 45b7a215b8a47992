"""Addresses of pods and Services: of each cluster its own."""

from ipaddress import IPv4Network

from lab.kubernetes import addresses


def test_the_first_and_the_last_lab_get_the_ends_of_the_space():
    assert addresses.inner(IPv4Network("10.224.0.0/24")) == IPv4Network("100.64.0.0/22")
    assert addresses.inner(IPv4Network("10.239.255.0/24")) == IPv4Network("100.127.252.0/22")


def test_two_labs_share_no_address():
    labs = [IPv4Network(f"10.{second}.{third}.0/24") for second in (224, 230) for third in (0, 9)]
    assert len({addresses.inner(net) for net in labs}) == len(labs)


def test_services_and_the_pods_of_every_node_are_apart_and_inside():
    net = IPv4Network("10.228.54.0/24")
    parts = [addresses.pods(net, n + 1) for n in range(addresses.MOST_NODES)]
    parts.append(addresses.services(net))

    assert all(part.subnet_of(addresses.inner(net)) for part in parts)
    assert not any(a.overlaps(b) for a in parts for b in parts if a is not b)
