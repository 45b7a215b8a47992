"""Addresses of mons in all their written forms: Rook's endpoints, Ceph's vectors, `mon_host` (C19).

An IPv6 address holds colons itself, so nothing here splits at the first one. A mon has a port for
each messenger: 3300 for v2 and 6789 for v1, of which v1 may be missing.
"""

import ipaddress
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

MSGR2_PORT = 3300
MSGR1_PORT = 6789

_PARTS = re.compile(r"(?:(v[12]|any):)?(\[[^\[\]]+\]|[^:,\[\]]+):(\d+)(?:/\d+)?")
_ENDPOINT = re.compile(r"(\[[^\[\]]+\]|[^:\[\]]+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where a mon listens; 0 for a messenger that it does not speak."""

    v2: int = MSGR2_PORT
    v1: int = MSGR1_PORT


BOTH = Ports()
"""Ceph's own ports of both messengers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A mon as Rook stores it: `a=[2001:db8::10]:6789`; the port tells its messengers."""

    name: str
    address: str
    port: int

    @property
    def ports(self) -> Ports:
        """Port 3300 is a mon without the old messenger; any other is the old messenger's."""
        return Ports(v1=0) if self.port == MSGR2_PORT else Ports(v1=self.port)

    @property
    def addrs(self) -> str:
        return vector(self.address, self.ports)


def vector(address: str, ports: Ports) -> str:
    """All addresses of a mon in Ceph's form: `[v2:[fd00::1]:3300,v1:[fd00::1]:6789]`."""
    host = bracketed(address)
    spoken = (("v2", ports.v2), ("v1", ports.v1))
    return "[" + ",".join(f"{kind}:{host}:{port}" for kind, port in spoken if port) + "]"


def bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def parts(text: str) -> tuple[tuple[str, str, int], ...]:
    """Messenger, bare IP and port of every address in `text`, such as a vector or a `mon_host`."""
    found = _PARTS.findall(text)
    return tuple((kind or "any", host.strip("[]"), int(port)) for kind, host, port in found)


def read(addrs: Sequence[str]) -> tuple[str, Ports]:
    """The bare IP and the ports of a member of the monmap, from `v2:192.0.2.1:3300/0` and such."""
    found = [part for text in addrs for part in parts(text)]
    if not found:
        return "", BOTH
    ports = {kind: port for kind, _, port in reversed(found)}
    legacy = ports.get("v1", ports.get("any", 0))
    return found[0][1], Ports(v2=ports.get("v2", 0), v1=legacy)


def parse(text: str) -> tuple[tuple[Endpoint, ...], tuple[str, ...]]:
    """Rook's list of endpoints, with a warning for each element that names no mon."""
    mons: list[Endpoint] = []
    warnings: list[str] = []
    for element in text.split(","):
        name, _, where = element.strip().partition("=")
        found = _ENDPOINT.fullmatch(where)
        if name and found and is_address(found[1].strip("[]")):
            mons.append(Endpoint(name=name, address=found[1].strip("[]"), port=int(found[2])))
        else:
            warnings.append(f"{element.strip()!r} is no endpoint of a mon and is ignored")
    return tuple(mons), tuple(warnings)


def mon_host(mons: Iterable[Endpoint], out_of_quorum: Collection[str] = ()) -> str:
    """The value of `mon_host`; a mon that is out of quorum stays stored and is left out here."""
    return ",".join(mon.addrs for mon in mons if mon.name not in out_of_quorum)


def bind_address(address: str, *, require_msgr2: bool, dual_stack: bool = False) -> str:
    """The value of `--public-bind-addr`: with a port where only one messenger may listen.

    A port behind a bare IPv6 address would read as a longer address. With two families Ceph takes
    the address alone.
    """
    if dual_stack or not require_msgr2:
        return address
    return f"{bracketed(address)}:{MSGR2_PORT}"


def with_msgr2(endpoint: str) -> str:
    """An endpoint of the old messenger for the new one: only the port at its end changes."""
    return re.sub(rf":{MSGR1_PORT}$", f":{MSGR2_PORT}", endpoint)


def is_address(text: str) -> bool:
    """Whether a text is an IP address, and no name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
