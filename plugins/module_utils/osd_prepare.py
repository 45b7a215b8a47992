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
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
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
_CLIENT_SECONDS = 10.0
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


def prepare_all(
    entries: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Prepare one device after the other; give those that failed, each with the reason."""
    managed_file.write(managed_file.conf_file(cluster.CONF, parameters["conf"]))
    with _bootstrap_keyring(parameters["bootstrap_key"]):
        tried = [(entry["path"], _failure(entry, parameters)) for entry in entries]
    return [(path, reason) for path, reason in tried if reason]


def _failure(entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    try:
        _prepare(entry, parameters)
    except HostError as error:
        return str(error)
    return ""


def _prepare(entry: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    # Looked at once more: time has passed since the list was made.
    seen = blank.look(entry["path"])
    if is_debris(seen):
        _clear(seen, "")
        seen = blank.look(entry["path"])
    reason = blank.refusal(seen, allow_loop=parameters["allow_loop_devices"])
    if reason:
        raise HostError(reason)
    note = _note(seen)
    managed_file.write(note)
    _run(seen, entry["device_class"])
    label = bluestore_label.read(seen.device)
    if not is_ours(label, parameters["fsid"]):
        raise HostError("ceph-volume left no finished OSD of this cluster on it")
    Path(note.path).unlink()


def _run(seen: blank.Look, device_class: str) -> None:
    command = ["ceph-volume", "raw", "prepare", "--bluestore", "--no-tmpfs", "--data", seen.device]
    if device_class:
        command += ["--crush-device-class", device_class]
    environment = {"CEPH_VOLUME_ALLOW_LOOP_DEVICES": "1"} if seen.type == "loop" else {}
    try:
        program.run(command, _PREPARE_SECONDS, environment)
    except program.ProgramError as error:
        attempt = _NEW_UUID.search(error.output)
        after = _clear(blank.look(seen.path), attempt.group(1) if attempt else "")
        raise HostError(f"{error}{after}") from None


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


def _clear(seen: blank.Look, uuid: str) -> str:
    """Give back the OSD id that the attempt took and take its label away; say what failed."""
    label = seen.label
    if label and not label.finished and is_debris(seen):
        uuid = uuid or label.osd_uuid
        with open(seen.device, "r+b", buffering=0) as device:  # noqa: PTH123 - unbuffered
            device.write(bytes(bluestore_label.BLOCK))
            os.fsync(device.fileno())
    try:
        return _give_back(uuid) if uuid else ""
    except CephError as error:
        return f"; the id of the OSD {uuid} could not be given back: {error.message}"


def _give_back(uuid: str) -> str:
    """Remove an OSD that never started, if Ceph's own rollback has not done it."""
    with CephClient(_BOOTSTRAP, keyring=_KEYRING, timeout=_CLIENT_SECONDS) as client:
        for osd in client.command("osd dump")["osds"]:
            if osd["uuid"] == uuid:
                _purge_new(client, int(osd["osd"]))
    return ""


def _purge_new(client: CephClient, osd_id: int) -> None:
    """Ceph itself refuses this for an OSD that has ever been up."""
    client.command("osd purge-new", id=osd_id, yes_i_really_mean_it=True)


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
