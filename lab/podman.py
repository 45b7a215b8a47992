"""Podman with the lab's settings, whatever the machine's own configuration says."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from lab import proc

CONF = Path(__file__).parent / "files" / "containers.conf"


def run(*arguments: str, timeout: float = 600) -> str:
    return proc.run(["podman", *arguments], env=_environment(), timeout=timeout)


def attempt(*arguments: str, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    return proc.attempt(["podman", *arguments], env=_environment(), timeout=timeout)


def listed(*arguments: str) -> list[dict[str, Any]]:
    """Return the answer of a podman command that prints a JSON list."""
    answer: list[dict[str, Any]] = json.loads(run(*arguments) or "null") or []
    return answer


def _environment() -> dict[str, str]:
    # Podman 5 complains at each call where the machine still has cgroup v1; hosts do not use it.
    quiet = {"PODMAN_IGNORE_CGROUPSV1_WARNING": "1"}
    return {**os.environ, **quiet, "CONTAINERS_CONF": str(CONF)}
