"""What was set in a cluster by us, written down in the cluster itself.

Whoever looks at the cluster learns from it, on any workstation, which settings and mutes may be
taken back when the manifest no longer asks for them. A secret is known by digests alone: of the
value as it was given, and of the value as the cluster stores it.
"""

from __future__ import annotations

import copy
import hashlib
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import config_keys

if TYPE_CHECKING:
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

KEY = "ceph-orchestrator/config"
DASHBOARD = "ceph-orchestrator/dashboard"
DIGEST = "sha256:"


def digest(value: str) -> str:
    return DIGEST + hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()


class Owned:
    """The record: `settings` and `secrets` by section and name, and the codes of `mutes`.

    A damaged document counts as none: what cannot be known to be ours is not.
    """

    def __init__(self, document: object = None) -> None:
        given = document if isinstance(document, dict) else {}
        self.settings = _sections(given.get("settings"))
        self.secrets = _sections(given.get("secrets"))
        mutes = given.get("mutes")
        self.mutes = {str(code) for code in mutes} if isinstance(mutes, list) else set()

    def document(self) -> dict[str, Any]:
        return {
            "mutes": sorted(self.mutes),
            "secrets": copy.deepcopy(self.secrets),
            "settings": copy.deepcopy(self.settings),
        }

    def keep(self, section: str, name: str, value: str) -> None:
        self.forget(section, name)
        self.settings.setdefault(section, {})[name] = value

    def keep_secret(self, section: str, name: str, given: str, stored: str) -> None:
        self.forget(section, name)
        entry = {"given": digest(given), "stored": digest(stored)}
        self.secrets.setdefault(section, {})[name] = entry

    def forget(self, section: str, name: str) -> None:
        for kept in (self.settings, self.secrets):
            kept.get(section, {}).pop(name, None)
            if not kept.get(section, True):
                del kept[section]

    def take_back(self, section: str, name: str, before: Owned) -> None:
        """Have of one setting what `before` had."""
        self.forget(section, name)
        for kept, had in ((self.settings, before.settings), (self.secrets, before.secrets)):
            if name in had.get(section, {}):
                kept.setdefault(section, {})[name] = had[section][name]

    def secret_names(self) -> set[tuple[str, str]]:
        return {(section, name) for section, names in self.secrets.items() for name in names}


def _sections(given: object) -> dict[str, dict[str, Any]]:
    if not isinstance(given, dict):
        return {}
    return {
        str(section): dict(names)
        for section, names in given.items()
        if names and isinstance(names, dict)
    }


def read(client: CephClient) -> Owned:
    return Owned(config_keys.get(client, KEY))


def write(client: CephClient, before: Owned, after: Owned) -> None:
    """Write the record, unless it is the same."""
    if before.document() != after.document():
        config_keys.put(client, KEY, after.document())
