"""Podman with the lab's settings, whatever the machine's own configuration says."""

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

from lab import proc

CONF = Path(__file__).parent / "files" / "containers.conf"
LIMIT = 16384  # plenty for a host of Ceph; 1024 processes of one user are not


def run(*arguments: str, timeout: float = 600) -> str:
    """Return what podman printed; LabError when it failed. `timeout` is in seconds."""
    return proc.run(["podman", *arguments], env=_environment(), timeout=timeout)


def attempt(*arguments: str, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """Run podman, which may fail. `timeout` is in seconds."""
    return proc.attempt(["podman", *arguments], env=_environment(), timeout=timeout)


def listed(*arguments: str) -> list[dict[str, Any]]:
    """Return the answer of a podman command that prints a JSON list."""
    answer: list[dict[str, Any]] = json.loads(run(*arguments) or "null") or []
    return answer


def limits() -> list[str]:
    """Return options with limits that this process may give.

    It cannot raise its own, nor can podman's.
    """
    kinds = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
    hard = {name: resource.getrlimit(kind)[1] for name, kind in kinds.items()}
    given = {
        name: LIMIT if n == resource.RLIM_INFINITY else min(n, LIMIT) for name, n in hard.items()
    }
    return [f"--ulimit={name}={limit}:{limit}" for name, limit in given.items()]


def _environment() -> dict[str, str]:
    # Podman 5 complains at each call where the machine still has cgroup v1; hosts do not use it.
    quiet = {"PODMAN_IGNORE_CGROUPSV1_WARNING": "1"}
    return {**os.environ, **quiet, "CONTAINERS_CONF": str(CONF)}
