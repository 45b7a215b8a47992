"""The mons whose data is on this host: of which cluster, and whether it ever had a quorum.

A running mon tells over its admin socket; a stopped one's monmap is taken out of its store.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import admin_socket, program
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

DATA = Path("/var/lib/ceph/mon")
_PREFIX = "ceph-"
_SECONDS = 20.0
_UNKNOWN = -1


@dataclass(frozen=True)
class MonStore:
    """One mon's data; epoch 0 was never in quorum, -1 is not known."""

    id: str
    path: str
    fsid: str = ""
    epoch: int = _UNKNOWN
    members: tuple[str, ...] = ()
    problem: str = ""

    @property
    def formed(self) -> bool:
        """Say whether the mon belongs, or may belong, to a cluster that lives."""
        return self.epoch != 0


def observe() -> list[MonStore]:
    """Look at every mon of this host."""
    return [_look(mon_id) for mon_id in local_ids()]


def local_ids() -> list[str]:
    """Name the mons that have data here."""
    return sorted(store.parent.name[len(_PREFIX) :] for store in DATA.glob(f"{_PREFIX}*/store.db"))


def socket_path(mon_id: str) -> str:
    return f"/var/run/ceph/ceph-mon.{mon_id}.asok"


def _look(mon_id: str) -> MonStore:
    path = str(DATA / f"{_PREFIX}{mon_id}")
    try:
        return _from_status(mon_id, path, admin_socket.ask(socket_path(mon_id), _STATUS))
    except CephError:
        pass  # not running: its store says it too
    try:
        return _from_text(mon_id, path, _extracted(mon_id))
    except HostError as error:
        return MonStore(mon_id, path, problem=str(error))


_STATUS = {"prefix": "mon_status"}


def _from_status(mon_id: str, path: str, status: dict[str, Any]) -> MonStore:
    monmap = status["monmap"]
    names = tuple(str(mon["name"]) for mon in monmap["mons"])
    return MonStore(mon_id, path, str(monmap["fsid"]), int(monmap["epoch"]), names)


def _extracted(mon_id: str) -> str:
    with tempfile.TemporaryDirectory(prefix="ceph-orchestrator-") as folder:
        monmap = f"{folder}/monmap"
        program.run(["ceph-mon", "-i", mon_id, "--extract-monmap", monmap], _SECONDS)
        return program.run(["monmaptool", "--print", monmap], _SECONDS)


def _from_text(mon_id: str, path: str, text: str) -> MonStore:
    fsid = re.search(r"^fsid (\S+)", text, re.MULTILINE)
    epoch = re.search(r"^epoch (\d+)", text, re.MULTILINE)
    return MonStore(
        mon_id,
        path,
        fsid.group(1) if fsid else "",
        int(epoch.group(1)) if epoch else _UNKNOWN,
        tuple(re.findall(r"^\d+: .* mon\.(\S+)$", text, re.MULTILINE)),
    )
