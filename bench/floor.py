"""Builds by plain commands what the orchestrator builds, and empties hosts again."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import commands
from lab import keys, network
from lab.proc import LabError
from lab.settings import Lab

SCRIPT = Path(__file__).with_name("floor.sh")
WIPE = Path(__file__).with_name("wipe.sh")
MOST_SECONDS = 300.0
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
        words = [str(SCRIPT), *arguments]
        environment = {"SSH_CONFIG": str(self.config)}
        seconds = commands.timed(words, environment=environment, timeout=MOST_SECONDS)
        keys.close_connections(self.lab)
        return seconds

    def check(self) -> None:
        """Refuse to compare unlike things: both ways must end with the same cluster."""
        answer = self._on(next(iter(self.addresses)), STATUS)
        status, found = json.loads(answer), len(self.addresses)
        modules = json.dumps(status["mgrmap"]["modules"])
        seen = (len(status["quorum_names"]), status["osdmap"]["num_up_osds"])
        standbys = status["mgrmap"]["num_standbys"]
        if seen != (found, found) or standbys != 1 or "prometheus" not in modules:
            raise LabError(f"not the cluster to measure: {answer}")

    def wipe(self) -> None:
        """Take all that was built off every host, side by side."""
        with ThreadPoolExecutor(len(self.addresses)) as pool:
            list(pool.map(lambda host: self._on(host, WIPE.read_text()), self.addresses))

    def _on(self, host: str, script: str) -> str:
        """Return what a shell script says on a host."""
        return commands.run(["ssh", "-F", str(self.config), host, script], timeout=MOST_SECONDS)


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
