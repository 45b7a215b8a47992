"""A whole Kubernetes, brought up and removed. Each step finds out for itself what is left to do."""

import os
import shutil
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from lab import disks, hosts, images, network
from lab.kubernetes import addresses, binaries, kubectl, nodes, pods
from lab.kubernetes.plane import WHOLE, ControlPlane
from lab.kubernetes.where import Where
from lab.proc import LabError
from lab.settings import Lab, Options

DEFAULT_NODES = 3
READY_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Cluster:
    """A control plane and nodes, beside the hosts in a lab's folder."""

    folder: Path

    @property
    def lab(self) -> Lab:
        """Return where the nodes, their disks and their network are."""
        return Lab(self.folder / "kubernetes")

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def nodes(self) -> list[str]:
        return nodes.known(self.lab)

    def subnet(self) -> IPv4Network:
        """Return the nodes' network; LabError when there is none."""
        net = network.subnet(self.lab)
        if net is None:
            raise LabError(f"no Kubernetes is up in {self.folder}: `lab kubernetes up` first")
        return net

    def plane(self, net: IPv4Network | None = None) -> ControlPlane:
        """Return the control plane, which nodes reach on the network's gateway."""
        folder = self.lab.dir / "control-plane"
        where = (
            Where(folder=folder, reached_at=str(net[1]), services=addresses.services(net))
            if net
            else Where(folder=folder)
        )
        return ControlPlane(where=where, programs=WHOLE)


def up(cluster: Cluster, count: int | None, options: Options) -> list[str]:
    """Bring up what does not run and wait until it is ready; return the nodes that were booted."""
    if os.geteuid() != 0:
        raise LabError("nodes with disks and a network of their own need root")
    binaries.ensure()
    image = images.ensure_recipe(images.node_recipe())
    lab = cluster.lab
    lab.remember(options)
    net = network.ensure(lab)
    plane = cluster.plane(net)
    plane.write()
    names = nodes.wanted(cluster.nodes, count or DEFAULT_NODES)
    for node in names:
        disks.ensure(lab, node, options.disks, options.disk_size)
    nodes.write(lab, names, net, plane)
    booted = nodes.boot(lab, names, image, net)
    nodes.route(names, net)
    plane.up()  # after the nodes, whose containers bring the bridge that its address is on
    shutil.copy(plane.kubeconfig, cluster.kubeconfig)
    pods.load(lab, names, pods.ensure_pause())
    _wait_ready(cluster, names)
    return booted


def down(cluster: Cluster) -> None:
    """Remove everything that was made, whatever is left of it."""
    lab = cluster.lab
    if not lab.dir.exists():
        return
    cluster.plane().down()
    hosts.remove_all(lab)
    network.remove(lab)
    disks.detach_all(lab)
    shutil.rmtree(lab.dir)
    cluster.kubeconfig.unlink(missing_ok=True)


def start(cluster: Cluster, node: str) -> None:
    """Boot a node that was killed, with the disks and files that it had."""
    known(cluster, node)
    nodes.boot(cluster.lab, [node], images.ensure_recipe(images.node_recipe()), cluster.subnet())
    _wait_ready(cluster, [node])


def known(cluster: Cluster, node: str) -> None:
    """Raise LabError with the names that there are, if the cluster has no such node."""
    if node not in cluster.nodes:
        there = ", ".join(cluster.nodes) or "none"
        raise LabError(f"no node {node} in {cluster.folder}: there is {there}")


def add_disk(cluster: Cluster, node: str, size: str | None) -> str:
    """Give a node one disk more; return the disk's link."""
    known(cluster, node)
    options = cluster.lab.options() or Options()
    letter = disks.add(cluster.lab, node, size or options.disk_size)
    hosts.rescan_disks(cluster.lab, node)
    return f"/dev/disk/by-id/lab-disk-{letter}"


def _wait_ready(cluster: Cluster, names: list[str]) -> None:
    """Wait until each node has registered and is Ready."""
    words = [f"node/{name}" for name in names]
    for name in names:
        kubectl.wait_for(cluster.kubeconfig, f"node/{name}", READY_SECONDS)
    within = f"--timeout={READY_SECONDS}s"
    kubectl.run(cluster.kubeconfig, "wait", "--for=condition=Ready", within, *words)
