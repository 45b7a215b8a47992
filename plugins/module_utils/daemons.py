"""The Ceph daemons of a host: the union of data directories, our records and systemd's units.

Each of the three can be lost or left behind alone, and each alone is a reason to look closer.
"""

from __future__ import annotations

import errno
import re
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    monmap,
    records,
    units,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DATA = Path("/var/lib/ceph")
ASIDE_PREFIX = "removed-"
"""How removal names a data directory that it puts aside: with its cluster and a number."""
TYPES = ("mon", "mgr", "osd")
_CLUSTER = "ceph"
_UNKNOWN = "unknown"
_PUT_ASIDE = re.compile(
    rf"{ASIDE_PREFIX}{_CLUSTER}-(.+?)(?:-([0-9a-f]{{8}}(?:-[0-9a-f]{{4,12}}){{4}}))?-\d+"
)
_STOPPED = ("inactive", "failed", _UNKNOWN)


@dataclass
class Daemon:
    """One entry of the module's `daemons`; the names are those of its RETURN."""

    type: str
    id: str
    data: bool
    keyring: bool
    active: str
    enabled: bool
    record: str
    drifted: list[str]
    fsid: str = ""
    osd_uuid: str = ""

    def result(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Mon(Daemon):
    mon_state: str = ""
    monmap_epoch: int = -1
    monmap: tuple[dict[str, Any], ...] = ()
    running_seconds: float = -1.0
    monmap_age: float = -1.0


def data_dir(kind: str, daemon_id: str) -> Path:
    return DATA / kind / f"{_CLUSTER}-{daemon_id}"


def collect(errors: list[str]) -> tuple[list[Daemon], dict[str, monmap.MonView]]:
    """List all daemons, and the views of the mons that run here."""
    known = _with_data() | records.identities()
    names = {units.name(*identity) for identity in known} | units.enabled_names()
    try:
        states: Mapping[str, units.Unit] | None = units.show(names)
    except units.UnitsError as error:
        errors.append(str(error))
        states = None
    daemons = [_daemon(kind, daemon_id, states) for kind, daemon_id in _all(known, states)]
    views = {mon.id: _look(mon, errors) for mon in daemons if isinstance(mon, Mon)}
    return daemons, {mon_id: view for mon_id, view in views.items() if view.state}


def _with_data() -> set[tuple[str, str]]:
    prefix = f"{_CLUSTER}-"
    return {
        (kind, folder.name[len(prefix) :])
        for kind in TYPES
        for folder in (DATA / kind).glob(f"{prefix}*")
        if _filled(folder)
    }


def put_aside() -> list[dict[str, str]]:
    """Name each daemon whose data was put aside here once, with its cluster if the name has it."""
    found = {
        (kind, match[1], match[2] or "")
        for kind in TYPES
        for folder in (DATA / kind).glob(f"{ASIDE_PREFIX}*")
        if (match := _PUT_ASIDE.fullmatch(folder.name))
    }
    return [{"type": kind, "id": name, "fsid": fsid} for kind, name, fsid in sorted(found)]


def _filled(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # not to be read is not the same as empty
        return True


def _all(
    known: Iterable[tuple[str, str]], states: Mapping[str, units.Unit] | None
) -> list[tuple[str, str]]:
    loaded = {units.identity(name) for name, unit in (states or {}).items() if unit.wanted}
    return sorted({*known, *(identity for identity in loaded if identity)})


def _daemon(kind: str, daemon_id: str, states: Mapping[str, units.Unit] | None) -> Daemon:
    folder, record = data_dir(kind, daemon_id), records.read(kind, daemon_id)
    unknown = units.Unit(active=_UNKNOWN if states is None else "inactive", enabled=False)
    unit = (states or {}).get(units.name(kind, daemon_id), unknown)
    daemon = (Mon if kind == "mon" else Daemon)(
        type=kind,
        id=daemon_id,
        data=_filled(folder),
        keyring=(folder / "keyring").is_file(),
        active=unit.active or _UNKNOWN,
        enabled=unit.enabled,
        record=record.text,
        drifted=record.drifted(),
    )
    if isinstance(daemon, Mon):
        daemon.running_seconds = unit.running_seconds()
    if kind == "osd":
        daemon.fsid, daemon.osd_uuid = _line(folder / "ceph_fsid"), _line(folder / "fsid")
    return daemon


def _line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _look(mon: Mon, errors: list[str]) -> monmap.MonView:
    """Fill in what the mon or its store says; what cannot be read stays unknown and is named."""
    try:
        view = _view(mon)
    except CephError as error:
        errors.append(error.message)
        return monmap.MonView()
    mon.fsid, mon.mon_state, mon.monmap_epoch = view.fsid, view.state, view.epoch
    mon.monmap_age = view.age(datetime.now(timezone.utc))
    mon.monmap = tuple(
        {"name": one.name, "addr": one.address, "addrs": list(one.addrs)} for one in view.members
    )
    return view


def _view(mon: Mon) -> monmap.MonView:
    try:
        return monmap.running(mon.id)
    except CephError as error:
        gone = error.errno in (errno.ENOENT, errno.ECONNREFUSED)
        if not gone or mon.active not in _STOPPED:
            raise
    if not (data_dir("mon", mon.id) / "store.db").is_dir():
        return monmap.MonView()
    return monmap.stopped(mon.id)


def complete_osds(
    daemons: Iterable[Daemon], labels: Iterable[Mapping[str, Any]], fsid: str
) -> None:
    """Name OSDs whose directory is gone (a tmpfs after a reboot) by the labels on the disks.

    Two clusters may both have an osd.0 here: only a single label of this cluster is proof.
    """
    found = list(labels)
    for daemon in daemons:
        if daemon.type == "osd" and not daemon.osd_uuid:
            mine = {
                label["uuid"]
                for label in found
                if str(label["id"]) == daemon.id and label["fsid"] == fsid
            }
            if len(mine) == 1:
                daemon.osd_uuid, daemon.fsid = mine.pop(), fsid
