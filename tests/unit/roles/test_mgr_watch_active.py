"""The container beside each mgr, started as its pod starts it, with no mon that answers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.contract.paths import ROOT

SCRIPT = ROOT / "roles" / "daemon" / "files" / "ceph_mgr_watch_active.py"
RADOS = """
class Error(Exception):
    pass

class Rados:
    def __init__(self, name, conf):
        pass

    def connect(self):
        raise Error("no mon answers")
"""


def test_it_ends_when_its_pod_is_ended(tmp_path: Path) -> None:
    """By a handler of its own: the signal alone does not end the first process of a container."""
    (tmp_path / "rados.py").write_text(RADOS)
    words = ("--id", "a", "--fsid", "x", "--keyring", "k")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "ROOK_CEPH_MON_HOST": "192.0.2.1"}
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), *words],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        try:
            assert running.stderr is not None
            assert running.stderr.readline() == "not known: no mon answers\n"
            running.send_signal(signal.SIGTERM)
            assert running.wait(timeout=30) == 0
        finally:
            running.kill()
