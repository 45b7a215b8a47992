"""How the discovery of a node's disks is started: a program of the collection that stays alone."""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.ansible import content

MODULE = "ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_discovery"


def program(seconds: float) -> tuple[list[str], Mapping[str, str]]:
    """Its words and its environment; it looks at everything after so many `seconds`."""
    path = content.importable(Path(tempfile.mkdtemp(prefix="ceph-orchestrator-")))
    return [sys.executable, "-m", MODULE, str(seconds)], {**os.environ, "PYTHONPATH": str(path)}
