"""Runs the programs that are measured and that prepare a measure; what fails ends the bench."""

import os
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.proc import LabError

LONGEST_COMMAND, LONGEST_OUTPUT = 200, 4000
"""Characters of a failed program's words, and of its output, whose end says why."""


def run(
    words: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float,
) -> str:
    """Return both outputs in one text; LabError with its end when the program fails.

    `environment` is added to that of this process; `timeout` is in seconds.
    """
    done = subprocess.run(
        words,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        timeout=timeout,
    )
    if done.returncode != 0:
        what = shlex.join(words)[:LONGEST_COMMAND]
        raise LabError(f"{what} failed ({done.returncode}):\n{done.stdout[-LONGEST_OUTPUT:]}")
    return done.stdout


def timed(
    words: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float,
) -> float:
    """Return how many seconds `run` takes for it."""
    start = time.monotonic()
    run(words, environment=environment, cwd=cwd, timeout=timeout)
    return time.monotonic() - start
