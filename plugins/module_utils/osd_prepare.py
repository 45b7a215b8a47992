"""Makes an OSD on a blank device with ceph-volume, and clears up after an attempt that failed.

Before a device is written a note says that it was blank. Only such a note allows to take away what
an attempt left that was cut off: a label without the word that mkfs ends with.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    cluster,
    keyring,
    managed_file,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_BOOTSTRAP = "client.bootstrap-osd"
_KEYRING = "/var/lib/ceph/bootstrap-osd/ceph.keyring"
_NOTES = Path("/var/lib/ceph-orchestrator/preparing")
_LOCK = Path("/run/lock/ceph-orchestrator-osd")
_LOCK_SECONDS = 600.0
_LOCK_PAUSE = 0.5
_PREPARE_SECONDS = 1800.0
_UMOUNT_SECONDS = 30.0
_UDEV_SECONDS = 10.0
_OSDS = "/var/lib/ceph/osd/"
_ROLLBACK = "--> Was unable to complete a new OSD"
_NEW_UUID = re.compile(r"\bosd new ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let one preparation run on this host at a time: an earlier run may still be at it."""
    with _LOCK.open("w", encoding="utf-8") as lock:
        until = time.monotonic() + _LOCK_SECONDS
        while not _locked(lock.fileno()):
            if time.monotonic() > until:
                raise HostError("another preparation of OSDs still runs on this host")
            time.sleep(_LOCK_PAUSE)
        yield


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass(frozen=True)
class Attempt:
    """What came of one device. `reason` says why it failed; `orphan` is an OSD left in the map."""

    path: str
    reason: str = ""
    orphan: str = ""


def prepare_all(
    entries: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
) -> list[Attempt]:
    """Prepare one device after the other; one that fails does not keep the next from its turn."""
    managed_file.write(managed_file.conf_file(cluster.CONF, parameters["conf"]))
    with _bootstrap_keyring(parameters["bootstrap_key"]):
        return [attempt for entry in entries for attempt in _attempts(entry, parameters)]


def _attempts(entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> Iterator[Attempt]:
    path = entry["path"]
    # Looked at once more: time has passed since the list was made.
    seen = blank.look(path)
    if is_debris(seen):
        yield Attempt(path, orphan=_cleared(seen))
        seen = blank.look(path)
    reason = blank.refusal(seen, allow_loop=parameters["allow_loop_devices"])
    if reason:
        yield Attempt(path, reason)
    else:
        yield _prepare(seen, entry["device_class"], parameters["fsid"])


def _prepare(seen: blank.Look, device_class: str, fsid: str) -> Attempt:
    note = _note(seen)
    managed_file.write(note)
    try:
        with _no_mount_left():
            _ceph_volume(seen, device_class)
    except program.ProgramError as error:
        if not is_ours(blank.look(seen.path).label, fsid):
            return Attempt(seen.path, _why(error), _left_behind(seen, error.output))
    except HostError as error:
        return Attempt(seen.path, str(error))
    Path(note.path).unlink()
    return Attempt(seen.path)


def _ceph_volume(seen: blank.Look, device_class: str) -> None:
    command = ["ceph-volume", "raw", "prepare", "--bluestore", "--data", seen.device]
    if device_class:
        command += ["--crush-device-class", device_class]
    environment = {"CEPH_VOLUME_ALLOW_LOOP_DEVICES": "1"} if seen.type == "loop" else {}
    program.run(command, _PREPARE_SECONDS, environment)


@contextlib.contextmanager
def _no_mount_left() -> Iterator[None]:
    """Unmount the tmpfs in which ceph-volume makes an OSD's folder.

    It hides what an older OSD of the same number has left there, but is gone after a reboot. Each
    start makes the folder again from the label, so that it is the same before and after one.
    """
    before = _mounts()
    try:
        yield
    finally:
        for folder in _mounts() - before:
            with contextlib.suppress(HostError):
                program.run(["umount", "--lazy", folder], _UMOUNT_SECONDS)


def _mounts() -> set[str]:
    lines = (line.split() for line in managed_file.read("/proc/mounts").splitlines())
    return {words[1] for words in lines if words[1].startswith(_OSDS) and words[2] == "tmpfs"}


def _why(error: program.ProgramError) -> str:
    """Give ceph-volume's words up to its rollback, which fails on purpose (see the role osd)."""
    said = error.output.partition(_ROLLBACK)[0]
    return f"ceph-volume could not prepare it: {program.last_words(said)}"


def _left_behind(seen: blank.Look, output: str) -> str:
    """Take away what the attempt wrote, and name the OSD that it has put into the map."""
    now = blank.look(seen.path)
    label = _cleared(now) if is_debris(now) else ""
    announced = _NEW_UUID.search(output)
    return announced.group(1) if announced else label


def is_ours(label: bluestore_label.Label | None, fsid: str) -> bool:
    """Say whether it is a whole OSD of this cluster."""
    return label is not None and label.fsid == fsid != "" and label.osd_id >= 0 and label.finished


def is_debris(seen: blank.Look) -> bool:
    """Say whether it is what an attempt of ours left on a device that was blank before."""
    note = managed_file.read(_note(seen).path)
    return note == _note(seen).content and seen.label is not None and not seen.label.finished


def _note(seen: blank.Look) -> managed_file.ManagedFile:
    """Give the note for a device: its lasting name and its size must be the same again."""
    name = re.sub(r"[^A-Za-z0-9.-]", "_", seen.path.strip("/"))
    content = json.dumps({"path": seen.path, "size": seen.size})
    return managed_file.ManagedFile(str(_NOTES / name), content, 0o600)


def _cleared(seen: blank.Look) -> str:
    """Take the unfinished label away; give its uuid."""
    if not seen.label:
        return ""
    with open(seen.device, "r+b", buffering=0) as device:  # noqa: PTH123 - unbuffered
        device.write(bytes(bluestore_label.BLOCK))
        os.fsync(device.fileno())
    with contextlib.suppress(HostError):  # or the next look sees what udev remembers
        program.run(["udevadm", "trigger", "--settle", seen.device], _UDEV_SECONDS)
    return seen.label.osd_uuid


@contextlib.contextmanager
def _bootstrap_keyring(key: str) -> Iterator[None]:
    """Put the key where ceph-volume looks for it, for as long as it runs."""
    before = managed_file.read(_KEYRING)
    text = keyring.render(_BOOTSTRAP, key)
    managed_file.write(managed_file.ManagedFile(_KEYRING, text, 0o600))
    try:
        yield
    finally:
        if before:
            managed_file.write(managed_file.ManagedFile(_KEYRING, before, 0o600, "ceph"))
        else:
            Path(_KEYRING).unlink()
