"""Runs ceph-volume so that it can be cut off anywhere: what it says is on the disk at once.

Its output goes to a file, not to a pipe that would break with this process. Its own log, which has
the keys of OSDs in it, is kept in a private folder; without them it is added to Ceph's log.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    managed_file,
    program,
    redact,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LOG = Path("/var/log/ceph/ceph-volume.log")
_PRIVATE = Path("/run/ceph-orchestrator")
_LOGS = "log-"
_OSDS = "/var/lib/ceph/osd/"
_ROLLBACK = "--> Was unable to complete a new OSD"
_SECONDS = 1800.0
_REPORT_SECONDS = 120.0
_UMOUNT_SECONDS = 30.0
_KILL_SECONDS = 5.0
_PAUSE = 0.02


class CephVolumeError(HostError):
    """It failed; the text has its own words, up to the rollback that it is not allowed to do."""


def report(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run a command that only asks; give its standard output."""
    with _private_log() as folder:
        command = ["ceph-volume", "--log-path", str(folder), *arguments]
        return program.run(command, _REPORT_SECONDS, environment)


def prepare(
    arguments: Sequence[str], environment: Mapping[str, str], output: Path, held: Sequence[int]
) -> None:
    """Run a command that writes; it says to the file `output` what it does, before it does it.

    It inherits the descriptors `held`: a lock on one of them lasts as long as it runs.
    """
    with _private_log() as folder, _no_mount_left(), output.open("ab") as stream:
        output.chmod(0o600)
        code = _run(
            ["ceph-volume", "--log-path", str(folder), *arguments],
            environment,
            stream.fileno(),
            held,
        )
    if code:
        said = managed_file.read(str(output)).partition(_ROLLBACK)[0]
        raise CephVolumeError(f"ceph-volume could not prepare it: {essence(said)}")


def essence(said: str) -> str:
    """Give the last command and what went wrong with it, without the commands before."""
    lines = [line for line in said.splitlines() if line.strip()]
    commands = [at for at, line in enumerate(lines) if line.startswith("Running command: ")]
    return program.last_words("\n".join(lines[commands[-1] if commands else 0 :]))


def _run(
    command: Sequence[str], environment: Mapping[str, str], stream: int, held: Sequence[int]
) -> int:
    running = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=stream,
        stderr=stream,
        env=program.surroundings(environment),
        pass_fds=held,
        start_new_session=True,  # whoever ends the connection does not cut it off in the middle
    )
    until, written = time.monotonic() + _SECONDS, 0
    while running.poll() is None:
        written = _synced(stream, written)
        if time.monotonic() > until:
            running.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(_KILL_SECONDS)
            raise CephVolumeError(f"ceph-volume was not finished after {_SECONDS:g} s")
        time.sleep(_PAUSE)
    return running.returncode


def _synced(stream: int, written: int) -> int:
    """Bring what is new to the disk: after a power cut it tells which OSD was being made."""
    size = os.fstat(stream).st_size
    if size != written:
        os.fsync(stream)
    return size


@contextlib.contextmanager
def _private_log() -> Iterator[Path]:
    """Give a folder for the log, for as long as the program runs."""
    _PRIVATE.mkdir(mode=0o700, parents=True, exist_ok=True)
    _PRIVATE.chmod(0o700)
    folder = Path(tempfile.mkdtemp(prefix=_LOGS, dir=_PRIVATE))
    try:
        yield folder
    finally:
        sweep()


def sweep() -> None:
    """Add to Ceph's log what is no secret of our logs, also of runs that were cut off."""
    for folder in _PRIVATE.glob(f"{_LOGS}*"):
        for log in sorted(folder.glob("*.log")):
            _append(redact.redact(log.read_text("utf-8", "backslashreplace")))
        shutil.rmtree(folder, ignore_errors=True)


def _append(text: str) -> None:
    if not _LOG.parent.is_dir():
        return
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(text)
    _LOG.chmod(0o640)
    with contextlib.suppress(HostError):
        os.chown(_LOG, *managed_file.ids("ceph"))


@contextlib.contextmanager
def _no_mount_left() -> Iterator[None]:
    """Unmount the tmpfs in which ceph-volume makes an OSD's folder.

    It hides what an older OSD of the same number has left there, but is gone after a reboot. Each
    start makes the folder again from the label, so that it is the same before and after one.
    """
    before = mounts()
    try:
        yield
    finally:
        for folder in (mounts() - before).elements():  # one may lie on another
            with contextlib.suppress(HostError):
                unmount(folder, "--lazy")


def mounts() -> Counter[str]:
    """Count the tmpfs on each folder of an OSD."""
    lines = (line.split() for line in managed_file.read("/proc/mounts").splitlines())
    return Counter(
        words[1] for words in lines if words[1].startswith(_OSDS) and words[2] == "tmpfs"
    )


def unmount(folder: str, *options: str) -> None:
    program.run(["umount", *options, folder], _UMOUNT_SECONDS)
