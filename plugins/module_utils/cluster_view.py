"""Ceph's own view of the cluster, in the small shape that planning needs.

Every command can fail alone: it is named in `errors` and its section is left out, so that an absent
section is always "not known" and an empty one "nothing there". Keys and secrets never get in.
"""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_client,
    config_keys,
    config_view,
    full_ratios,
    grown_osds,
    locks,
    owned,
    spare_osds,
    stoppable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.monmap import MonView

_LOCKS = "config-key dump"
_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {_LOCKS: {"key": locks.PREFIX}}
_COMMANDS = (
    "status",
    "versions",
    "df",
    "osd dump",
    "osd tree",
    "osd crush rule dump",
    "mgr dump",
    "config dump",
    "auth ls",
    _LOCKS,
)
SECRETS = "secrets"
SPARE = "spare osds"
GROWN = "grown osds"
OWNED = f"config-key get {owned.KEY}"
_REFUSED = (errno.EACCES, errno.EPERM, errno.ENOENT)
_LOST = (errno.ETIMEDOUT, errno.EPIPE, errno.ENOTCONN)


@dataclass(frozen=True)
class Waiting:
    """OSDs that are to be restarted, in order, and how many at most at a time.

    With `grown` those are asked for as well that are larger than their weight.
    """

    osds: Sequence[int] = ()
    most: int = 1
    grown: bool = False


NOBODY = Waiting()


def collect(
    view: MonView,
    timeout: float,
    keyrings: Sequence[tuple[str, str]],
    secrets: Collection[str] = (),
    waiting: Waiting = NOBODY,
) -> dict[str, Any]:
    """Ask the cluster whose leading mon gave `view`; an answer always comes, with its errors.

    `keyrings` (name, file) are tried in order, as long as the cluster refuses the one before.
    `secrets` are digests of values that must not be shown, whatever option has them.
    """
    errors: list[str] = []
    answers: dict[str, Any] = {}
    stops: list[dict[str, Any]] = []
    for name, keyring in keyrings:
        try:
            with ceph_client.CephClient(name=name, keyring=keyring, timeout=timeout) as client:
                answers = ask(client, errors, timeout, grown=waiting.grown)
                stops = stoppable.first(client, waiting.osds, waiting.most, timeout)
            break
        except ceph_client.CephError as error:
            errors.append(f"connect: {error.message}")
            if error.errno not in _REFUSED:
                break
    asked = {"ok_to_stop": stops} if waiting.osds else {}
    return {**from_mon(view), **shape(answers, errors, secrets), **asked, "errors": errors}


def ask(
    client: ceph_client.CephClient, errors: list[str], timeout: float, *, grown: bool = False
) -> dict[str, Any]:
    """Give the answers that came within the time.

    What only a mgr can tell is asked last, and where nobody needs it not at all: one that was lost
    a moment ago does not answer.
    """
    answers: dict[str, Any] = {}
    until = time.monotonic() + timeout
    questions: dict[str, Callable[[], Any]] = {
        command: partial(client.command, command, **_ARGUMENTS.get(command, {}))
        for command in _COMMANDS
    }
    questions[OWNED] = partial(config_keys.get, client, owned.KEY)
    questions["dashboard"] = lambda: config_view.ask_dashboard(client, answers.get("mgr dump"))
    questions[SPARE] = lambda: spare_osds.ask(
        client, answers.get("osd dump"), answers.get("mgr dump")
    )
    if grown:
        questions[GROWN] = lambda: grown_osds.ask(client, answers.get("mgr dump"))
    for command, question in questions.items():
        if time.monotonic() > until:
            errors.append(f"{command}: not asked, the cluster is too slow")
            continue
        try:
            answers[command] = question()
        except ceph_client.CephError as error:
            errors.append(error.message)
            if error.errno in _LOST:
                until = 0.0
    return answers


def from_mon(view: MonView) -> dict[str, Any]:
    members = [{"name": m.name, "rank": m.rank, "addrs": list(m.addrs)} for m in view.members]
    return {"fsid": view.fsid, "quorum_names": view.quorum_names, "mons": members}


def shape(
    answers: Mapping[str, Any], errors: list[str], secrets: Collection[str] = ()
) -> dict[str, Any]:
    """Turn answers into sections; an odd answer costs its own section alone."""
    answers = {**answers, SECRETS: frozenset(secrets)}
    sections = {}
    for section, (commands, make) in _SECTIONS.items():
        if all(command in answers for command in commands):
            try:
                sections[section] = make(*(answers[command] for command in commands))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                errors.append(f"{section}: odd answer ({type(error).__name__}: {error})")
    return sections


