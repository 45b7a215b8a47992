"""The lab's command line: `python -m lab up`."""

import dataclasses
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from lab import disks, hosts, images, keys, labs, network
from lab.kubernetes import binaries, cluster
from lab.kubernetes.cli import kubernetes
from lab.proc import LabError
from lab.settings import SUITES, Lab, Options


def _folder(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value:
        context.obj = Lab.at(value)


def command(**settings: Any) -> Callable[[Callable[..., None]], click.Command]:  # noqa: ANN401
    """Declare a command that works on one lab."""

    def declare(function: Callable[..., None]) -> click.Command:
        where = click.option(
            "--dir",
            callback=_folder,
            expose_value=False,
            is_eager=True,
            help="The lab's folder.  [default: .lab]",
        )
        return cli.command(**settings)(where(click.pass_obj(function)))

    return declare


@click.group()
@click.option("--dir", "folder", default=".lab", help="The lab's folder.  [default: .lab]")
@click.pass_context
def cli(context: click.Context, folder: str) -> None:
    """Throw-away hosts with systemd, sshd, Ceph and disks of their own."""
    context.obj = Lab.at(folder)


@command()
@click.option("--hosts", "count", type=click.IntRange(1, 99), help="How many.  [default: 3]")
@click.option("--ceph", type=click.Choice([str(major) for major in SUITES]), help="[default: 20]")
@click.option("--disks", type=click.IntRange(0, 26), help="Disks of each host.  [default: 2]")
@click.option("--disk-size", help="[default: 6G]")
@click.option("--ipv6", is_flag=True, default=None, help="IPv6 addresses beside the others.")
@click.option("--rebuild", is_flag=True, help="Make a lab of other options anew.")
def up(lab: Lab, count: int | None, rebuild: bool, **asked: str | int | None) -> None:  # noqa: FBT001
    """Bring the hosts up; those that run are left alone."""
    booted = labs.up(lab, count, _options(lab, asked), rebuild=rebuild)
    for host in booted:
        print(f"{host} is up")
    print(f"{len(lab.hosts())} hosts; inventory: {os.path.relpath(lab.inventory)}")


@command()
def down(lab: Lab) -> None:
    """Remove the lab and everything it made, its Kubernetes too."""
    cluster.down(cluster.Cluster(lab.dir))
    labs.down(lab)


@command()
def status(lab: Lab) -> None:
    """Show each host: its state, address and disks."""
    net, states = network.subnet(lab), hosts.states(lab)
    for host in lab.hosts():
        address = network.address(net, host) if net else "-"
        letters = ",".join(disks.letters(lab, host)) or "-"
        print(f"{host:10} {states.get(host, 'gone'):10} {address:16} disks {letters}")


@command(name="hosts")
def list_hosts(lab: Lab) -> None:
    """Print the hosts' names, one a line."""
    print("\n".join(lab.hosts()))


@command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("host")
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def ssh(lab: Lab, host: str, words: tuple[str, ...]) -> None:
    """Log in to a host, or run a command there."""
    labs.known(lab, host)
    login = keys.ssh_command(lab, network.address(labs.subnet(lab), host))
    os.execvp(login[0], [*login, *words])  # noqa: S606  # the terminal is handed over


@command()
@click.argument("host")
def kill(lab: Lab, host: str) -> None:
    """Take the power from a host; its disks and files stay."""
    labs.known(lab, host)
    hosts.kill(lab, host)


@command()
@click.argument("host")
def start(lab: Lab, host: str) -> None:
    """Boot a host that was killed."""
    labs.start(lab, host)


@command(name="add-disk")
@click.argument("host")
@click.option("--size", help="[default: like the others]")
def add_disk(lab: Lab, host: str, size: str | None) -> None:
    """Give a host one more empty disk, running or not."""
    print(labs.add_disk(lab, host, size))


@command(name="remove-images")
def remove_images(_lab: Lab) -> None:
    """Remove the images of all labs, their cached tarballs and Kubernetes' programs."""
    images.remove_all()
    binaries.remove_all()


cli.add_command(kubernetes)


def _options(lab: Lab, asked: Mapping[str, Any]) -> Options:
    """Return what was asked for; what was not, is as the lab was made, or else the default."""
    made = lab.options() or Options()
    given = {name: value for name, value in asked.items() if value is not None}
    return dataclasses.replace(made, **{**given, "ceph": int(given.get("ceph", made.ceph))})


def main() -> None:
    try:
        cli()
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
