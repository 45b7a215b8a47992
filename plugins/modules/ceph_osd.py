"""Makes OSDs on blank devices of a host and lists all OSDs there. Anything not blank is refused."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd
short_description: Make OSDs on blank devices
version_added: 0.1.0
description:
  - Prepares an OSD on each wanted device that is blank. A device that already holds an OSD of this
    cluster is left as it is.
  - A device that shows anything else (a filesystem, a partition table, any signature, a mount, a
    holder, another cluster's label) or cannot be read is refused with the reason and never written.
  - What an earlier run was cut off from, or what failed, is finished or cleared away first, by the
    record that was written before the device was. Nothing is cleared that has no such record.
  - As Rook, it uses C(ceph-volume raw) unless an OSD is encrypted, shares its device, has a
    metadata device or lies on a logical volume. Then it uses C(ceph-volume lvm), whose report is
    compared with what is wanted before anything is written.
  - Gives all OSDs of this cluster on the host, found by their labels, old ones and new ones.
options:
  fsid:
    description: The cluster.
    type: str
    required: true
  conf:
    description: Settings for C(/etc/ceph/ceph.conf) by section, which must lead to the cluster.
    type: dict
    default: {}
  devices:
    description: The wanted devices.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: The device, by any name or link.
        type: path
        required: true
      size:
        description:
          - Its size in bytes. One of another size is refused, for its name has become another's.
          - By default it may have any.
        type: int
        default: 0
      device_class:
        description: Its CRUSH device class, by default what Ceph finds.
        type: str
        default: ""
      mode:
        description: The mode of ceph-volume, by default the one that the other options need.
        type: str
        choices: [raw, lvm, ""]
        default: ""
      osds_per_device:
        description: How many OSDs the device is to hold in all; those that are missing are made.
        type: int
        default: 1
      encrypted:
        description: Whether the OSDs are encrypted with dm-crypt.
        type: bool
        default: false
      metadata_device:
        description:
          - A device for the DB. It may hold DBs of this cluster and nothing else.
          - A partition serves one OSD only.
        type: str
        default: ""
      database_size_mb:
        description: The size of each DB; by default the metadata device is shared evenly.
        type: int
        default: 0
      initial_weight:
        description: The CRUSH weight to begin with. It is only handed through to the result.
        type: str
        default: ""
      primary_affinity:
        description: The primary affinity. It is only handed through to the result.
        type: str
        default: ""
  bootstrap_key:
    description: The key of C(client.bootstrap-osd), needed when a device is to be prepared.
    type: str
    default: ""
  cleaner_key:
    description:
      - The key of C(client.ceph-orchestrator-osd), which may give back numbers of OSDs that never
        ran. Needed as well; ceph-volume never sees it.
    type: str
    default: ""
  allow_loop_devices:
    description: Whether loop devices may be taken.
    type: bool
    default: false
attributes:
  check_mode:
    description: It says which devices it would prepare and which it refuses.
    support: full
  diff_mode:
    description: It shows the devices that would be prepared.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Make OSDs
  ceph_orchestrator.ceph.ceph_osd:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    devices:
      - {path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d4, device_class: hdd}
    bootstrap_key: "{{ bootstrap_key }}"
    cleaner_key: "{{ cleaner_key }}"
  no_log: true
"""

RETURN = r"""
osds:
  description: All OSDs of this cluster on this host.
  returned: always
  type: list
  elements: dict
  sample:
    - id: 0
      uuid: 0b7e9a53-7d0c-4d0e-8f5b-9f6f8f1c7a11
      path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d4
      device_class: hdd
      rotational: true
      initial_weight: ""
      primary_affinity: ""
      new: true
      running: false
blank:
  description: Wanted devices that were blank at the start.
  returned: always
  type: list
  elements: str
  sample: [/dev/disk/by-id/wwn-0x5000c500a1b2c3d4]
refused:
  description: Wanted devices that were not touched, and those whose preparation failed.
  returned: always
  type: list
  elements: dict
  sample: [{path: /dev/sdb, reason: it holds ext4}]
unfinished:
  description: Attempts that were cut off, as far as they could not be brought to an end.
  returned: always
  type: list
  elements: dict
  sample:
    - name: 6c3c9d0e-8f59-4c5e-a2a5-8d6ffb0c2a44
      by_id: /dev/disk/by-id/wwn-0x5000c500a1b2c3d4
      device: /dev/sdb
      size: 480103981056
      fsid: 0a1b2c3d-1111-4222-8333-444455556666
      mode: raw
      uuids: [0b7e9a53-7d0c-4d0e-8f5b-9f6f8f1c7a11]
settled:
  description: What was found of earlier attempts, and what became of it.
  returned: always
  type: list
  elements: str
  sample: ["/dev/disk/by-id/wwn-0x5000c500a1b2c3d4: osd.3 is complete"]
"""


