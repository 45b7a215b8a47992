"""The user's inventory read once, and the small one that is laid over it for each step (pure)."""

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from orchestrator.ansible.facts import Member
from orchestrator.ansible.host_labels import LabelError, labels, taints
from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName

T = TypeVar("T")

TARGETS = "ceph_targets"
"""The group of hosts that a step works on; playbooks read its name from a variable."""


NO_HOST = (
    "all.hosts: none: the inventory names no host; remedy: write the hosts of the cluster into it, "
    "as inventory/example.yml does, or name another one with -i"
)


class InventoryError(Exception):
    """An inventory that cannot be used; the text says why and what to do."""


def members(listing: Mapping[str, Any]) -> tuple[Member, ...]:
    """Hosts from the JSON of `ansible-inventory --list`, in natural order (`ceph-2` < `ceph-10`).

    Only what planning needs is kept: no password or other variable goes on from here. Raises
    InventoryError.
    """
    variables: Mapping[str, Mapping[str, Any]] = listing.get("_meta", {}).get("hostvars", {})
    groups = _groups(listing)
    names = {name for hosts in groups.values() for name in hosts} | set(variables)
    if not names:
        raise InventoryError(NO_HOST)
    _refuse_unreadable(names)
    _refuse_twins(names)
    return tuple(
        Member(
            name=HostName(name),
            groups=tuple(sorted(group for group, hosts in groups.items() if name in hosts)),
            address=_address(name, variables.get(name, {})),
            allow_loop_devices=_truth(variables.get(name, {}).get("ceph_allow_loop_devices")),
            labels=_placing(name, variables, labels),
            taints=_placing(name, variables, taints),
        )
        for name in sorted(names, key=_natural)
    )


def _placing(
    name: str, variables: Mapping[str, Mapping[str, Any]], read: Callable[[Mapping[str, Any]], T]
) -> T:
    try:
        return read(variables.get(name, {}))
    except LabelError as error:
        raise InventoryError(f"{name}: {error}") from error


def _groups(listing: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    names = [name for name in listing if name not in {"_meta", "all"}]
    return {
        name: frozenset(_hosts(listing, name, set())) for name in names if name != "ungrouped"
    } | {"ungrouped": frozenset(listing.get("ungrouped", {}).get("hosts", ()))}


def _hosts(listing: Mapping[str, Any], group: str, seen: set[str]) -> set[str]:
    if group in seen:
        return set()
    seen.add(group)
    entry = listing.get(group, {})
    found = set(entry.get("hosts", ()))
    for child in entry.get("children", ()):
        found |= _hosts(listing, child, seen)
    return found


def _refuse_unreadable(names: Iterable[str]) -> None:
    """Ansible reads any file as INI, also one that is no text."""
    for name in sorted(names):
        if not name.isprintable():
            raise InventoryError(
                f"the inventory names a host {name!a}, which is no text; "
                "give a file of plain text in UTF-8 with -i"
            )


def _refuse_twins(names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in sorted(names):
        twin = seen.setdefault(name.lower(), name)
        if twin != name:
            raise InventoryError(
                f"the inventory names both {twin} and {name}, which differ only in case; "
                "host names have no case, so keep one of them"
            )


def _address(name: str, variables: Mapping[str, Any]) -> str:
    for text in (str(variables.get("ansible_host", "")), name):
        try:
            return str(ipaddress.ip_address(text))
        except ValueError:
            continue
    return ""


def _truth(value: object) -> bool:
    return str(value).lower() in {"true", "yes", "on", "1"}


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def overlay(variables: Variables) -> dict[str, Any]:
    """The step's own inventory: its target group, with explicit variables for each host."""
    hosts = {str(name): dict(values) for name, values in variables.hosts.items()}
    targets: dict[str, dict[str, Any]] = {str(name): {} for name in variables.targets}
    return {"all": {"hosts": hosts, "children": {TARGETS: {"hosts": targets}}}}
