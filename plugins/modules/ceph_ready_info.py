"""Waits, for a bounded time, until daemons do their work; names those that do not."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    admin_socket,
    cluster,
    mon_store,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DOCUMENTATION = r"""
module: ceph_ready_info
short_description: Wait until mons, mgrs and OSDs of a Ceph cluster are ready
version_added: 0.1.0
description:
  - Waits until all named daemons are ready, and fails with the names of the others when the time is up.
  - Mons are ready when they are in quorum, mgrs when one is active and the others stand by, OSDs when
    they are up.
  - With nothing to wait for it makes sure that there is a quorum.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
options:
  mons:
    description: Mons that must be in quorum.
    type: list
    elements: str
    default: []
  mgrs:
    description: Mgrs of which one must be active and all must be known.
    type: list
    elements: str
    default: []
  osds:
    description: OSDs that must be up.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: The OSD's number.
        type: int
        required: true
      uuid:
        description: The OSD's uuid; another OSD of the same number does not count.
        type: str
        default: ""
      joined:
        description: Whether it must be in as well, which an OSD that is being drained is not.
        type: bool
        default: false
  first_quorum:
    description:
      - Whether a first election that hangs is begun anew.
      - Mons that start at the same moment may miss each other's votes and would wait five seconds.
        Only for a cluster that is being made.
    type: bool
    default: false
  wait:
    description: Seconds to wait.
    type: float
    default: 120.0
attributes:
  check_mode:
    description: It only reads, and does not wait.
    support: full
  diff_mode:
    description: It changes nothing.
    support: none
author: The ceph-orchestrator authors
"""

EXAMPLES = r"""
- name: Wait for the quorum
  ceph_orchestrator.ceph.ceph_ready_info:
    mons: [a, b, c]
    wait: 60
"""

RETURN = r"""
fsid:
  description: The cluster, empty in check mode before there is one.
  returned: success
  type: str
  sample: 0a1b2c3d-1111-4222-8333-444455556666
mons:
  description: The members of the monmap.
  returned: success
  type: list
  elements: dict
  sample:
    - {name: a, addrs: ["v2:192.0.2.1:3300", "v1:192.0.2.1:6789"], in_quorum: true}
osds:
  description: The OSDs that were asked for, as the cluster knows them.
  returned: success
  type: list
  elements: dict
  sample:
    - {id: 0, uuid: 0b7e9a53-7d0c-4d0e-8f5b-9f6f8f1c7a11, up: true, in: true, device_class: hdd}
unknown_osds:
  description: OSDs that were asked for and that the cluster does not have (purged, their disk not wiped).
  returned: success
  type: list
  elements: int
  sample: []
waited:
  description: Seconds that it took.
  returned: always
  type: float
  sample: 4.2
