"""What the roles leave on a host beside the daemons' own data: one list for who takes it away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import ceph_conf, cluster

if TYPE_CHECKING:
    from collections.abc import Mapping

CONF: Mapping[str, tuple[str, ...]] = {
    "global": ("fsid", "mon_host", "public_network", "cluster_network"),
    "osd": ("crush_location",),
    "mon.*": ("public_addr", "public_addrv"),
}
"""Options that roles write into ceph.conf, by section; `mon.*` stands for each mon's own."""

TOOLS = ("/usr/local/libexec/ceph-orchestrator",)
"""Folders of programs that roles bring along."""

RECORDS = "/var/lib/ceph-orchestrator"
CRASHES = Path("/var/lib/ceph/crash")
POSTED = "posted"
KEYRINGS = (cluster.ADMIN_KEYRING, cluster.MON_KEYRING)


def conf_without(text: str) -> str:
    """Give a ceph.conf without what roles wrote into it, "" when that leaves nothing."""
    sections = ceph_conf.parse(text)
    ours = {
        section: CONF[pattern]
        for section in sections
        for pattern in CONF
        if re.fullmatch(pattern.replace("*", ".+"), section)
    }
    left = ceph_conf.without(text, ours)
    return left if ceph_conf.says_something(left) else ""


def crash_dumps() -> list[str]:
    """List what crashed daemons wrote; the folder of those that were handed in is Ceph's own."""
    found = [*CRASHES.glob("*"), *(CRASHES / POSTED).glob("*")]
    return sorted(str(path) for path in found if path != CRASHES / POSTED)
