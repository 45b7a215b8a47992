"""Ceph's programs: found or named with the package to install, always with a time limit."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import redact
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin:/sbin:/bin"
_PACKAGES = {
    "monmaptool": "ceph-base",
    "ceph-bluestore-tool": "ceph-osd",
    "ceph-authtool": "ceph-common",
}
_SHOWN_LINES = 12


class ProgramError(HostError):
    """A program that failed; `output` is all that it wrote, for the caller alone."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


def require(programs: Iterable[str]) -> None:
    """Refuse a host that lacks a program, in one message for all of them."""
    missing = [name for name in programs if not shutil.which(name, path=_PATH)]
    if missing:
        packages = sorted({_PACKAGES.get(name, name) for name in missing})
        raise HostError(
            f"{', '.join(missing)} not found on {os.uname().nodename}: "
            f"install {', '.join(packages)}"
        )


def run(
    argv: Sequence[str],
    seconds: float,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a program to its end; a failure carries the program's own last words, without keys."""
    name = argv[0]
    require([name])
    try:
        done = subprocess.run(
            list(argv),
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            env=surroundings(environment or {}),
        )
    except subprocess.TimeoutExpired:
        raise HostError(f"{shlex.join(argv)}: not finished after {seconds:g} s") from None
    out, errors = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    if done.returncode:
        said = last_words(errors or out)
        raise ProgramError(f"{shlex.join(argv)}: rc {done.returncode}: {said}", out + errors)
    return out


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the environment in which programs run here."""
    return {**os.environ, "PATH": _PATH, "LC_ALL": "C.UTF-8", **environment}


def last_words(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return redact.redact("\n".join(lines[-_SHOWN_LINES:]))
