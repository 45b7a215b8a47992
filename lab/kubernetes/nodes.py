"""Nodes: containers that boot systemd with containerd, kubelet and kube-proxy, and their disks."""

import json
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Network
from pathlib import Path

from lab import disks, hosts, machine, network, podman, proc, settings
from lab.kubernetes import addresses, binaries
from lab.kubernetes.plane import ControlPlane
from lab.proc import LabError
from lab.settings import LABEL, Lab

FILES = Path(__file__).parent / "files"
INSIDE = "/usr/local/lib/lab-kubernetes"  # where a node finds them
BOOT_SECONDS = 180.0  # a machine may be busy with other labs
# What has to lie on a real filesystem, because containers' root filesystems are mounted from it.
STATE = ("containerd", "kubelet")


def known(lab: Lab) -> list[str]:
    """Return the nodes that were ever made here, running or not."""
    return sorted((path.name for path in (lab.dir / "hosts").glob("node-*")), key=settings.number)


def wanted(there: Sequence[str], count: int) -> list[str]:
    """Return the nodes to have; those that are there stay."""
    return [f"node-{index + 1}" for index in range(max(count, len(there)))]


def pods(node: str, net: IPv4Network) -> IPv4Network:
    return addresses.pods(net, settings.number(node))


def images(lab: Lab) -> Path:
    """Return the folder that every node sees as /images."""
    return lab.dir / "images"


def write(lab: Lab, names: Sequence[str], net: IPv4Network, plane: ControlPlane) -> None:
    """Write what each node reads at its boot."""
    images(lab).mkdir(parents=True, exist_ok=True)
    for node in names:
        folder = lab.host_dir(node)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(plane.where.pki / "ca.crt", folder)
        kubelet = plane.user(f"system:node:{node}", ("system:nodes",))
        shutil.copy(kubelet, folder / "kubelet.kubeconfig")
        shutil.copy(plane.user("system:kube-proxy"), folder / "kube-proxy.kubeconfig")
        (folder / "cni.conflist").write_text(cni(pods(node, net)))
        (folder / "routes").write_text(routes(node, names, net))


def cni(subnet: IPv4Network) -> str:
    """Return the configuration of a node's pod network, a bridge with a subnet of its own."""
    bridge = {
        "type": "bridge",
        "bridge": "pods",
        "isGateway": True,
        "hairpinMode": True,  # a pod may reach itself by its Service
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": str(subnet)}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        },
    }
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return json.dumps({"cniVersion": "0.4.0", "name": "lab", "plugins": [bridge, ports]})


def routes(node: str, names: Sequence[str], net: IPv4Network) -> str:
    """Return a line for each other node: the subnet of its pods, and its address."""
    others = (name for name in names if name != node)
    return "".join(f"{pods(name, net)} {network.address(net, name)}\n" for name in others)


def boot(lab: Lab, names: Sequence[str], image: str, net: IPv4Network) -> list[str]:
    """Bring up the nodes that do not run, all at once; return their names."""
    now = hosts.states(lab)
    down = [node for node in names if now.get(node) != "running"]
    if down:
        machine.allow_hosts()
        for node in down:
            disks.show(lab.host_dir(node), disks.attach(lab, node))
        with ThreadPoolExecutor(len(down)) as pool:
            list(pool.map(lambda node: _boot(lab, node, image, net, exists=node in now), down))
    return down


def create_command(lab: Lab, node: str, image: str, net: IPv4Network) -> list[str]:
    """Return podman's words for a new node."""
    state = lab.dir / "state" / node
    return [
        *("run", "--detach", "--name", lab.container(node), "--hostname", node),
        *("--label", f"{LABEL}={lab.id}", "--privileged", "--systemd=always"),
        # Else the kubelets remove each other's control groups.
        *("--cgroupns", "private", *podman.limits()),
        *("--network", lab.id, "--ip", network.address(net, node)),
        *("--mac-address", settings.mac_address(lab.id, node)),
        *("--env", f"LAB_PODS={addresses.inner(net)}"),
        *("--volume", f"{lab.host_dir(node)}:/lab:ro", "--volume", f"{images(lab)}:/images:ro"),
        *("--volume", f"{hosts.FILES}:{hosts.INSIDE}:ro", "--volume", f"{FILES}:{INSIDE}:ro"),
        *("--volume", f"{binaries.folder()}:/usr/local/lib/kubernetes:ro"),
        *(word for name in STATE for word in ("--volume", f"{state / name}:/var/lib/{name}")),
        *("--pull", "never", image, f"{INSIDE}/node-entry.sh"),
    ]


def route(names: Sequence[str], net: IPv4Network) -> None:
    """Let this machine reach pods and Services; the routes go when the nodes' bridge goes."""
    ways = {pods(node, net): network.address(net, node) for node in names}
    ways[addresses.services(net)] = network.address(net, names[0])
    for subnet, node in ways.items():
        proc.run(["ip", "route", "replace", str(subnet), "via", node])


def _boot(lab: Lab, node: str, image: str, net: IPv4Network, *, exists: bool) -> None:
    name = lab.container(node)
    if exists:
        podman.run("start", name)
    else:
        for part in STATE:
            (lab.dir / "state" / node / part).mkdir(parents=True, exist_ok=True)
        podman.run(*create_command(lab, node, image, net))
    _wait(node, name)


def _wait(node: str, container: str) -> None:
    """Wait until the node's containerd answers."""
    deadline = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < deadline:
        done = podman.attempt("exec", container, "ctr", "version")
        if done.returncode == 0:
            return
        if done.returncode == hosts.ENDED:
            logs = podman.attempt("logs", "--tail", "20", container)
            raise LabError(f"{node} does not boot: {(logs.stdout + logs.stderr).strip()}")
        time.sleep(0.2)
    raise LabError(f"{node} has no containerd within {BOOT_SECONDS:g} s: {done.stderr.strip()}")
