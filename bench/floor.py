"""Builds by plain commands what the orchestrator builds, and empties hosts again."""

import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab import keys, network
from lab.proc import LabError
from lab.settings import Lab

SCRIPT = Path(__file__).with_name("floor.sh")
WIPE = Path(__file__).with_name("wipe.sh")
STATUS = "ceph status --format json 2>/dev/null"


class Hosts:
    """The hosts of a lab as ssh knows them."""

    def __init__(self, lab: Lab) -> None:
        net = network.subnet(lab)
        if net is None:
            raise LabError(f"the lab in {lab.dir} is not up")
        self.lab = lab
        self.addresses = {host: network.address(net, host) for host in lab.hosts()}
        self.config = lab.ssh / "bench_config"
        self.config.write_text(ssh_config(lab, self.addresses))

    def build(self) -> float:
        """Build the cluster; return the seconds until every OSD was up."""
        arguments = [f"{host}={address}" for host, address in self.addresses.items()]
        start = time.monotonic()
        _run([str(SCRIPT), *arguments], {"SSH_CONFIG": str(self.config)})
        seconds = time.monotonic() - start
        keys.close_connections(self.lab)
        return seconds

    def check(self) -> None:
        """Refuse to compare unlike things: both ways must end with the same cluster."""
        answer = _run(["ssh", "-F", str(self.config), next(iter(self.addresses)), STATUS])
        status, found = json.loads(answer), len(self.addresses)
        modules = json.dumps(status["mgrmap"]["modules"])
        seen = (len(status["quorum_names"]), status["osdmap"]["num_up_osds"])
        standbys = status["mgrmap"]["num_standbys"]
        if seen != (found, found) or standbys != 1 or "prometheus" not in modules:
            raise LabError(f"not the cluster to measure: {answer}")

    def wipe(self) -> None:
        with ThreadPoolExecutor(len(self.addresses)) as pool:
            list(pool.map(self._wipe, self.addresses))

    def _wipe(self, host: str) -> None:
        _run(["ssh", "-F", str(self.config), host, WIPE.read_text()])


def ssh_config(lab: Lab, addresses: dict[str, str]) -> str:
    """Return an ssh configuration that shares one connection for each host."""
    hosts = [f"Host {host}\n  HostName {address}\n" for host, address in addresses.items()]
    return (
        "".join(hosts)
        + f"""\
Host *
  User root
  IdentityFile {keys.private_key(lab)}
  IdentitiesOnly yes
  UserKnownHostsFile {keys.known_hosts(lab)}
  LogLevel ERROR
  ControlMaster auto
  ControlPersist 60
  ControlPath {lab.control_sockets}/%C
"""
    )


def _run(command: list[str], more: dict[str, str] | None = None) -> str:
    """Return both outputs in one text."""
    done = subprocess.run(
        command,
        check=False,
        env={**os.environ, **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        raise LabError(f"{command[0]} failed ({done.returncode}):\n{done.stdout[-4000:]}")
    return done.stdout
