"""Ceph keyrings and keys: no key is ever an argument of a process."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_conf, program

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = 20.0


def new_key() -> str:
    """Have Ceph make a key: which cipher a new cluster accepts differs between its releases."""
    return program.run(["ceph-authtool", "--gen-print-key"], _SECONDS).strip()


def offer(mon_key: str, admin_key: str) -> dict[str, str]:
    """Give a fresh fsid, and a fresh key for each that is "": only what lacks can be needed."""
    return {
        "fsid": str(uuid.uuid4()),
        "mon_key": "" if mon_key else new_key(),
        "admin_key": "" if admin_key else new_key(),
    }


def key_of(text: str, entity: str) -> str:
    """Give the entity's key in a keyring's text, "" when it is not there."""
    return ceph_conf.parse(text).get(entity, {}).get("key", "")


def render(entity: str, key: str, caps: Mapping[str, str] | None = None) -> str:
    lines = [f"[{entity}]", f"\tkey = {key}"]
    lines += [f'\tcaps {service} = "{cap}"' for service, cap in sorted((caps or {}).items())]
    return "\n".join(lines) + "\n"
