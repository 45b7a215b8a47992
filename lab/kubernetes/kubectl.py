"""kubectl, from the same build as the servers."""

import json
import time
from pathlib import Path
from typing import Any

from lab import proc
from lab.kubernetes import binaries
from lab.proc import LabError


def run(kubeconfig: Path, *words: str, stdin: str | None = None, timeout: float = 120) -> str:
    """Return what kubectl printed; LabError with its own words when it failed."""
    command = [str(binaries.path("kubectl")), f"--kubeconfig={kubeconfig}", *words]
    return proc.run(command, stdin=stdin, timeout=timeout)


def get(kubeconfig: Path, *words: str) -> dict[str, Any]:
    """Return an object or a list of them."""
    found: dict[str, Any] = json.loads(run(kubeconfig, "get", *words, "--output", "json"))
    return found


def wait_for(kubeconfig: Path, name: str, seconds: float) -> None:
    """Wait until there is such an object; `kubectl wait` waits for those alone that are there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            run(kubeconfig, "get", name)
        except LabError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return
