"""Makes OSDs on blank devices of a host and lists all OSDs there. Anything not blank is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    blank,
    devices,
    managed_file,
    osd_prepare,
    program,
    systemd,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import HostError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

DOCUMENTATION = r"""
module: ceph_osd
short_description: Make OSDs on blank devices
version_added: 0.1.0
description:
  - Prepares an OSD on each wanted device that is blank. A device that already holds an OSD of this
    cluster is left as it is.
  - A device that shows anything else (a filesystem, a partition table, any signature, a mount, a
    holder, another cluster's label) or cannot be read is refused with the reason and never written.
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
      device_class:
        description: Its CRUSH device class, by default what Ceph finds.
        type: str
        default: ""
  bootstrap_key:
    description: The key of C(client.bootstrap-osd), needed when a device is to be prepared.
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
author: The ceph-orchestrator authors
"""

EXAMPLES = r"""
- name: Make OSDs
  ceph_orchestrator.ceph.ceph_osd:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    devices:
      - {path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d4, device_class: hdd}
    bootstrap_key: "{{ bootstrap_key }}"
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
orphans:
  description:
    - Uuids of OSDs that a failed attempt put into the map and that do not exist. The module
      M(ceph_orchestrator.ceph.ceph_osd_orphan) takes them out again.
  returned: always
  type: list
  elements: str
  sample: []
"""

_DEVICE_SECONDS = 5.0


@dataclass(frozen=True)
class Plan:
    """What is to be done with the wanted devices."""

    prepare: tuple[Mapping[str, Any], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def observe(wanted: Sequence[Mapping[str, Any]]) -> dict[str, blank.Look]:
    return {entry["path"]: blank.look(entry["path"]) for entry in wanted}


def difference(
    seen: Mapping[str, blank.Look],
    wanted: Sequence[Mapping[str, Any]],
    fsid: str,
    *,
    allow_loop: bool,
) -> Plan:
    """Choose the blank devices; two names of one device are one."""
    prepare: dict[str, Mapping[str, Any]] = {}
    refused = []
    for entry in wanted:
        look = seen[entry["path"]]
        if osd_prepare.is_ours(look.label, fsid):
            continue
        reason = blank.refusal(look, allow_loop=allow_loop)
        if reason and not osd_prepare.is_debris(look):
            refused.append((entry["path"], reason))
        else:
            prepare.setdefault(look.device, entry)
    return Plan(tuple(prepare.values()), tuple(refused))


def osds(found: Sequence[devices.Device], fsid: str) -> list[dict[str, Any]]:
    """List this cluster's OSDs; of a device under another one (multipath) the upper one counts."""
    here = {
        device.osd["uuid"]: device
        for device in found
        if device.osd
        and device.osd["fsid"] == fsid
        and device.osd["id"] >= 0
        and not device.holders
    }
    listed = [
        {"id": device.osd["id"], "uuid": uuid, "path": device.by_id or device.path}
        for uuid, device in here.items()
        if device.osd
    ]
    return sorted(listed, key=lambda osd: osd["id"])


def _listed(parameters: Mapping[str, Any], prepared: Collection[str]) -> list[dict[str, Any]]:
    """Add to each OSD what was wanted of its device."""
    found = devices.collect(_DEVICE_SECONDS)
    wanted = {blank.resolve(one["path"]): one["device_class"] for one in parameters["devices"]}
    new = {blank.resolve(path) for path in prepared}
    listed = osds(found, parameters["fsid"])
    units = systemd.show([_unit(osd) for osd in listed])
    for osd in listed:
        device = blank.resolve(osd["path"])
        osd.update(device_class=wanted.get(device, ""), new=device in new)
        osd["running"] = units[_unit(osd)].running and _folder_uuid(osd) == osd["uuid"]
    return listed


def _unit(osd: Mapping[str, Any]) -> str:
    return f"ceph-osd@{osd['id']}.service"


def _folder_uuid(osd: Mapping[str, Any]) -> str:
    """Give the uuid for which the folder was made: two disks may bear one number."""
    return managed_file.read(f"/var/lib/ceph/osd/ceph-{osd['id']}/fsid").strip()


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    parameters = module.params
    program.require(["ceph-volume", "ceph-osd", "ceph-bluestore-tool"])
    with osd_prepare.alone():
        seen = observe(parameters["devices"])
        allow_loop = parameters["allow_loop_devices"]
        plan = difference(seen, parameters["devices"], parameters["fsid"], allow_loop=allow_loop)
        attempts = [] if module.check_mode else _prepared(plan, parameters)
        new = {attempt.path for attempt in attempts} - {one.path for one in attempts if one.reason}
        listed = _listed(parameters, new)
    paths = [str(entry["path"]) for entry in plan.prepare]
    failed = [(attempt.path, attempt.reason) for attempt in attempts if attempt.reason]
    return {
        "changed": bool(paths) if module.check_mode else bool(attempts),
        "osds": listed,
        "blank": paths,
        "refused": [{"path": path, "reason": why} for path, why in (*plan.refused, *failed)],
        "orphans": [attempt.orphan for attempt in attempts if attempt.orphan],
        "diff": {
            "before": dict.fromkeys(paths, "blank"),
            "after": dict.fromkeys(paths, f"an OSD of {parameters['fsid']}"),
        },
    }


def _prepared(plan: Plan, parameters: Mapping[str, Any]) -> list[osd_prepare.Attempt]:
    if not plan.prepare:
        return []
    if not parameters["bootstrap_key"]:
        raise HostError("no key of client.bootstrap-osd was given")
    return osd_prepare.prepare_all(plan.prepare, parameters)


def main() -> None:
    device = {
        "path": {"type": "path", "required": True},
        "device_class": {"type": "str", "default": ""},
    }
    module = AnsibleModule(
        argument_spec={
            "fsid": {"type": "str", "required": True},
            "conf": {"type": "dict", "default": {}},
            "devices": {"type": "list", "elements": "dict", "default": [], "options": device},
            "bootstrap_key": {"type": "str", "default": "", "no_log": True},
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
