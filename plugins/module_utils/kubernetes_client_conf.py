"""The ceph.conf by which Ceph's clients in the operator find a cluster: of one cluster each.

The environment variable CEPH_CONF names it. It lies with its keyring in a folder that nobody else
can read, and is written anew by whoever changes what it says.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    keyring,
    kubernetes_identity,
    managed_file,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_api import Api

_VARIABLE = "CEPH_CONF"


def write(fsid: str, hosts: str, user: str, key: str) -> str:
    """Write configuration and keyring where CEPH_CONF says; give its path, "" without one."""
    path = os.environ.get(_VARIABLE, "")
    if not path or not (fsid and key):
        return ""
    folder = Path(path).parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    keys = f"{folder}/keyring"
    text = kubernetes_identity.conf(fsid, hosts, keys)
    for target, content in ((keys, keyring.render(user, key)), (path, text)):
        if managed_file.read(target) != content:
            _put(Path(target), content)
    return path


def _put(path: Path, content: str) -> None:
    """Never show half a file, and never to anybody else: the folder may be old."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(content)
    fresh.replace(path)


@dataclass(frozen=True)
class Stored:
    """Objects that whoever asks has read already: the API server's client takes long to load."""

    objects: Mapping[str, Any] = field(repr=False)

    def get(self, kind: str, name: str) -> dict[str, Any] | None:
        found = self.objects.get(f"{kind}/{name}")
        return found if isinstance(found, dict) else None

    def list(self, kind: str, selector: str = "") -> list[dict[str, Any]]:
        """Give nothing: no kind was read as a whole."""
        del kind, selector
        return []


def from_secrets(
    api: Api | Stored,
) -> tuple[kubernetes_identity.Identity, kubernetes_identity.MonMap]:
    """Read who the cluster is and its mons, and write the configuration that leads to it."""
    stored = api.get("Secret", kubernetes_identity.MON)
    found = kubernetes_identity.read_identity(stored)
    if stored and not found.user_key:
        given = api.get("Secret", kubernetes_identity.CREDENTIALS)
        found = kubernetes_identity.with_credentials(found, given)
    mons = mon_map(api)
    write(found.fsid, kubernetes_identity.mon_host(mons), found.user, found.user_key)
    return found, mons


def mon_map(api: Api | Stored) -> kubernetes_identity.MonMap:
    """Read the map of the mons; one that was lost is told by their Deployments."""
    stored = api.get("ConfigMap", kubernetes_identity.ENDPOINTS)
    if stored is not None:
        return kubernetes_identity.read_map(stored.get("data"))
    return kubernetes_identity.recovered(api.list("Deployment", "app=rook-ceph-mon"))
