"""Forgets clusters that go away with their hosts.

The orchestrator remembers the clusters it made and rightly refuses to begin anew where one of them
is missing. Here it is missing because its hosts were thrown away.
"""

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from lab import podman


def forget_clusters(containers: Iterable[str], environment: Mapping[str, str] = os.environ) -> None:
    """Remove what this machine remembers of the clusters that the containers belong to."""
    fsids = {fsid for name in containers if (fsid := _fsid(name))}
    for path in state_home(environment).glob("*/*/identity.json"):
        if remembered(path.read_text()) in fsids:
            shutil.rmtree(path.parent)


def state_home(environment: Mapping[str, str]) -> Path:
    """Return where `orchestrator` keeps its clusters' state, as the XDG rules have it."""
    base = environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "orchestrator"


def remembered(identity: str) -> str | None:
    """Return the fsid in the text of an identity.json; None when there is none to be read."""
    try:
        fsid = json.loads(identity)["fsid"]
    except (ValueError, TypeError, KeyError):
        return None
    return fsid if isinstance(fsid, str) else None


def fsid_of(conf: str) -> str | None:
    """Return the fsid in the text of a ceph.conf; None when there is none."""
    found = re.search(r"^\s*fsid\s*=\s*([0-9a-f-]{36})\s*$", conf, re.MULTILINE)
    return found[1] if found else None


def _fsid(container: str) -> str | None:
    """Return the cluster of a host, running or not."""
    copied = podman.attempt("cp", f"{container}:/etc/ceph/ceph.conf", "-")
    return fsid_of(copied.stdout)  # a tar of one small text file
