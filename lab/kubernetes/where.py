"""Where a control plane is: its folder, and the addresses that follow from it."""

import hashlib
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

API_PORT = 6443
SERVICES = IPv4Network("10.96.0.0/16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The places of one control plane.

    Args:
        folder: where its files are; everything in it belongs to the control plane.
        reached_at: an address of this machine that nodes reach, "" when there are no nodes.
        services: the network of Services' addresses.

    """

    folder: Path
    reached_at: str = ""
    services: IPv4Network = SERVICES

    @property
    def pki(self) -> Path:
        return self.folder / "pki"

    @property
    def loopback(self) -> str:
        """Return an address that only this control plane uses, so that any number can run."""
        digest = hashlib.sha256(str(self.folder.absolute()).encode()).digest()
        return f"127.{1 + digest[0] % 254}.{digest[1]}.{1 + digest[2] % 254}"

    @property
    def address(self) -> str:
        """Return the API server's address."""
        return self.reached_at or self.loopback

    @property
    def service(self) -> str:
        """Return the address at which pods find the API server: it takes the first one."""
        return str(self.services[1])

    @property
    def url(self) -> str:
        return f"https://{self.address}:{API_PORT}"

    def kubeconfig(self, name: str) -> Path:
        return self.folder / f"{name}.kubeconfig"
