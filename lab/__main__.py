"""The lab's command line: `python -m lab up`."""

import os
import shutil
import sys

import click

from lab import disks, hosts, images, inventory, keys, network, settings
from lab.proc import LabError
from lab.settings import Lab, Options


@click.group()
@click.option("--dir", "folder", default=".lab", show_default=True, help="The lab's folder.")
@click.pass_context
def cli(context: click.Context, folder: str) -> None:
    """Throw-away hosts for Ceph."""
    context.obj = Lab.at(folder)


@cli.command()
@click.option("--hosts", "count", default=3, show_default=True, type=click.IntRange(1, 99))
@click.option("--ceph", default="20", show_default=True, type=click.Choice(["20", "18", "16"]))
@click.option("--disks", "disk_count", default=2, show_default=True, type=click.IntRange(0, 26))
@click.option("--disk-size", default="6G", show_default=True)
@click.pass_obj
def up(lab: Lab, count: int, ceph: str, disk_count: int, disk_size: str) -> None:
    """Bring the lab's hosts up."""
    options = Options(ceph=int(ceph), disks=disk_count, disk_size=disk_size)
    image = images.ensure(options.suite)
    lab.remember(options)
    wanted = [settings.host_name(index + 1) for index in range(count)]
    keys.ensure_user_key(lab)
    net = network.ensure(lab)
    addresses = {host: network.address(net, host) for host in wanted}
    for host in wanted:
        keys.ensure_host_key(lab, host)
        disks.ensure(lab, host, options.disks, options.disk_size)
    keys.write_known_hosts(lab, addresses)
    lines = [f"{address} {host}\n" for host, address in addresses.items()]
    (lab.dir / "hosts.txt").write_text("127.0.0.1 localhost\n" + "".join(lines))
    letters = settings.disk_letters(options.disks)
    lab.inventory.write_text(inventory.text(addresses, letters))
    hosts.boot(lab, wanted, image, net)


@cli.command()
@click.pass_obj
def down(lab: Lab) -> None:
    """Remove the lab and everything it made."""
    keys.close_connections(lab)
    hosts.remove_all(lab)
    network.remove(lab)
    disks.detach_all(lab)
    shutil.rmtree(lab.dir, ignore_errors=True)


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("host")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def ssh(lab: Lab, host: str, command: tuple[str, ...]) -> None:
    """Log in to a host, or run a command there."""
    net = network.subnet(lab)
    if net is None:
        raise LabError("the lab is not up")
    words = keys.ssh_command(lab, network.address(net, host))
    os.execvp(words[0], [*words, *command])


def main() -> None:
    try:
        cli()
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
