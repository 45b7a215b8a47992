"""A look at a namespace and its Ceph cluster, in a short process of its own.

librados may block whatever its time limits say, and the collection's code is loaded from where
Ansible has it; a process can be given up.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.ansible import content

MODULE = "ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_view"
GRACE_SECONDS = 45.0
"""What the API server and the start of the process may take beside Ceph's own time limits."""


class LookError(OSError):
    """Nothing can be told; the text says why."""


class Looker:
    """Runs looks with one environment; `home` is a folder of its own on tmpfs."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._path = content.importable(home / "collections")
        self._environment = environment

    def look(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """`hosts` and `cluster`, as `kubernetes_view.collect` gives them."""
        seconds = 3 * float(parameters.get("timeout") or 10.0) + GRACE_SECONDS
        try:
            done = subprocess.run(
                [sys.executable, "-m", MODULE],
                input=json.dumps(parameters),
                env={**os.environ, **self._environment, "PYTHONPATH": str(self._path)},
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
                start_new_session=True,
                cwd=tempfile.gettempdir(),
            )
        except subprocess.TimeoutExpired:
            raise LookError(f"the cluster was asked and nothing came in {seconds:.0f} s") from None
        if done.returncode != 0:
            raise LookError(_last_line(done.stderr))
        answer: Mapping[str, Any] = json.loads(done.stdout)
        if answer.get("error"):
            raise LookError(str(answer["error"]))
        return answer


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "the look at the cluster ended without a word"
