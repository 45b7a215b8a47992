"""A whole lab, brought up and removed. Each step finds out for itself what is left to do."""

import dataclasses
import os
from ipaddress import IPv4Network

from lab import disks, hosts, images, inventory, keys, memory, network, settings
from lab.proc import LabError
from lab.settings import Lab, Options

DEFAULT_HOSTS = 3


def up(lab: Lab, count: int | None, options: Options, *, rebuild: bool = False) -> list[str]:
    """Bring up what does not run; return the hosts that were booted."""
    if os.geteuid() != 0:
        raise LabError("hosts with disks and a network of their own need root")
    made = lab.options()
    if made is None or (rebuild and made != options):
        down(lab)  # without its folder, hosts of the lab can be neither reached nor trusted
    elif made != options:
        raise LabError(refusal(lab, made, options))
    _refuse_deep(lab)
    names = wanted_hosts(lab.hosts(), count)
    image = images.ensure(options.suite)
    lab.remember(options)
    net = network.ensure(lab, ipv6=options.ipv6)
    _prepare(lab, names, options, net)
    return hosts.boot(lab, names, image, net)


def _refuse_deep(lab: Lab) -> None:
    """Refuse a folder in which ssh could make no socket: a path of one has at most 107 bytes."""
    longest = 107 - len("/0123456789.0123456789abcdef")  # what ssh adds to the folder at most
    if len(os.fsencode(lab.control_sockets)) > longest:
        raise LabError(
            f"{lab.dir}: the path is too long for the sockets of ssh; give a shorter one by --dir"
        )


def down(lab: Lab) -> None:
    """Remove everything the lab made, whatever is left of it."""
    keys.close_connections(lab)
    memory.forget_clusters(lab.container(host) for host in hosts.states(lab))
    hosts.remove_all(lab)
    network.remove(lab)
    disks.detach_all(lab)
    lab.forget()
    images.remove_outdated()


def start(lab: Lab, host: str) -> None:
    """Boot one host with the disks, and if it was only switched off the files, that it had."""
    known(lab, host)
    options = lab.options() or Options()
    hosts.boot(lab, [host], images.ensure(options.suite), subnet(lab))


def add_disk(lab: Lab, host: str, size: str | None) -> str:
    """Give a host one disk more; return the disk's link."""
    known(lab, host)
    letter = disks.add(lab, host, size or (lab.options() or Options()).disk_size)
    hosts.rescan_disks(lab, host)
    return f"/dev/disk/by-id/lab-disk-{letter}"


def wanted_hosts(there: list[str], count: int | None) -> list[str]:
    """Return the hosts to have; there is no way to have fewer than there are."""
    if count is not None and count < len(there):
        raise LabError(f"the lab has {len(there)} hosts, {count} asked for: `lab down` first")
    return [settings.host_name(index + 1) for index in range(count or len(there) or DEFAULT_HOSTS)]


def refusal(lab: Lab, made: Options, asked: Options) -> str:
    """Say which options differ from those the lab was made with, and what to do."""
    pairs = zip(dataclasses.asdict(made).items(), dataclasses.asdict(asked).values(), strict=True)
    changes = [
        f"--{name.replace('_', '-')} is {old}, {new} asked for"
        for (name, old), new in pairs
        if old != new
    ]
    remedy = "`lab up --rebuild` makes it anew, another --dir a second one"
    return f"the lab in {lab.dir} is of another kind: {', '.join(changes)}; {remedy}"


def known(lab: Lab, host: str) -> None:
    """Raise LabError with the names that there are, if the lab has no such host."""
    if host not in lab.hosts():
        raise LabError(f"no host {host} in {lab.dir}: there is {', '.join(lab.hosts()) or 'none'}")


def subnet(lab: Lab) -> IPv4Network:
    """Return the lab's network; LabError while the lab is not up."""
    net = network.subnet(lab)
    if net is None:
        raise LabError(f"the lab in {lab.dir} is not up")
    return net


def _prepare(lab: Lab, names: list[str], options: Options, net: IPv4Network) -> None:
    """Write all files of the lab."""
    keys.ensure_user_key(lab)
    for host in names:
        keys.ensure_host_key(lab, host)
        disks.ensure(lab, host, options.disks, options.disk_size)
    addresses = {host: network.address(net, host) for host in names}
    keys.write_known_hosts(lab, addresses)
    lines = [f"{address} {host}\n" for host, address in addresses.items()]
    (lab.dir / "hosts.txt").write_text("127.0.0.1 localhost\n" + "".join(lines))
    lab.inventory.write_text(inventory.text(addresses, settings.disk_letters(options.disks)))
