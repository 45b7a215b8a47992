"""Runs other programs; the one place of the lab that does, so that every failure reads the same."""

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class LabError(Exception):
    """Something the person at the terminal has to know; its text is the whole message."""


def run(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    cwd: Path | None = None,
    timeout: float = 600,
) -> str:
    """Return what the command printed; LabError with its own words when it failed."""
    done = attempt(command, env=env, stdin=stdin, cwd=cwd, timeout=timeout)
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise LabError(f"{shlex.join(command)} failed ({done.returncode}): {words}")
    return done.stdout


def attempt(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    cwd: Path | None = None,
    timeout: float = 600,
) -> subprocess.CompletedProcess[str]:
    """Run a command that may fail."""
    try:
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=dict(env) if env is not None else None,
            input=stdin,
            cwd=cwd,
            timeout=timeout,
        )
    except FileNotFoundError:
        raise LabError(f"{command[0]} is not installed; `make packages` installs it") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"{shlex.join(command)} did not end within {timeout:g} s") from None
