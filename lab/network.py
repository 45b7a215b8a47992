"""A bridge of its own for each lab, with addresses that do not change."""

import hashlib
import ipaddress
import json
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from lab import podman, proc
from lab.proc import LabError
from lab.settings import FIRST_HOST, LABEL, Lab, number

INTERFACES = Path("/sys/class/net")


def subnet(lab: Lab) -> IPv4Network | None:
    """Return the lab's subnet when its network is there."""
    found = _inspect(lab)
    subnets = [one["subnet"] for one in found["subnets"]] if found else []
    return next((IPv4Network(text) for text in subnets if ":" not in text), None)


def ensure(lab: Lab, *, ipv6: bool = False) -> IPv4Network:
    """Return the lab's IPv4 subnet, made when it is not there; with `ipv6` it has both families."""
    return subnet(lab) or _create(lab, ipv6=ipv6)


def remove(lab: Lab) -> None:
    """Remove the network and its bridge, if there are any."""
    found = _inspect(lab)
    if found is None:
        return
    podman.run("network", "rm", "--force", lab.id)
    bridge = found["network_interface"]
    if (INTERFACES / bridge).exists():  # podman leaves it when it has lost track of a host
        proc.run(["ip", "link", "delete", bridge])


def address6(lab: Lab, host: str) -> str:
    """Return the host's IPv6 address, which ends like the other one."""
    return f"{_prefix6(lab)}::{FIRST_HOST - 1 + number(host)}"


def _prefix6(lab: Lab) -> str:
    """Return the first 64 bits of a network of the lab's own (RFC 4193)."""
    digits = f"fd{hashlib.sha256(lab.id.encode()).hexdigest()[:14]}"
    return ":".join(digits[at : at + 4] for at in range(0, 16, 4))


def address(network: IPv4Network, host: str) -> str:
    """Return the host's IPv4 address: `ceph-1` is .11."""
    return str(network[FIRST_HOST - 1 + number(host)])


def candidates(lab_id: str) -> Iterator[IPv4Network]:
    """Yield the subnets to try, in an order of the lab's own so that labs seldom compete."""
    first = int(lab_id.removeprefix("lab"), 16)
    for step in range(4096):
        second, third = divmod((first + step) % 4096, 256)
        yield IPv4Network(f"10.{224 + second}.{third}.0/24")


def free(lab_id: str, taken: list[IPv4Network]) -> IPv4Network:
    """Return the first candidate that overlaps with none of `taken`; LabError when all do."""
    for candidate in candidates(lab_id):
        if not any(candidate.overlaps(other) for other in taken):
            return candidate
    raise LabError("no free subnet between 10.224.0.0 and 10.239.255.0")


def _inspect(lab: Lab) -> dict[str, Any] | None:
    found = podman.attempt("network", "inspect", lab.id)
    if found.returncode != 0:
        return None
    network: dict[str, Any] = json.loads(found.stdout)[0]
    return network


def _create(lab: Lab, *, ipv6: bool) -> IPv4Network:
    chosen = free(lab.id, _taken())
    second = ("--ipv6", "--subnet", f"{_prefix6(lab)}::/64") if ipv6 else ()
    podman.run(
        *("network", "create", "--disable-dns", "--label", f"{LABEL}={lab.id}"),
        *("--subnet", str(chosen), *second, "--opt", "isolate=false", lab.id),
    )
    return chosen


def _taken() -> list[IPv4Network]:
    """Return what the machine routes already and what podman has promised to other networks."""
    routes = json.loads(proc.run(["ip", "-json", "-4", "route", "show"]) or "[]")
    networks = podman.listed("network", "ls", "--format", "json")
    texts = [route["dst"] for route in routes if route["dst"] != "default"]
    texts += [net["subnet"] for entry in networks for net in entry.get("subnets") or ()]
    parsed = (ipaddress.ip_network(text, strict=False) for text in texts)
    return [net for net in parsed if isinstance(net, IPv4Network)]
