"""From daemons that a host has to none: look, compare (pure), take away.

The record goes last: as long as it is there, a later look finds a daemon of ours to take away.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_conf,
    cluster,
    managed_file,
    mon_store,
    mounts,
    systemd,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.daemons import ASIDE_PREFIX
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import (
    HostError,
    ManagedFile,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import daemon

KEEP, ASIDE, DELETE = "keep", "aside", "delete"


@dataclass(frozen=True)
class State:
    """What the host has of daemons that are to go."""

    units: Mapping[str, systemd.Unit] = field(default_factory=dict)
    paths: frozenset[str] = frozenset()  # of those below, the ones that are there
    temporary: frozenset[str] = frozenset()  # data directories in memory, made from a disk's label
    conf: tuple[str, str] = ("", "")  # ceph.conf as it is, and without these daemons


@dataclass
class Changes:
    """What has to be done, in the order of the fields."""

    stop: list[str] = field(default_factory=list)
    disable: list[str] = field(default_factory=list)
    reset: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    conf: list[ManagedFile] = field(default_factory=list)
    unmount: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    delete: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)

    def actions(self) -> list[str]:
        return [
            *(f"stop {unit}" for unit in self.stop),
            *(f"disable {unit}" for unit in self.disable),
            *(f"remove {path}" for path in self.files),
            *(f"write {file.path}" for file in self.conf),
            *(f"unmount {path}" for path in self.unmount),
            *(f"put aside {path}" for path in self.aside),
            *(f"delete {path}" for path in self.delete),
            *(f"remove {path}" for path in self.records),
        ]


def observe(daemons: Sequence[daemon.Daemon]) -> State:
    if not daemons:
        return State()
    paths = [path for one in daemons for path in _paths(one)]
    text = managed_file.read(cluster.CONF)
    return State(
        units=systemd.show([one.unit for one in daemons]),
        paths=frozenset(path for path in paths if os.path.lexists(path)),
        temporary=frozenset(one.data_dir for one in daemons if mounts.is_tmpfs(one.data_dir)),
        conf=(text, ceph_conf.without(text, _settings(daemons))),
    )


def _paths(one: daemon.Daemon) -> tuple[str, str, str]:
    return one.drop_in().path, one.data_dir, one.record_path


def _settings(daemons: Sequence[daemon.Daemon]) -> dict[str, list[str]]:
    return {one.name: [name for name, _value in one.settings] for one in daemons if one.settings}


def check(daemons: Sequence[daemon.Daemon], fsid: str) -> None:
    """Refuse a daemon of another cluster, and data of which nobody can tell whose it is."""
    stores = {store.id: store for store in mon_store.observe()} if _has_mons(daemons) else {}
    for one in daemons:
        found = _owner(one, stores)
        if fsid and found and found != fsid:
            raise HostError(f"{one.name} belongs to the cluster {found}, not to {fsid}: refused")
        store = stores.get(one.id) if one.type == "mon" else None
        if store and not found and one.data != KEEP:
            raise HostError(
                f"{one.data_dir}: its fsid cannot be read ({store.problem}), so it is left alone"
            )


def _has_mons(daemons: Sequence[daemon.Daemon]) -> bool:
    return any(one.type == "mon" for one in daemons)


def _owner(one: daemon.Daemon, stores: Mapping[str, mon_store.MonStore]) -> str:
    if one.type == "mon":
        return stores[one.id].fsid if one.id in stores else ""
    return managed_file.read(str(Path(one.data_dir) / "ceph_fsid")).strip()


def difference(state: State, daemons: Sequence[daemon.Daemon]) -> Changes:
    changes = Changes()
    for one in daemons:
        unit = state.units[one.unit]
        drop_in, data, record = _paths(one)
        if unit.active not in ("inactive", "failed"):
            changes.stop.append(one.unit)
        if unit.active == "failed":
            changes.reset.append(one.unit)
        if unit.enabled:
            changes.disable.append(one.unit)
        if drop_in in state.paths:
            changes.files.append(drop_in)
        if record in state.paths:
            changes.records.append(record)
        _add_data(changes, state, one, data)
    before, after = state.conf
    if after != before:
        changes.conf.append(ManagedFile(cluster.CONF, after, keep=True))
    return changes


def _add_data(changes: Changes, state: State, one: daemon.Daemon, path: str) -> None:
    if path in state.temporary:
        changes.unmount.append(path)
    elif path in state.paths and one.data == ASIDE:
        changes.aside.append(path)
    elif path in state.paths and one.data == DELETE:
        changes.delete.append(path)


def apply(changes: Changes, seconds: float, fsid: str = "") -> None:
    systemd.tell("stop", changes.stop, seconds=seconds)
    _make_sure(changes.stop)
    systemd.tell("disable", changes.disable)
    systemd.tell("reset-failed", changes.reset)
    for path in changes.files:
        _remove(Path(path))
    if changes.files:
        systemd.tell("daemon-reload")
    for file in changes.conf:
        managed_file.write(file)
    for path in changes.unmount:
        mounts.unmount(path)
    for path in changes.aside:
        _put_aside(Path(path), fsid)
    for path in changes.delete:
        delete_tree(Path(path))
    for path in changes.records:
        Path(path).unlink(missing_ok=True)


def _make_sure(units: Sequence[str]) -> None:
    states = systemd.show(list(units))
    up = [name for name, unit in states.items() if unit.active not in ("inactive", "failed")]
    if up:
        raise HostError(f"{', '.join(up)}: still there after it was stopped; nothing was removed")
    systemd.tell("reset-failed", [name for name, unit in states.items() if unit.active == "failed"])


def _remove(path: Path) -> None:
    """Remove a file, and the folder that was made for it alone."""
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        path.parent.rmdir()


def _put_aside(path: Path, fsid: str) -> None:
    """Rename it within its folder: nothing is copied, no daemon looks there, and it says whose."""
    name, number = "-".join(filter(None, (f"{ASIDE_PREFIX}{path.name}", fsid))), 1
    while os.path.lexists(target := path.parent / f"{name}-{number}"):
        number += 1
    try:
        path.rename(target)
    except OSError as error:
        raise HostError(f"{path}: cannot be put aside: {error.strerror}") from None


def delete_tree(path: Path) -> None:
    """Delete a directory; what a link leads to goes with it, what is mounted in it is refused."""
    inside = mounts.below(str(path.resolve()))
    if inside:
        raise HostError(f"{path}: {', '.join(inside)} is mounted there, so it is left alone")
    try:
        if path.is_symlink():
            shutil.rmtree(path.resolve(), ignore_errors=False)
            path.unlink()
        else:
            shutil.rmtree(path)
    except OSError as error:
        raise HostError(f"{path}: cannot be deleted: {error.strerror}") from None


def diff(state: State, changes: Changes) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = [*managed_file.diff(changes.conf)]
    for path in (*changes.files, *changes.records):
        header = {"before_header": path, "after_header": path}
        shown.append({**header, "before": managed_file.read(path), "after": ""})
    if changes.stop:
        before = {name: state.units[name].active for name in changes.stop}
        shown.append({"before": before, "after": dict.fromkeys(changes.stop, "inactive")})
    return shown
