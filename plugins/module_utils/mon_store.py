"""The mons whose data is on this host: of which cluster, and whether they ever had a quorum."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import monmap
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

DATA = Path("/var/lib/ceph/mon")
_PREFIX = "ceph-"


@dataclass(frozen=True)
class MonStore:
    """One mon's data; epoch 0 was never in quorum, -1 is not known."""

    id: str
    path: str
    fsid: str = ""
    epoch: int = -1
    members: tuple[str, ...] = ()
    problem: str = ""

    @property
    def formed(self) -> bool:
        """Say whether the mon belongs, or may belong, to a cluster that lives."""
        return self.epoch != 0


def local_ids() -> list[str]:
    """Name the mons that have data here."""
    return sorted(store.parent.name[len(_PREFIX) :] for store in DATA.glob(f"{_PREFIX}*/store.db"))


def observe() -> list[MonStore]:
    """Look at every mon of this host."""
    return [_look(mon_id) for mon_id in local_ids()]


def _look(mon_id: str) -> MonStore:
    path = str(DATA / f"{_PREFIX}{mon_id}")
    try:
        view = _view(mon_id)
    except CephError as error:
        return MonStore(mon_id, path, problem=error.message)
    members = tuple(member.name for member in view.members)
    return MonStore(mon_id, path, view.fsid, view.epoch, members)


def _view(mon_id: str) -> monmap.MonView:
    """Ask the mon if it runs, and its store if it does not."""
    try:
        return monmap.running(mon_id)
    except CephError:
        return monmap.stopped(mon_id)
