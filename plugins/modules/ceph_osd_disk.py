"""Clears the disks of one cluster's OSDs, and touches no other."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_disk
short_description: Clear the disks of a Ceph cluster's OSDs
version_added: 0.1.0
description:
  - Overwrites devices whose own label says that they hold an OSD of the given cluster. The label is
    read again on the device that is about to be written, while nobody else can open it for itself.
  - A device that is clear already is left alone. Any other one, be it another cluster's, mounted or
    in use, is refused and named; all others are cleared nevertheless.
  - The label goes last, so that a clearing that was cut off goes on.
options:
  fsid:
    description: The cluster.
    type: str
    required: true
  devices:
    description: Devices, by any name or link.
    type: list
    elements: str
    default: []
  osds:
    description:
      - OSDs in logical volumes, by their uuid. Their volumes, and those of their databases, are
        removed by C(ceph-volume) once its tags say that they are of the cluster, and no OSD runs.
    type: list
    elements: str
    default: []
  method:
    description: V(quick) clears labels and signatures, V(complete) all of a device.
    type: str
    choices: [quick, complete]
    default: quick
  data_source:
    description: What V(complete) writes.
    type: str
    choices: [zero, random]
    default: zero
  iteration:
    description: How many times V(complete) writes it.
    type: int
    default: 1
attributes:
  check_mode:
    description: It says what it would clear.
    support: full
  diff_mode:
    description: Content is not shown.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Clear the disks of a cluster that is gone
  ceph_orchestrator.ceph.ceph_osd_disk:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    devices: [/dev/disk/by-id/wwn-0x5000c500a1b2c3d4]
    method: complete
"""

RETURN = r"""
cleared:
  description: Devices and OSDs that were cleared.
  returned: always
  type: list
  elements: str
  sample: [/dev/disk/by-id/wwn-0x5000c500a1b2c3d4]
refused:
  description: Devices and OSDs that were left alone.
  returned: always
  type: list
  elements: dict
  sample: [{path: /dev/sdc, reason: it is mounted on /srv}]
"""


from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    device_lock,
    lvm_list,
    managed_file,
    prepare_records,
    program,
    sanitize,
    systemd,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Sequence


_AT_ONCE = 8
_LIST_SECONDS = 60.0
_ZAP_SECONDS = 24 * 3600.0


class Done(NamedTuple):
    """What became of one device or OSD; `reason` is empty when it was cleared."""

    path: str
    changed: bool = False
    reason: str = ""


def observe(owner: sanitize.Owner, devices: Sequence[str]) -> list[sanitize.Verdict]:
    seen = blank.looks(devices)
    return [sanitize.judge(seen[path], owner) for path in dict.fromkeys(devices)]


def owner_of(fsid: str) -> sanitize.Owner:
    """Tell whose labels may go; a preparation that was cut off may have left one without fsid."""
    records = [record for record in prepare_records.all_records() if record.fsid == fsid]
    return sanitize.Owner(fsid, frozenset(uuid for one in records for uuid in one.uuids()))


def of_volumes(uuids: Sequence[str], fsid: str, known: Sequence[lvm_list.LvmOsd]) -> list[Done]:
    """Pure: which OSDs in volumes may go, by the tags on their volumes; a missing one is gone."""
    by_uuid = {osd.uuid: osd for osd in known}
    found = []
    for uuid in dict.fromkeys(uuids):
        osd = by_uuid.get(uuid)
        if osd is None:
            found.append(Done(uuid))
        elif not fsid or osd.fsid != fsid:
            found.append(Done(uuid, reason=f"it is of the cluster {osd.fsid or 'of no name'}"))
        else:
            found.append(Done(uuid, changed=True))
    return found


def apply(
    verdicts: Sequence[sanitize.Verdict], owner: sanitize.Owner, way: sanitize.Way
) -> list[Done]:
    """Clear all disks of the host side by side: each is as slow as it is large."""
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return list(pool.map(lambda verdict: _cleared(verdict, owner, way), verdicts))


def _cleared(verdict: sanitize.Verdict, owner: sanitize.Owner, way: sanitize.Way) -> Done:
    if not verdict.clear:
        return Done(verdict.path, reason=verdict.refusal)
    try:
        sanitize.clear(verdict.device, owner, way)
    except HostError as error:
        return Done(verdict.path, reason=str(error))
    return Done(verdict.path, changed=True)


def _zapped(osd: lvm_list.LvmOsd, way: sanitize.Way) -> Done:
    """By its uuid: a number alone may be another cluster's OSD as well.

    An encrypted one loses its keys by that, and with them its content.
    """
    command = ["ceph-volume", "lvm", "zap", "--destroy", "--osd-fsid", osd.uuid]
    try:
        _make_sure_it_stands(osd)
        if way.method == sanitize.COMPLETE and blank.look(osd.path).label:
            sanitize.clear(osd.path, sanitize.Owner(osd.fsid), way)
        program.run(command, _ZAP_SECONDS)
    except HostError as error:
        return Done(osd.uuid, reason=str(error))
    return Done(osd.uuid, changed=True)


def _make_sure_it_stands(osd: lvm_list.LvmOsd) -> None:
    """Refuse an OSD that runs: ceph-volume asks for that only when it is given the number.

    One that is encrypted runs on the mapping, for which the kernel keeps the volume itself.
    """
    try:
        paths = filter(None, (osd.path, osd.db, osd.wal))
        running = [path for path in paths if device_lock.is_running(path)]
    except OSError as error:
        raise HostError(f"{osd.path}: cannot be looked at: {error.strerror}") from None
    if running:
        raise HostError(f"an OSD runs on {', '.join(running)}, so it stays")


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    given = module.params
    owner = owner_of(given["fsid"])
    verdicts = observe(owner, given["devices"])
    known = _listed(module) if given["osds"] else []
    volumes = of_volumes(given["osds"], given["fsid"], known)
    if module.check_mode:
        done = [Done(one.path, one.clear, one.refusal) for one in verdicts] + volumes
    else:
        way = sanitize.Way(given["method"], given["data_source"], given["iteration"])
        ready = {one.path for one in volumes if one.changed}
        done = apply(verdicts, owner, way) + [one for one in volumes if not one.changed]
        done += [_zapped(osd, way) for osd in known if osd.uuid in ready]
        _settle([one.device for one in verdicts if one.clear])
    return {
        "changed": any(one.changed for one in done),
        "cleared": [one.path for one in done if one.changed],
        "refused": [{"path": one.path, "reason": one.reason} for one in done if one.reason],
    }


def _listed(module: AnsibleModule) -> list[lvm_list.LvmOsd]:
    errors: list[str] = []
    known = lvm_list.ask(_LIST_SECONDS, errors)
    if errors:
        module.fail_json(msg="; ".join(errors))
    return known


def _settle(devices: Sequence[str]) -> None:
    """Let udev look again, as whoever lists disks next reads what it wrote down."""
    if devices:
        systemd.triggered(devices, _LIST_SECONDS)


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "fsid": {"type": "str", "required": True},
            "devices": {"type": "list", "elements": "str", "default": []},
            "osds": {"type": "list", "elements": "str", "default": []},
            "method": {"type": "str", "choices": ["quick", "complete"], "default": "quick"},
            "data_source": {"type": "str", "choices": ["zero", "random"], "default": "zero"},
            "iteration": {"type": "int", "default": 1},
        },
        supports_check_mode=True,
    )
    managed_file.finish(module, _reconciled)


if __name__ == "__main__":
    main()
