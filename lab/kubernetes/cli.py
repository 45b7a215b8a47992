"""The lab's commands for Kubernetes: `python -m lab kubernetes up`."""

import os
from pathlib import Path
from typing import Any

import click

from lab import disks, hosts, network
from lab.kubernetes import binaries, by_hand, cluster, demo, operator_image, pods
from lab.kubernetes.addresses import MOST_NODES
from lab.kubernetes.cluster import Cluster
from lab.settings import Lab, Options

NODES = click.IntRange(1, MOST_NODES)


@click.group()
@click.option("--dir", "folder", help="The lab's folder.  [default: .lab]")
@click.pass_context
def kubernetes(context: click.Context, folder: str | None) -> None:
    """A throw-away Kubernetes whose nodes have disks of their own."""
    lab: Lab = Lab.at(folder) if folder else context.obj
    context.obj = Cluster(lab.dir)


@kubernetes.command()
@click.option(
    "--nodes", "count", type=click.IntRange(1, MOST_NODES), help="How many.  [default: 3]"
)
@click.option("--disks", type=click.IntRange(0, 26), help="Disks of each node.  [default: 2]")
@click.option("--disk-size", help="[default: 6G]")
@click.pass_obj
def up(made: Cluster, /, count: int | None, **asked: Any) -> None:  # noqa: ANN401
    """Bring the control plane and the nodes up; what runs is left alone."""
    given = {name: value for name, value in asked.items() if value is not None}
    options = made.lab.options() or Options(**given)
    for node in cluster.up(made, count, options):
        print(f"{node} is up")
    print(f"{len(made.nodes)} nodes; kubeconfig: {os.path.relpath(made.kubeconfig)}")


@kubernetes.command()
@click.pass_obj
def down(made: Cluster) -> None:
    """Remove the nodes, the control plane and everything they made."""
    cluster.down(made)


@kubernetes.command()
@click.pass_obj
def status(made: Cluster) -> None:
    """Show each node: its container's state, its address and its disks."""
    net, states = network.subnet(made.lab), hosts.states(made.lab)
    for node in made.nodes:
        address = network.address(net, node) if net else "-"
        letters = ",".join(disks.letters(made.lab, node)) or "-"
        print(f"{node:10} {states.get(node, 'gone'):10} {address:16} disks {letters}")


@kubernetes.command()
@click.argument("image")
@click.pass_obj
def load(made: Cluster, image: str) -> None:
    """Give an image of podman to every node."""
    pods.load(made.lab, made.nodes, image)


@kubernetes.command(name="load-operator")
@click.pass_obj
def load_operator(made: Cluster) -> None:
    """Build the operator's image from this clone; give it and Ceph's to every node."""
    names = operator_image.ensure()
    given = pods.load(made.lab, made.nodes, *names)
    print(f"{' and '.join(names)} are on every node; new on {', '.join(given) or 'none'}")


@kubernetes.command(name="by-hand")
@click.argument("manifest", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def prepare_by_hand(made: Cluster, manifest: Path) -> None:
    """Have a CephCluster that no operator touches, and pods for the tasks of its roles."""
    print(by_hand.prepare(made, manifest).folder)


@kubernetes.command(name="demo")
@click.pass_obj
def build_demo(made: Cluster) -> None:
    """Build the example's cluster; on the Kubernetes that KUBECONFIG names, if it names one."""
    print(demo.build(demo.prepare(made)), end="")


@kubernetes.command(name="demo-down")
@click.pass_obj
def remove_demo(made: Cluster) -> None:
    """Remove the lab's Kubernetes, or the demo from that of KUBECONFIG."""
    path = demo.given()
    if path:
        demo.remove(path)
    else:
        cluster.down(made)


@kubernetes.command()
@click.argument("node")
@click.pass_obj
def kill(made: Cluster, node: str) -> None:
    """Take the power from a node; its disks and files stay."""
    cluster.known(made, node)
    hosts.kill(made.lab, node)


@kubernetes.command()
@click.argument("node")
@click.pass_obj
def start(made: Cluster, node: str) -> None:
    """Boot a node that was killed."""
    cluster.start(made, node)


@kubernetes.command(name="add-disk")
@click.argument("node")
@click.option("--size", help="[default: like the others]")
@click.pass_obj
def add_disk(made: Cluster, node: str, size: str | None) -> None:
    """Give a node one more empty disk, running or not."""
    print(cluster.add_disk(made, node, size))


@kubernetes.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def kubectl(made: Cluster, words: tuple[str, ...]) -> None:
    """Run kubectl against this cluster, or against the one that KUBECONFIG names."""
    login = os.environ.get("KUBECONFIG") or str(made.kubeconfig)
    program = str(binaries.path("kubectl"))
    environment = {**os.environ, "KUBECONFIG": login}
    os.execve(program, [program, *words], environment)  # noqa: S606  # the terminal is handed over