def document(answer: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    if not isinstance(answer, dict):
        raise TypeError(f"not an object: {answer!s:.80}")
    return answer


def capacity(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Give the totals, and which pools of users hold how many objects.

    Without pools where that cannot be read: a pool that is passed over could be destroyed.
    """
    pools = _filled_pools(answer.get("pools"))
    return {**document(answer["stats"]), **({} if pools is None else {"pools": pools})}


def _filled_pools(pools: Any) -> dict[str, int] | None:  # noqa: ANN401 - whatever Ceph printed
    """Ceph's own pools, whose names begin with a dot, are nobody's data."""
    try:
        counts = {str(pool["name"]): pool["stats"] for pool in pools}
        theirs = {name: stats for name, stats in counts.items() if not name.startswith(".")}
        objects = {name: int(stats["objects"]) for name, stats in theirs.items()}
    except (KeyError, TypeError, ValueError):
        return None
    return {name: count for name, count in objects.items() if count}


def osds(dump: Mapping[str, Any], tree: Mapping[str, Any]) -> list[dict[str, Any]]:
    placed = places(tree)
    return [_osd(one, *placed.get(int(one["osd"]), ("", ""))) for one in dump["osds"]]


def _osd(one: Mapping[str, Any], host: str, device_class: str) -> dict[str, Any]:
    return {
        "id": int(one["osd"]),
        "uuid": str(one["uuid"]),
        "up": bool(one["up"]),
        "in": bool(one["in"]),
        "host": host,
        "device_class": device_class,
    }


def places(tree: Mapping[str, Any]) -> dict[int, tuple[str, str]]:
    """Map OSD id to CRUSH host and device class."""
    nodes = tree["nodes"]
    hosts = {
        child: str(node["name"])
        for node in nodes
        if node.get("type") == "host"
        for child in node.get("children", ())
    }
    return {
        int(node["id"]): (hosts.get(node["id"], ""), str(node.get("device_class") or ""))
        for node in (*nodes, *tree.get("stray", ()))
        if node.get("type") == "osd"
    }


def crush_hosts(tree: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Map the hosts of the CRUSH map to the buckets above them, each one's type and name."""
    parents = {child: node for node in tree["nodes"] for child in node.get("children", ())}
    return {
        str(node["name"]): {str(one["type"]): str(one["name"]) for one in _above(node, parents)}
        for node in tree["nodes"]
        if node.get("type") == "host"
    }


def _above(
    node: Mapping[str, Any], parents: Mapping[int, Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Walk up from a bucket; a tree that leads back to where it was is no tree."""
    seen = {node["id"]}
    while node["id"] in parents:
        node = parents[node["id"]]
        if node["id"] in seen:
            raise ValueError(f"bucket {node['name']} stands above itself")
        seen.add(node["id"])
        yield node


def required_release(dump: Mapping[str, Any]) -> str:
    return str(dump["require_osd_release"])


def told(found: Any) -> Any:  # noqa: ANN401 - who asked has given it its shape
    return found


def failure_domains(dump: Mapping[str, Any], rules: Any) -> list[str]:  # noqa: ANN401 - JSON
    """List the levels of which the pools can lose a bucket each, by the rules that they have."""
    used = {pool["crush_rule"] for pool in dump["pools"]}
    return sorted(
        {
            str(step["type"])
            for rule in rules
            if rule["rule_id"] in used
            for step in rule["steps"]
            if str(step["op"]).startswith("choose")
        }
    )


def mgr(dump: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "available": bool(dump["available"]),
        "active": str(dump.get("active_name") or ""),
        "address": _bare(str(dump.get("active_addr") or "")),
        "standbys": [_standby(one) for one in dump.get("standbys") or ()],
        "services": {str(name): str(url) for name, url in (dump.get("services") or {}).items()},
    }


def _bare(address: str) -> str:
    """Give the IP of an address in Ceph's form, such as 10.1.2.3:6800/7 or [fd00::1]:6800/7."""
    found = address.rpartition(":")[0].strip("[]")
    return "" if found in _NO_ADDRESS else found


_NO_ADDRESS = ("", ":", "-", "0.0.0.0", "::")  # noqa: S104 - Ceph's words where no mgr is active


def _standby(one: Any) -> str:  # noqa: ANN401 - an object, or in some builds its name alone
    return str(one["name"]) if isinstance(one, dict) else str(one)


def mgr_modules(dump: Mapping[str, Any]) -> dict[str, Any]:
    always_on = dump.get("always_on_modules") or {}
    return {
        "enabled": sorted(dump["modules"]),
        "always_on": sorted({name for names in always_on.values() for name in names}),
        "available": sorted(_standby(one) for one in dump.get("available_modules") or ()),
    }


def mutes(status: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = (document(status).get("health") or {}).get("mutes") or ()
    return [{"code": str(one["code"]), "sticky": bool(one.get("sticky"))} for one in listed]


def auth(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List who may do what; the key of an entity is never copied."""
    return [
        {"entity": str(one["entity"]), "caps": {k: str(v) for k, v in one["caps"].items()}}
        for one in listed["auth_dump"]
    ]


def held(dump: Any) -> list[dict[str, object]]:  # noqa: ANN401 - JSON
    """List who works on the cluster, by the clock of this host."""
    return locks.in_cluster(dump, time.time())


_SECTIONS: Mapping[str, tuple[tuple[str, ...], Any]] = {
    "status": (("status",), document),
    "versions": (("versions",), document),
    "df": (("df",), capacity),
    "osds": (("osd dump", "osd tree"), osds),
    "safe_to_destroy": ((SPARE,), told),
    "grown_osds": ((GROWN,), told),
    "full_ratios": (("osd dump",), full_ratios.ratios),
    "required_osd_release": (("osd dump",), required_release),
    "crush_hosts": (("osd tree",), crush_hosts),
    "failure_domains": (("osd dump", "osd crush rule dump"), failure_domains),
    "mutes": (("status",), mutes),
    "mgr": (("mgr dump",), mgr),
    "mgr_modules": (("mgr dump",), mgr_modules),
    "owned": ((OWNED,), config_view.record),
    "config": (("config dump", OWNED, SECRETS), config_view.config),
    "dashboard": (("dashboard",), config_view.dashboard),
    "auth": (("auth ls",), auth),
    "locks": ((_LOCKS,), held),
}