from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    devices,
    lvm_list,
    osd_listing,
    osd_prepare,
    prepare_commands,
    prepare_orders,
    prepare_records,
    prepare_recovery,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Plan:
    """What is to be done with the wanted devices."""

    prepare: tuple[Mapping[str, Any], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def observe(wanted: Sequence[Mapping[str, Any]]) -> dict[str, blank.Look]:
    return blank.looks(entry["path"] for entry in wanted)


def difference(
    seen: Mapping[str, blank.Look],
    wanted: Sequence[Mapping[str, Any]],
    fsid: str,
    *,
    allow_loop: bool,
    on_volumes: Sequence[lvm_list.LvmOsd] = (),
) -> Plan:
    """Choose the devices that lack an OSD; two names of one device are one."""
    prepare: dict[str, Mapping[str, Any]] = {}
    refused = []
    for entry in wanted:
        look = seen[entry["path"]]
        there = len(prepare_orders.on_device(on_volumes, look.device, fsid))
        if osd_prepare.is_ours(look.label, fsid) or there >= (entry.get("osds_per_device") or 1):
            continue
        reason = "" if there else blank.refusal(look, allow_loop=allow_loop)
        reason = reason or prepare_commands.problem(entry, look.type, look.size)
        if reason and not osd_prepare.is_unfinished(look):
            refused.append((entry["path"], reason))
        else:
            prepare.setdefault(look.device, entry)
    return Plan(tuple(prepare.values()), tuple(refused))


def _on_volumes(seen: Mapping[str, blank.Look]) -> list[lvm_list.LvmOsd]:
    """Ask for OSDs on volumes, which takes its time, only when a wanted device has volumes."""
    marks = {"LVM2_member", "crypto_LUKS"}
    if any(marks & set(look.signatures) or look.type == "lvm" for look in seen.values()):
        return prepare_orders.listed()
    return []


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    parameters = module.params
    program.require(["ceph-volume", "ceph-osd", "ceph-bluestore-tool"])
    with osd_prepare.alone() as lock:
        settled = [] if module.check_mode else _settled(parameters)
        seen = observe(parameters["devices"])
        plan = difference(
            seen,
            parameters["devices"],
            parameters["fsid"],
            allow_loop=parameters["allow_loop_devices"],
            on_volumes=_on_volumes(seen),
        )
        attempts = [] if module.check_mode else _prepared(plan, parameters, lock)
        new = [attempt.path for attempt in attempts if not attempt.reason]
        listed = osd_listing.collect(parameters, new)
    result = _result(parameters["fsid"], plan, attempts)
    changed = bool(plan.prepare or settled)
    return {"changed": changed, **result, "osds": listed, "settled": settled}


def _settled(parameters: Mapping[str, Any]) -> list[str]:
    osd_prepare.sweep()
    records = prepare_records.all_records()
    if not records:
        return []
    with osd_prepare.asked(parameters) as osds:
        return prepare_recovery.recover(parameters["fsid"], osds, records)


def _prepared(plan: Plan, parameters: Mapping[str, Any], lock: int) -> list[osd_prepare.Attempt]:
    if not plan.prepare:
        return []
    if not (parameters["bootstrap_key"] and parameters["cleaner_key"]):
        raise HostError(
            "no keys of client.bootstrap-osd and client.ceph-orchestrator-osd were given"
        )
    with osd_prepare.asked(parameters) as osds:
        return osd_prepare.prepare_all(plan.prepare, parameters, osds, lock)


def _result(fsid: str, plan: Plan, attempts: Sequence[osd_prepare.Attempt]) -> dict[str, Any]:
    paths = [str(entry["path"]) for entry in plan.prepare]
    failed = [(attempt.path, attempt.reason) for attempt in attempts if attempt.reason]
    unfinished = [one.result() for one in prepare_records.all_records() if one.fsid == fsid]
    return {
        "blank": paths,
        "refused": [{"path": path, "reason": why} for path, why in (*plan.refused, *failed)],
        "unfinished": unfinished,
        "diff": {
            "before": dict.fromkeys(paths, "blank"),
            "after": dict.fromkeys(paths, f"an OSD of {fsid}"),
        },
    }


def main() -> None:
    device = {
        "path": {"type": "path", "required": True},
        "size": {"type": "int", "default": 0},
        "device_class": {"type": "str", "default": ""},
        "mode": {"type": "str", "default": "", "choices": ["raw", "lvm", ""]},
        "osds_per_device": {"type": "int", "default": 1},
        "encrypted": {"type": "bool", "default": False},
        "metadata_device": {"type": "str", "default": ""},
        "database_size_mb": {"type": "int", "default": 0},
        "initial_weight": {"type": "str", "default": ""},
        "primary_affinity": {"type": "str", "default": ""},
    }
    module = AnsibleModule(
        argument_spec={
            "fsid": {"type": "str", "required": True},
            "conf": {"type": "dict", "default": {}},
            "devices": {"type": "list", "elements": "dict", "default": [], "options": device},
            "bootstrap_key": {"type": "str", "default": "", "no_log": True},
            "cleaner_key": {"type": "str", "default": "", "no_log": True},
            "allow_loop_devices": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except (HostError, devices.DeviceError) as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
