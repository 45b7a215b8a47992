"""What a service of `Type=notify` tells systemd (sd_notify(3)): ready, status, still alive."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifier:
    """Sends to the socket that systemd has named; without one it is silent."""

    address: str

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Notifier":
        return cls(address=environment.get("NOTIFY_SOCKET", ""))

    def ready(self) -> None:
        self._send("READY=1")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._send(f"STATUS={' '.join(text.split())}")

    def alive(self) -> None:
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def _send(self, text: str) -> None:
        """A message that cannot be sent is no reason to stop working on a cluster."""
        if not self.address:
            return
        name = f"\0{self.address[1:]}" if self.address.startswith("@") else self.address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way:
                way.connect(name)
                way.send(text.encode())
        except OSError:
            return
