"""Hosts: containers that boot systemd, with their own disks, address and keys."""

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Network
from pathlib import Path

from lab import cgroups, disks, keys, machine, network, podman, settings
from lab.proc import LabError
from lab.settings import LABEL, Lab

FILES = Path(__file__).parent / "files"
INSIDE = "/usr/local/lib/lab"  # where a host finds them
TRIGGER = "udevadm trigger --action=add --subsystem-match=block"
BOOT_SECONDS = 60.0
READY, BROKEN = 0, 2  # exit codes of ready.sh
ENDED = 255  # podman's exit code when the container does not run


def states(lab: Lab) -> dict[str, str]:
    """Return podman's word for each host that has a container: running, exited, created."""
    found = podman.listed("ps", "--all", "--filter", f"label={LABEL}={lab.id}", "--format", "json")
    named = {entry["Names"][0].removeprefix(f"{lab.id}-"): entry["State"] for entry in found}
    return {host: named[host] for host in sorted(named, key=settings.number)}


def boot(lab: Lab, wanted: Iterable[str], image: str, net: IPv4Network) -> list[str]:
    """Bring up the hosts that do not run, all at once; return their names."""
    now = states(lab)
    down = [host for host in wanted if now.get(host) != "running"]
    if not down:
        return []
    keys.close_connections(lab)
    machine.allow_hosts()
    for host in down:
        disks.show(lab.host_dir(host), disks.attach(lab, host))
    with ThreadPoolExecutor(len(down)) as pool:
        list(pool.map(lambda host: _boot(lab, host, image, net, exists=host in now), down))
    return down


def kill(lab: Lab, host: str) -> None:
    """Take the power away: nothing is told, nothing is flushed."""
    podman.run("kill", "--signal", "KILL", lab.container(host))
    podman.run("wait", lab.container(host))


def rescan_disks(lab: Lab, host: str) -> None:
    """Let a running host see a disk that it did not have at boot."""
    disks.show(lab.host_dir(host), disks.attach(lab, host))
    if states(lab).get(host) == "running":
        script = f"{INSIDE}/disks.sh && udevadm control --reload && {TRIGGER} && udevadm settle"
        podman.run("exec", lab.container(host), "sh", "-c", script)


def remove_all(lab: Lab) -> None:
    names = podman.run("ps", "--all", "--quiet", "--filter", f"label={LABEL}={lab.id}").split()
    if names:
        podman.run("rm", "--force", "--time", "0", "--volumes", *names)
    cgroups.remove(lab.id)


def create_command(lab: Lab, host: str, image: str, address: str) -> list[str]:
    """Return podman's words for a new host."""
    name, folder = lab.container(host), lab.host_dir(host)
    return [
        *("run", "--detach", "--name", name, "--hostname", host),
        *("--label", f"{LABEL}={lab.id}", "--privileged", "--systemd=false"),
        *("--tmpfs", "/run", "--tmpfs", "/run/lock", "--tmpfs", "/tmp"),  # noqa: S108
        *("--env", "container=podman", "--env", f"LAB_CGROUP={cgroups.name(lab.id, host)}"),
        *podman.limits(),
        *("--network", lab.id, "--ip", address, *_address6(lab, host)),
        *("--mac-address", settings.mac_address(lab.id, host)),
        *("--no-hosts", "--volume", f"{lab.dir}/hosts.txt:/etc/hosts:ro"),
        *("--volume", f"{folder}:/lab:ro", "--volume", f"{FILES}:{INSIDE}:ro"),
        *("--pull", "never", image, f"{INSIDE}/entry.sh"),
    ]


def _address6(lab: Lab, host: str) -> tuple[str, ...]:
    options = lab.options()
    wanted = options is not None and options.ipv6
    return ("--ip6", network.address6(lab, host)) if wanted else ()


def _boot(lab: Lab, host: str, image: str, net: IPv4Network, *, exists: bool) -> None:
    """Start the host as it was; when that cannot be, make it anew around its disks."""
    address, name = network.address(net, host), lab.container(host)
    if exists and podman.attempt("start", name).returncode == 0:
        trouble = _trouble(name, address)
        if not trouble or states(lab).get(host) == "running":
            return _complain(host, trouble)
    podman.run("rm", "--force", "--ignore", "--time", "0", name)
    podman.run(*create_command(lab, host, image, address))
    return _complain(host, _trouble(name, address))


def _complain(host: str, trouble: str) -> None:
    if trouble:
        raise LabError(f"{host} does not boot: {trouble}")


def _trouble(name: str, address: str) -> str:
    """Wait until the host is up; return what kept it from it."""
    deadline = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < deadline:
        done = podman.attempt("exec", name, f"{INSIDE}/ready.sh")
        if done.returncode == READY and keys.answers(address):
            return ""
        if done.returncode == BROKEN:
            return done.stdout.strip()
        if done.returncode == ENDED:
            logs = podman.attempt("logs", "--tail", "5", name)
            return (logs.stdout + logs.stderr).strip() or "its first process ended"
        time.sleep(0.1)
    return f"not ready within {BOOT_SECONDS:g} s"