"""

_FIRST_PAUSE, _LAST_PAUSE = 0.1, 1.0
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
    statuses = [status for status in map(_status, mon_store.local_ids()) if status]
    mine = [one for one in statuses if not fsid or one["monmap"]["fsid"] == fsid]
    if not mine:
        return Look(["no mon on this host answers yet"], {})
    quorum = {rank for one in mine for rank in one["quorum"]}
    members = {mon["name"]: mon["rank"] in quorum for one in mine for mon in one["monmap"]["mons"]}
    return Look([f"mon.{name}" for name in names if not members.get(name)], {})


class Hastener:
    """Begins an election of a new cluster anew when it hangs: mons that just started lose votes.

    The first one is followed at once by another, in which they agree on the features of their release.
    """

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def look(self) -> None:
        for mon_id in mon_store.local_ids():
            status = _status(mon_id)
            if status and status["state"] == "electing":
                self._hasten(mon_id)
            else:
                self._since.pop(mon_id, None)

    def _hasten(self, mon_id: str) -> None:
        now = time.monotonic()
        if now - self._since.setdefault(mon_id, now) < _ELECTION_SECONDS:
            return
        self._since[mon_id] = now
        with contextlib.suppress(CephError):
            path = mon_store.socket_path(mon_id)
            admin_socket.ask(path, {"prefix": "quorum enter"}, _SOCKET_SECONDS)


def _status(mon_id: str) -> dict[str, Any] | None:
    try:
        path = mon_store.socket_path(mon_id)
        answer = admin_socket.ask(path, {"prefix": "mon_status"}, _SOCKET_SECONDS)
    except CephError:
        return None
    return answer if isinstance(answer, dict) else None


def mons(client: CephClient, names: Sequence[str]) -> Look:
    dump = client.command("mon dump")
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


def mgrs(client: CephClient, names: Sequence[str]) -> Look:
    if not names:
        return Look([], {})
    dump = client.command("mgr dump")
    standbys = {str(one["name"] if isinstance(one, dict) else one) for one in dump["standbys"]}
    known = standbys | {dump["active_name"]}
    missing = [f"mgr.{name}" for name in names if name not in known]
    if not dump["available"]:
        missing = missing or ["an active mgr"]
    return Look(missing, {})


def osds(client: CephClient, wanted: Sequence[Mapping[str, Any]]) -> Look:
    if not wanted:
        return Look([], {"osds": [], "unknown_osds": []})
    dump = client.command("osd dump")
    known = {int(osd["osd"]): osd for osd in dump["osds"]}
    here = [one for one in wanted if _is_known(known.get(one["id"]), one)]
    missing = [
        f"osd.{one['id']}" for one in here if not _is_ready(known[one["id"]], one["joined"])
    ]
    flags = [flag for flag in _FLAGS if flag in dump.get("flags", "").split(",")]
    if missing and flags:
        missing.append(f"flags set: {', '.join(flags)}")
    found = {
        "osds": [_osd(known[one["id"]]) for one in here],
        "unknown_osds": [one["id"] for one in wanted if one not in here],
    }
    return Look(missing, found)


def _is_known(osd: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> bool:
    return osd is not None and wanted["uuid"] in ("", osd["uuid"])


def _is_ready(osd: Mapping[str, Any], joined: bool) -> bool:  # noqa: FBT001
    return bool(osd["up"]) and (bool(osd["in"]) or not joined)


def _osd(osd: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": int(osd["osd"]),
        "uuid": osd["uuid"],
        "up": bool(osd["up"]),
        "in": bool(osd["in"]),
    }


def classes(client: CephClient) -> dict[int, str]:
    nodes = client.command("osd tree")["nodes"]
    return {int(node["id"]): str(node.get("device_class") or "") for node in nodes}


def observe(client: CephClient, parameters: Mapping[str, Any]) -> Look:
    looks = [
        mons(client, parameters["mons"]),
        mgrs(client, parameters["mgrs"]),
        osds(client, parameters["osds"]),
    ]
    found: dict[str, Any] = {}
    for look in looks:
        found.update(look.found)
    return Look([name for look in looks for name in look.missing], found)


def _wait(module: AnsibleModule) -> tuple[Look, float]:
    parameters, seconds = module.params, 0.0 if module.check_mode else module.params["wait"]
    waited = 0.0
    if parameters["mons"] and mon_store.local_ids():
        look = until_ready(_quorum_of(parameters), seconds)
        if look[0].missing:
            return look
        waited = look[1]
    with cluster.connected(parameters) as client:
        look = until_ready(lambda: observe(client, parameters), max(0.0, seconds - waited))
        look[0].found["fsid"] = cluster.fsid_of(client)
        if look[0].found["osds"]:
            by_id = classes(client)
            for osd in look[0].found["osds"]:
                osd["device_class"] = by_id.get(osd["id"], "")
    return look[0], waited + look[1]


def _quorum_of(parameters: Mapping[str, Any]) -> Callable[[], Look]:
    hastener = Hastener()

    def look() -> Look:
        if parameters["first_quorum"]:
            hastener.look()
        return local_quorum(parameters["mons"], parameters["fsid"])

    return look


def main() -> None:
    osd = {
        "id": {"type": "int", "required": True},
        "uuid": {"type": "str", "default": ""},
        "joined": {"type": "bool", "default": False},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "mons": {"type": "list", "elements": "str", "default": []},
            "mgrs": {"type": "list", "elements": "str", "default": []},
            "osds": {"type": "list", "elements": "dict", "default": [], "options": osd},
            "first_quorum": {"type": "bool", "default": False},
            "wait": {"type": "float", "default": 120.0},
        },
        supports_check_mode=True,
    )
    if module.check_mode and cluster.is_unknown():
        module.exit_json(changed=False, fsid="", mons=[], osds=[], unknown_osds=[], waited=0.0)
    try:
        look, waited = _wait(module)
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)
    if look.missing and not module.check_mode:
        module.fail_json(
            msg=f"not ready after {waited:.0f} s: {', '.join(look.missing)}", missing=look.missing
        )
    module.exit_json(changed=False, waited=round(waited, 2), **look.found)


if __name__ == "__main__":
    main()
