"""Whether daemons do their work: one look at the mons, mgrs and OSDs of a cluster at a time."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    admin_socket,
    mon_store,
    monmap,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

_FIRST_PAUSE = 0.1
_LAST_PAUSE = 1.0
_SOCKET_SECONDS = 1.0
_ELECTION_SECONDS = 0.6
_FLAGS = ("noup", "noin", "pauserd")


class Look(NamedTuple):
    """One look: who is not ready yet, and what to give back when all are."""

    missing: list[str]
    found: dict[str, Any]


def until_ready(look: Callable[[], Look], seconds: float) -> tuple[Look, float]:
    """Look again, at growing intervals, until nothing is missing or the time is up."""
    start, pause = time.monotonic(), _FIRST_PAUSE
    while True:
        seen = look()
        waited = time.monotonic() - start
        if not seen.missing or waited >= seconds:
            return seen, waited
        time.sleep(min(pause, max(0.0, seconds - waited)))
        pause = min(pause * 1.5, _LAST_PAUSE)


def local_quorum(names: Sequence[str], fsid: str) -> Look:
    """Ask this host's own mons, which answer without a quorum."""
    views = [view for view in map(_view, mon_store.local_ids()) if view]
    mine = [view for view in views if fsid in ("", view.fsid)]
    if not mine:
        return Look(["an answer of a mon on this host"], {})
    ready = {name for view in mine for name in view.quorum_names}
    return Look([f"mon.{name}" for name in names if name not in ready], {})


def _view(mon_id: str) -> monmap.MonView | None:
    with contextlib.suppress(CephError):
        return monmap.running(mon_id)
    return None


class Hastener:
    """Begins an election of a new cluster anew when it hangs: mons that just started lose votes.

    The first one is followed at once by another, in which they agree on their release's features.
    """

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def look(self) -> None:
        for mon_id in mon_store.local_ids():
            view = _view(mon_id)
            if view and view.state == "electing":
                self._hasten(mon_id)
            else:
                self._since.pop(mon_id, None)

    def _hasten(self, mon_id: str) -> None:
        now = time.monotonic()
        if now - self._since.setdefault(mon_id, now) < _ELECTION_SECONDS:
            return
        self._since[mon_id] = now
        with contextlib.suppress(CephError):
            path = str(monmap.socket_of(mon_id))
            admin_socket.ask(path, {"prefix": "quorum enter"}, _SOCKET_SECONDS)


def mons(dump: Mapping[str, Any], names: Sequence[str]) -> Look:
    quorum = set(dump["quorum"])
    found = [
        {
            "name": mon["name"],
            "addrs": [f"{one['type']}:{one['addr']}" for one in mon["public_addrs"]["addrvec"]],
            "in_quorum": mon["rank"] in quorum,
        }
        for mon in dump["mons"]
    ]
    ready = {mon["name"] for mon in found if mon["in_quorum"]}
    return Look([f"mon.{name}" for name in names if name not in ready], {"mons": found})


def mgrs(dump: Mapping[str, Any], names: Sequence[str]) -> Look:
    standbys = {_name(standby) for standby in dump["standbys"]}
    known = standbys | {dump["active_name"]}
    missing = [f"mgr.{name}" for name in names if name not in known]
    if not dump["available"]:
        missing = missing or ["an active mgr"]
    return Look(missing, {})


def _name(standby: Any) -> str:  # noqa: ANN401 - an object, or in some builds its name alone
    return str(standby["name"] if isinstance(standby, dict) else standby)


def osds(dump: Mapping[str, Any], wanted: Sequence[Mapping[str, Any]]) -> Look:
    """Find the wanted OSDs; one that the cluster does not have cannot be waited for."""
    known = {int(osd["osd"]): osd for osd in dump["osds"]}
    here = [one for one in wanted if _is_known(known.get(one["id"]), one)]
    missing = [f"osd.{one['id']}" for one in here if not _is_ready(known[one["id"]], one)]
    flags = [flag for flag in _FLAGS if flag in str(dump.get("flags", "")).split(",")]
    if missing and flags:
        missing.append(f"flags that are set: {', '.join(flags)}")
    found = {
        "osds": [_osd(known[one["id"]]) for one in here],
        "unknown_osds": [
            {"id": one["id"], "uuid": one["uuid"]} for one in wanted if one not in here
        ],
    }
    return Look(missing, found)


def _is_known(osd: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> bool:
    return osd is not None and wanted["uuid"] in ("", osd["uuid"])


def _is_ready(osd: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    booted = bool(osd["up"]) and int(osd.get("up_from", 0)) > wanted["booted_after"]
    return booted and (bool(osd["in"]) or not wanted["joined"])


def _osd(osd: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": int(osd["osd"]),
        "uuid": osd["uuid"],
        "up": bool(osd["up"]),
        "in": bool(osd["in"]),
    }


def device_classes(client: CephClient) -> dict[int, str]:
    """Give the class of each OSD in the CRUSH map."""
    nodes = client.command("osd tree")["nodes"]
    return {
        int(node["id"]): str(node.get("device_class") or "")
        for node in nodes
        if node.get("type") == "osd"
    }
