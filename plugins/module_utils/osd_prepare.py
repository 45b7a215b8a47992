"""Makes OSDs on blank devices with ceph-volume, one device after the other.

Before a device is written a record says so (`prepare_records`). An attempt that failed, or that an
earlier run was cut off from, is brought to an end first (`prepare_recovery`).
"""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    bluestore_label,
    ceph_volume,
    cluster,
    device_hold,
    keyring,
    managed_file,
    prepare_commands,
    prepare_orders,
    prepare_records,
    prepare_recovery,
    prepare_verdict,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_BOOTSTRAP = "client.bootstrap-osd"
_CLEANER = "client.ceph-orchestrator-osd"
_KEYRING = "/var/lib/ceph/bootstrap-osd/ceph.keyring"
_OURS = "# For one preparation; removed at its end.\n"
# Pods have a /run of their own; /dev is the machine's, as all devices are.
_LOCK = Path("/dev/.ceph-orchestrator-osd")
_LOCK_SECONDS = 600.0
_LOCK_PAUSE = 0.5
_CLIENT_SECONDS = 10.0


@dataclass(frozen=True)
class Attempt:
    """What came of one device; `reason` says why it failed."""

    path: str
    reason: str = ""


@contextlib.contextmanager
def alone() -> Iterator[int]:
    """Let one preparation run on this machine at a time: an earlier run may still be at it.

    So may that of another cluster, which finds the same disk blank. Gives the lock's descriptor: a
    program that inherits it keeps the lock when this process ends.
    """
    with _LOCK.open("w", encoding="utf-8") as lock:
        until = time.monotonic() + _LOCK_SECONDS
        while not _locked(lock.fileno()):
            if time.monotonic() > until:
                raise HostError("another preparation of OSDs still runs on this host")
            time.sleep(_LOCK_PAUSE)
        yield lock.fileno()


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Osds:
    """Ceph's map of OSDs, asked with a user that may do no more than give back new numbers."""

    def __init__(self, client: CephClient) -> None:
        self._client = client

    def known(self) -> dict[str, prepare_verdict.Known]:
        return {
            str(osd["uuid"]): prepare_verdict.Known(int(osd["osd"]), _is_new(osd))
            for osd in self._command("osd dump")["osds"]
        }

    def purge_new(self, osd_id: int) -> None:
        self._command("osd purge-new", id=osd_id, yes_i_really_mean_it=True)

    def _command(self, prefix: str, **arguments: Any) -> Any:  # noqa: ANN401 - JSON
        try:
            return self._client.command(prefix, **arguments)
        except CephError as error:
            raise HostError(error.message) from error


def _is_new(osd: Mapping[str, Any]) -> bool:
    """Say whether it has never been up: Ceph keeps the state `new` until it is."""
    return "new" in osd["state"] and not osd["up"] and not osd["up_from"]


@contextlib.contextmanager
def asked(parameters: Mapping[str, Any]) -> Iterator[Osds]:
    """Connect for the settling of attempts; the key is never where ceph-volume could find it."""
    managed_file.write(managed_file.conf_file(cluster.CONF, parameters["conf"]))
    with tempfile.TemporaryDirectory(prefix="ceph-orchestrator-") as folder:
        path = f"{folder}/keyring"
        text = keyring.render(_CLEANER, parameters["cleaner_key"])
        managed_file.write(managed_file.ManagedFile(path, text, 0o600))
        try:
            with CephClient(_CLEANER, keyring=path, timeout=_CLIENT_SECONDS) as client:
                yield Osds(client)
        except CephError as error:
            raise HostError(error.message) from error


def prepare_all(
    entries: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any], osds: Osds, lock: int
) -> list[Attempt]:
    """Prepare one device after the other; one that fails does not keep the next from its turn."""
    orders = prepare_orders.Orders(parameters)
    with _bootstrap_keyring(parameters["bootstrap_key"]):
        return [Attempt(entry["path"], _failure(entry, orders, osds, lock)) for entry in entries]


def _failure(entry: Mapping[str, Any], orders: prepare_orders.Orders, osds: Osds, lock: int) -> str:
    """Prepare one device, looked at once more: time has passed since the list was made.

    And again right before it is written, with its name held.
    """
    try:
        seen = blank.look(entry["path"])
        plan = orders.plan(entry, seen)
        with device_hold.unchanged(plan.seen):
            record = prepare_records.write(
                entry["path"], seen.device, seen.size, orders.fsid, plan.mode
            )
            failure = _prepare(plan, record, orders.fsid, lock)
        if failure:
            return f"{failure} ({prepare_recovery.settle(record, osds)})"
        prepare_records.forget(record)
    except (HostError, prepare_commands.ReportError) as error:
        return str(error)
    return ""


def _prepare(
    plan: prepare_orders.Plan, record: prepare_records.Record, fsid: str, lock: int
) -> str:
    try:
        ceph_volume.prepare(plan.command, plan.environment, record.output, [lock])
    except ceph_volume.CephVolumeError as error:
        return str(error)
    missing = _missing(plan, record, fsid)
    return f"ceph-volume left {missing}" if missing else ""


def _missing(plan: prepare_orders.Plan, record: prepare_records.Record, fsid: str) -> str:
    """Look for what was made: as Rook, not to find it is a failure."""
    if plan.mode == "raw":
        return "" if _is_whole(record.device, fsid) else "no finished OSD of this cluster on it"
    made = prepare_orders.on_device(prepare_orders.listed(), record.device, fsid)
    count = len([osd for osd in made if osd.uuid in record.uuids()])
    return "" if count == plan.count else f"{count} OSDs on it where {plan.count} were wanted"


def _is_whole(device: str, fsid: str) -> bool:
    try:
        return is_ours(bluestore_label.read(device), fsid)
    except (OSError, bluestore_label.LabelError):
        return False


def is_ours(label: bluestore_label.Label | None, fsid: str) -> bool:
    """Say whether it is a whole OSD of this cluster."""
    return label is not None and label.fsid == fsid != "" and label.osd_id >= 0 and label.finished


def is_unfinished(seen: blank.Look) -> bool:
    """Say whether it is what an attempt of ours left on a device that was blank before."""
    label = seen.label
    if label is None or label.finished:
        return False
    return any(label.osd_uuid in record.uuids() for record in prepare_records.all_records())


@contextlib.contextmanager
def _bootstrap_keyring(key: str) -> Iterator[None]:
    """Put the key where ceph-volume looks for it, for as long as it runs."""
    before = managed_file.read(_KEYRING)
    text = _OURS + keyring.render(_BOOTSTRAP, key)
    managed_file.write(managed_file.ManagedFile(_KEYRING, text, 0o600))
    try:
        yield
    finally:
        if before and not before.startswith(_OURS):
            managed_file.write(managed_file.ManagedFile(_KEYRING, before, 0o600, "ceph"))
        else:
            Path(_KEYRING).unlink()


def sweep() -> None:
    """Remove the secrets that a run may have left that was cut off."""
    ceph_volume.sweep()
    if managed_file.read(_KEYRING).startswith(_OURS):
        Path(_KEYRING).unlink()
