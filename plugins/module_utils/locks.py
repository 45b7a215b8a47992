"""Where claims on a cluster lie: a file on each host, and the mons' own store once there is one."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    claims,
    managed_file,
    records,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.claims import Claim

FILE = records.FOLDER / "lock"
PREFIX = "ceph-orchestrator/lock/"
_FILE_MODE = 0o600


class HostStore:
    """One file, so one claim: only while `alone` is it read and then written."""

    def __init__(self, path: Path = FILE) -> None:
        self._path = path

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def claim(self) -> Claim | None:
        return claims.parsed(managed_file.read(str(self._path)))

    def put(self, claim: Claim) -> None:
        managed_file.write(managed_file.ManagedFile(str(self._path), claim.text(), _FILE_MODE))

    def remove(self) -> None:
        """Remove the file, and the folder of a host from which a whole cluster was taken."""
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._path.parent.rmdir()


class CephStore:
    """A key of the mons' store for each owner. Mons answer with nothing older than they wrote."""

    def __init__(self, client: CephClient) -> None:
        self._client = client

    def claims(self) -> Mapping[str, Claim]:
        return listed(self._client.command("config-key dump", key=PREFIX))

    def put(self, claim: Claim) -> None:
        self._client.command("config-key set", key=PREFIX + claim.id, val=claim.text())

    def remove(self, claim_id: str) -> None:
        self._client.command("config-key rm", key=PREFIX + claim_id)


def listed(answer: Any) -> dict[str, Claim]:  # noqa: ANN401 - JSON
    """Map id to claim, from the answer to `config-key dump`."""
    texts = answer if isinstance(answer, dict) else {}
    found = [claims.parsed(str(text)) for text in texts.values()]
    return {claim.id: claim for claim in found if claim}


def on_host(now: float) -> dict[str, object] | None:
    """Show the lock on this host, if one is held."""
    claim = HostStore(FILE).claim()
    return claims.shown(claim, now) if claim and claims.seconds_left(claim, now) else None


def in_cluster(answer: Any, now: float) -> list[dict[str, object]]:  # noqa: ANN401 - JSON
    """Show the locks that are held in the mons' store; at most one, unless clocks went wrong."""
    held = [one for one in listed(answer).values() if one.held and claims.seconds_left(one, now)]
    return [claims.shown(one, now) for one in held]
