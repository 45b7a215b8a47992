"""Turns lists of daemons into the words that Ceph and the role `daemon` want to read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import mon_election
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.letters import letter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def mon_members(mons: Mapping[str, str] | Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give each mon's id, name, host and addresses.

    Takes a mapping of hosts to addresses, which then get letters, or a list of mons that have a
    name and either an `address` or Ceph's own `addrs`.
    """
    if hasattr(mons, "items"):
        mons = [
            {"name": letter(index), "host": host, "address": address}
            for index, (host, address) in enumerate(mons.items())
        ]
    return [{**mon, "id": mon["name"], "addrs": _addresses(mon)} for mon in mons]


def addressed(
    mons: Iterable[Mapping[str, Any]], known: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Give mons that have no address yet the one that their supervisor made for them."""
    return [
        {**mon, **known.get(str(mon["id"]), {})} if not mon.get("address") else dict(mon)
        for mon in mons
    ]


def mon_host(members: Iterable[Mapping[str, Any]]) -> str:
    """Give the value of `mon_host`: both protocols of each mon whose address is known."""
    return ",".join(member["addrs"] for member in members if member["addrs"])


def monmap_arguments(members: Iterable[Mapping[str, Any]]) -> list[str]:
    """Give monmaptool's arguments that add all these mons."""
    return [word for member in members for word in ("--addv", str(member["name"]), member["addrs"])]


def lowest_rank_last(monmap: str, mon: str) -> list[str]:
    """Give the command with which a new mon of the lowest rank waits for those in its map."""
    return mon_election.words(mon, monmap)


def daemon_descriptions(
    instances: Iterable[Mapping[str, Any]], description: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Make a description for each daemon: `{id}` and the like become its own values."""
    return [
        {
            "record": "",
            **_filled(description, instance),
            "id": str(instance["id"]),
            **_kept(instance),
        }
        for instance in instances
    ]


def filled(
    instances: Iterable[Mapping[str, Any]], template: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Fill a template once for each instance: `{id}` and the like become the instance's values."""
    return [_filled(template, instance) for instance in instances]


def booting(
    osds: Iterable[Mapping[str, Any]],
    restarted: Iterable[str] = (),
    booted: Mapping[str, int] | None = None,
) -> list[dict[str, Any]]:
    """Add to each OSD the epoch after which it must come up: of a restarted one, its last boot."""
    epochs = {f"osd.{osd}": epoch for osd, epoch in (booted or {}).items()}
    last = {name: epochs.get(name, -1) for name in restarted}
    return [{**osd, "booted_after": last.get(f"osd.{osd['id']}", -1)} for osd in osds]


def classed(
    osds: Iterable[Mapping[str, Any]],
    classes: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Add to each OSD what those of its device class may use; the empty class is all others.

    The class is what Ceph says (`known`, by number), what was wanted, or what the device is.
    """
    if not classes:
        return [dict(osd) for osd in osds]
    return [{**osd, **classes.get(_class(osd, known or {}), classes.get("", {}))} for osd in osds]


def _class(osd: Mapping[str, Any], known: Mapping[str, str]) -> str:
    own = "hdd" if osd.get("rotational") else "ssd"
    return known.get(str(osd["id"])) or str(osd.get("device_class") or own)


def with_keys(
    keyrings: Iterable[Mapping[str, Any]], keys: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Add to each keyring its entity's key; it is empty as long as there is none (check mode)."""
    return [{**keyring, "key": keys.get(keyring["entity"], "")} for keyring in keyrings]


def absent_users(entities: Iterable[str]) -> list[dict[str, str]]:
    """Name users that must not be there, as the module `ceph_auth` takes them."""
    return [{"entity": str(entity), "state": "absent"} for entity in entities]


def absent_mons(names: Iterable[str]) -> list[dict[str, str]]:
    """Name mons that must not be in the monmap, as the module `ceph_mon` takes them."""
    return [{"name": str(name), "state": "absent"} for name in names]


def digests(secrets: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Give what secrets can be compared by, and not be known by."""
    return {
        str(name): {str(key): _digest(value) for key, value in keys.items()}
        for name, keys in secrets.items()
    }


def with_secrets(
    settings: Iterable[Mapping[str, Any]], secrets: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Put its value into each setting that names a secret as `secret: {name, key}`."""
    return [{**one, "value": _value(one, secrets), "secret": True} for one in settings]


def secret_value(secret: Mapping[str, str] | None, secrets: Mapping[str, Mapping[str, Any]]) -> str:
    """Give the value that a secret's `name` and `key` mean, and nothing for no secret."""
    return _text(secrets[secret["name"]][secret["key"]]) if secret else ""


def _value(setting: Mapping[str, Any], secrets: Mapping[str, Mapping[str, Any]]) -> str:
    secret = setting.get("secret")
    return secret_value(secret, secrets) if secret else _text(setting["value"])


def _digest(value: Any) -> str:  # noqa: ANN401 - whatever YAML gave
    return f"sha256:{hashlib.sha256(_text(value).encode('utf-8', 'replace')).hexdigest()}"


def _text(value: Any) -> str:  # noqa: ANN401 - whatever YAML gave
    return str(value).lower() if isinstance(value, bool) else str(value)


def restarted(modules: Iterable[str]) -> list[dict[str, Any]]:
    """Name mgr modules to start anew, as the module `ceph_mgr_module` takes them."""
    return [{"name": str(name), "enabled": True, "restart": True} for name in modules]


def owned_by_nobody(settings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mark settings that a cluster only begins with, so that none is taken for one to keep."""
    return [{**setting, "owned": False} for setting in settings]


def present_mons(
    members: Iterable[Mapping[str, Any]], names: Iterable[str]
) -> list[dict[str, str]]:
    """Give these members with their addresses, as the module `ceph_mon` takes them."""
    wanted = set(names)
    return [
        {"name": str(mon["name"]), "state": "present", "addrs": mon["addrs"]}
        for mon in members
        if mon["name"] in wanted
    ]


def with_addrs(mons: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Add to each mon all its addresses, where only its IP is given."""
    return [{**mon, "addrs": _addresses(mon)} for mon in mons]


def _kept(instance: Mapping[str, Any]) -> dict[str, Any]:
    """Give what a daemon says of itself, which goes before the description of its kind."""
    return {
        **({"record": str(instance["record"])} if instance.get("record") else {}),
        **{key: dict(instance[key]) for key in ("resources", "environment") if instance.get(key)},
    }


def _filled(value: Any, instance: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any depth of lists
    if isinstance(value, str):
        return value.format_map(instance) if "{" in value else value
    if hasattr(value, "items"):
        return {_filled(key, instance): _filled(item, instance) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(item, instance) for item in value]
    return value


def _addresses(mon: Mapping[str, Any]) -> str:
    addresses = mon.get("addrs")
    if isinstance(addresses, str):
        return addresses
    if addresses:
        return "[" + ",".join(addresses) + "]"
    host = mon["address"]
    host = f"[{host}]" if ":" in host else host
    return f"[v2:{host}:3300,v1:{host}:6789]"


class FilterModule:
    """Entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "absent_mons": absent_mons,
            "absent_users": absent_users,
            "addressed": addressed,
            "booting": booting,
            "classed": classed,
            "daemon_descriptions": daemon_descriptions,
            "digests": digests,
            "filled": filled,
            "letter": letter,
            "lowest_rank_last": lowest_rank_last,
            "mon_host": mon_host,
            "mon_members": mon_members,
            "present_mons": present_mons,
            "monmap_arguments": monmap_arguments,
            "owned_by_nobody": owned_by_nobody,
            "restarted": restarted,
            "secret_value": secret_value,
            "with_addrs": with_addrs,
            "with_keys": with_keys,
            "with_secrets": with_secrets,
        }
