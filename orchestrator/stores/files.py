"""The workstation's home of a cluster: `$XDG_STATE_HOME/orchestrator/<namespace>/<name>/`.

Everything there is 0600 in 0700 directories and written whole or not at all. Losing it loses
nothing: the hosts hold the identity, and facts are looked up again.
"""

import fcntl
import getpass
import hashlib
import json
import os
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from orchestrator.model.facts import StoredIdentity
from orchestrator.model.names import ClusterKey, Fsid
from orchestrator.model.owner import Owner
from orchestrator.model.spec import CephCluster
from orchestrator.stores import StoreError


def state_home(environment: Mapping[str, str]) -> Path:
    """The directory of all clusters, as the XDG rules have it."""
    base = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "orchestrator"


@dataclass(frozen=True, slots=True)
class Home:
    """Paths of one workstation's state."""

    root: Path

    def of(self, key: ClusterKey) -> Path:
        return self.root / key.namespace / key.name

    def runs(self, key: ClusterKey) -> Path:
        return self.of(key) / "runs"

    def clusters(self) -> tuple[ClusterKey, ...]:
        """Clusters that have a status here."""
        found = sorted(self.root.glob("*/*/status.json"))
        return tuple(ClusterKey(path.parent.parent.name, path.parent.name) for path in found)


@dataclass(frozen=True, slots=True)
class OneSpec:
    """The manifest named on the command line."""

    cluster: CephCluster

    def get(self, key: ClusterKey) -> CephCluster | None:
        return self.cluster if key == self.cluster.key else None


def numbered(home: Home, cluster: CephCluster) -> CephCluster:
    """`cluster` with a generation that grows when its spec changes, as the API server would do.

    Nothing is written: what is merely looked at was not accepted by anyone.
    """
    seen, digest = _read(_generation(home, cluster)), _digest(cluster)
    known = int(seen.get("generation", 0))
    return replace(cluster, generation=known if seen.get("spec") == digest else known + 1)


def accept(home: Home, cluster: CephCluster) -> None:
    """Note the generation of `cluster`, which is what the hosts are brought to from now on."""
    path, digest = _generation(home, cluster), _digest(cluster)
    if _read(path).get("spec") != digest:
        _write(path, {"generation": numbered(home, cluster).generation, "spec": digest})


def _generation(home: Home, cluster: CephCluster) -> Path:
    return home.of(cluster.key) / "generation.json"


