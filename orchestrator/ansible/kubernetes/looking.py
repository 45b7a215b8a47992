"""A look at a namespace and its Ceph cluster, in a short process of its own.

librados may block whatever its time limits say, and the collection's code is loaded from where
Ansible has it; a process can be given up.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from orchestrator.ansible import content

MODULE = "ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_view"
GRACE_SECONDS = 45.0
"""What the API server and the start of the process may take beside Ceph's own time limits."""

PAUSE_SECONDS = 0.3
"""How often somebody asks meanwhile whether the look is still wanted."""


class LookError(OSError):
    """Nothing can be told; the text says why."""


class Looker:
    """Runs looks with one environment; `home` is a folder of its own on tmpfs."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home = home
        self._path = content.importable(home / "collections")
        self._environment = environment

    def look(
        self, parameters: Mapping[str, Any], canceled: Callable[[], bool] = lambda: False
    ) -> Mapping[str, Any]:
        """`hosts` and `cluster`, as `kubernetes_view.collect` gives them.

        Mons that are silent are waited for, so a cancel ends the look.
        """
        seconds = 3 * float(parameters.get("timeout") or 10.0) + GRACE_SECONDS
        with self._started(parameters) as process:
            try:
                told, said = _ended(process, seconds, canceled)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            raise LookError(_last_line(said))
        answer: Mapping[str, Any] = json.loads(told)
        if answer.get("error"):
            raise LookError(str(answer["error"]))
        return answer

    def _started(self, parameters: Mapping[str, Any]) -> "subprocess.Popen[str]":
        """It reads a file: what `communicate` has not written to a pipe in time never comes."""
        with tempfile.TemporaryFile("w+", dir=self._home) as asked:
            json.dump(parameters, asked)
            asked.seek(0)
            return subprocess.Popen(
                [sys.executable, "-m", MODULE],
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **self._environment, "PYTHONPATH": str(self._path)},
                text=True,
                start_new_session=True,
                cwd=tempfile.gettempdir(),
            )


def _ended(
    process: "subprocess.Popen[str]", seconds: float, canceled: Callable[[], bool]
) -> tuple[str, str]:
    """What the process wrote, once it has ended. Raises LookError when that is not waited for."""
    until = time.monotonic() + seconds
    while True:
        try:
            return process.communicate(timeout=PAUSE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        if canceled():
            raise LookError("the look was cancelled")
        if time.monotonic() > until:
            raise LookError(f"the cluster was asked and nothing came in {seconds:.0f} s")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "the look at the cluster ended without a word"