def _digest(cluster: CephCluster) -> str:
    text = cluster.spec.model_dump_json(by_alias=True, exclude_defaults=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StatusFile:
    """status.json: Rook's status, as `orchestrator status` prints it."""

    home: Home

    def get(self, key: ClusterKey) -> dict[str, Any]:
        return _read(self.home.of(key) / "status.json")

    def put(self, key: ClusterKey, status: dict[str, Any]) -> None:
        _write(self.home.of(key) / "status.json", status)

    def forget(self, key: ClusterKey) -> None:
        """The cluster is gone: no status, and a later one begins with its first generation."""
        for name in ("status.json", "generation.json"):
            _remove(self.home.of(key) / name)


@dataclass(frozen=True, slots=True)
class LastRunFile:
    """last-run.json: what was noted of the last run, for its report."""

    home: Home

    def get(self, key: ClusterKey) -> dict[str, Any]:
        return _read(self.home.of(key) / "last-run.json")

    def put(self, key: ClusterKey, record: dict[str, Any]) -> None:
        _write(self.home.of(key) / "last-run.json", record)


@dataclass(frozen=True, slots=True)
class IdentityFile:
    """identity.json: written before the first mon is, so that an interrupted creation goes on."""

    home: Home

    def _path(self, key: ClusterKey) -> Path:
        return self.home.of(key) / "identity.json"

    def remembered(self, key: ClusterKey) -> StoredIdentity | None:
        """None for a cluster that was never begun; StoreError when the file is damaged."""
        stored = _read(self._path(key))
        if not stored:
            return None
        try:
            return StoredIdentity(
                fsid=Fsid(stored["fsid"]), established=bool(stored["established"])
            )
        except (KeyError, TypeError) as error:
            raise StoreError(f"{self._path(key)}: has no {error}; restore or remove it") from error

    def begin(self, key: ClusterKey, fsid: Fsid | None) -> Fsid:
        """The fsid to make a cluster with: given, stored, or else new and stored at once."""
        stored = self.remembered(key)
        chosen = fsid or (stored.fsid if stored else Fsid(str(uuid.uuid4())))
        if stored is None:
            _write(self._path(key), {"fsid": chosen, "established": False})
        return chosen

    def establish(self, key: ClusterKey, fsid: Fsid) -> None:
        """Note that the mons were in quorum."""
        stored = _read(self._path(key))
        if stored.get("established") and stored.get("fsid") == fsid:
            return
        _write(self._path(key), {**stored, "fsid": fsid, "established": True})

    def forget(self, key: ClusterKey) -> None:
        """The cluster is gone: a later one of this name is another one."""
        _remove(self._path(key))


def owner(home: Home, key: ClusterKey) -> Owner:
    """Who works from this home: the same for as long as the home lives, and nobody before."""
    stored = str(_read(_owner_path(home, key)).get("id", ""))
    name = f"{_user()}@{socket.gethostname()}"
    # A copied home is another owner, or two could work under one id.
    text = f"{stored} {name} {home.of(key).resolve()}"
    return Owner(name=name, id=hashlib.sha256(text.encode()).hexdigest()[:16] if stored else "")


def own(home: Home, key: ClusterKey) -> Owner:
    """The owner, made known if this home has none yet."""
    if not owner(home, key).id:
        _write(_owner_path(home, key), {"id": str(uuid.uuid4())})
    return owner(home, key)


def _owner_path(home: Home, key: ClusterKey) -> Path:
    return home.of(key) / "owner.json"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


@dataclass(frozen=True, slots=True)
class FileLock:
    """flock on the cluster's home: one writer on this workstation."""

    home: Home

    @contextmanager
    def hold(self, key: ClusterKey) -> Iterator[None]:
        """Hold the lock for the block; StoreError with the pid of another holder."""
        path = self.home.of(key) / "lock"
        _make(path.parent)
        with _opened(path) as file:
            if not _locked(file, fcntl.LOCK_EX):
                raise StoreError(f"{key}: {_holder(path)} is working on this cluster")
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield

    def held(self, key: ClusterKey) -> bool:
        """Whether a run is at work here."""
        path = self.home.of(key) / "lock"
        if not path.exists():
            return False
        with _opened(path) as file:
            return not _locked(file, fcntl.LOCK_SH)


def _locked(file: TextIO, kind: int) -> bool:
    """Whether the lock was free; who only asks has it for a moment, so this is tried twice."""
    for pause in (0.05, 0.0):
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except OSError:
            time.sleep(pause)
        else:
            return True
    return False


def _opened(path: Path) -> TextIO:
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+")
    except OSError as error:
        raise StoreError(f"cannot open {path}: {error.strerror}") from error


def _holder(path: Path) -> str:
    pid = path.read_text().strip()
    return f"the orchestrator with pid {pid}" if pid else "another orchestrator"


def _make(directory: Path) -> None:
    """Every directory that is missing is made 0700; `mkdir` alone would do so for the last one."""
    try:
        missing = [path for path in (directory, *directory.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"cannot make {directory}: {error.strerror}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{path}: is not JSON ({error}); restore or remove it") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}: must hold a JSON object; restore or remove it")
    return value


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot remove {path}: {error.strerror}") from error


def _write(path: Path, value: Mapping[str, Any]) -> None:
    """Replace the file in one move, so that a reader or a crash never meets half of it."""
    _make(path.parent)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w") as file:
            json.dump(value, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error
    finally:
        Path(name).unlink(missing_ok=True)
