"""Reads whose cluster a mon host belongs to: the question before anything may be made."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_identity_info
short_description: Read which Ceph cluster a mon host belongs to
version_added: 0.1.0
description:
  - Reads the fsid and the keys of C(mon.) and C(client.admin) that a mon host holds, from
    C(ceph.conf), the data of its mons and its keyrings.
  - Refuses a host that belongs to another cluster than the wanted one, or to two at once.
  - Offers a fresh identity, which means nothing until the module
    M(ceph_orchestrator.ceph.ceph_identity) is given it.
  - The result holds keys. Use it with C(no_log).
extends_documentation_fragment: [ceph_orchestrator.ceph.reading]
options:
  fsid:
    description: The cluster that is meant, empty when it is not known yet.
    type: str
    default: ""
  programs:
    description: Programs that the host must have; one that is missing is named with its package.
    type: list
    elements: str
    default: [ceph-mon, ceph-authtool, monmaptool]
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Read whose cluster the mon hosts belong to
  ceph_orchestrator.ceph.ceph_identity_info:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
  register: held
  no_log: true
"""

RETURN = r"""
fsid:
  description: The cluster that this host belongs to, empty on an empty host.
  returned: always
  type: str
  sample: 0a1b2c3d-1111-4222-8333-444455556666
mon_key:
  description: The key of C(mon.), if the host holds it.
  returned: always
  type: str
  sample: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER
admin_key:
  description: The key of C(client.admin), if the host holds it.
  returned: always
  type: str
  sample: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER
mons:
  description: Mons whose data is on this host. Epoch 0 never had a quorum, -1 could not be read.
  returned: always
  type: list
  elements: dict
  sample:
    - id: a
      path: /var/lib/ceph/mon/ceph-a
      fsid: 0a1b2c3d-1111-4222-8333-444455556666
      epoch: 1
      members: [a, b, c]
      problem: ""
formed:
  description: Whether a mon of this host has been in a quorum, or may have been.
  returned: always
  type: bool
  sample: true
osd_fsids:
  description: Clusters whose OSDs are on this host's devices.
  returned: always
  type: list
  elements: str
  sample: [0a1b2c3d-1111-4222-8333-444455556666]
offer:
  description: A fresh fsid, and fresh keys in place of those that the host does not hold.
  returned: always
  type: dict
  sample: {fsid: 9c0d3c54-6d3c-4b0a-8a1e-0a8f0a3c2b11, mon_key: "********", admin_key: "********"}
"""


from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    bluestore_label,
    ceph_conf,
    cluster,
    devices,
    keyring,
    managed_file,
    mon_store,
    program,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

_DEVICE_SECONDS = 2.0
_MON_KEY_SECONDS = 5.0


@dataclass(frozen=True)
class Held:
    """What the host holds, and where."""

    conf_fsid: str = ""
    mons: tuple[mon_store.MonStore, ...] = ()
    mon_key: str = field(default="", repr=False)
    admin_key: str = field(default="", repr=False)
    osd_fsids: tuple[str, ...] = ()

    @property
    def places(self) -> dict[str, str]:
        """Map each place that names a cluster to its fsid."""
        places = {mon.path: mon.fsid for mon in self.mons if mon.fsid}
        if self.conf_fsid:
            places[cluster.CONF] = self.conf_fsid
        return places

    @property
    def fsid(self) -> str:
        return next(iter(self.places.values()), "")


def observe() -> Held:
    conf = ceph_conf.parse(managed_file.read(cluster.CONF))
    mons = tuple(mon_store.observe())
    return Held(
        conf_fsid=conf.get("global", {}).get("fsid", "").lower(),
        mons=mons,
        mon_key=_mon_key(mons),
        admin_key=_admin_key(mons),
        osd_fsids=_osd_fsids(),
    )


def _mon_key(mons: tuple[mon_store.MonStore, ...]) -> str:
    paths = [f"{mon.path}/keyring" for mon in mons] + [cluster.MON_KEYRING]
    keys = (keyring.key_of(managed_file.read(path), "mon.") for path in paths)
    return next((key for key in keys if key), "")


def _admin_key(mons: tuple[mon_store.MonStore, ...]) -> str:
    """Read the keyring; without it a mon of this host may ask its own cluster."""
    key = keyring.key_of(managed_file.read(cluster.ADMIN_KEYRING), "client.admin")
    paths = [f"{mon.path}/keyring" for mon in mons if mon.epoch > 0]
    if key or not paths or not Path(paths[0]).exists():
        return key
    try:
        with CephClient("mon.", keyring=paths[0], timeout=_MON_KEY_SECONDS) as client:
            answer = client.command("auth get", entity="client.admin")
    except CephError:
        return ""
    return str(answer[0]["key"]) if isinstance(answer, list) and answer else ""


def _osd_fsids() -> tuple[str, ...]:
    try:
        found = devices.collect(_DEVICE_SECONDS)
    except (devices.DeviceError, bluestore_label.LabelError):
        return ()
    return tuple(sorted({str(device.osd["fsid"]) for device in found if device.osd} - {""}))


def conflict(held: Held, wanted: str) -> str:
    """Say why this host must not be touched: it, or a part of it, is another cluster's."""
    unread = [f"{mon.path}: {mon.problem}" for mon in held.mons if mon.problem]
    if unread:
        return f"cluster state unknown: {'; '.join(unread)}"
    expected = wanted or held.fsid
    foreign = {place: fsid for place, fsid in held.places.items() if fsid != expected}
    if not foreign:
        return ""
    named = ", ".join(f"{place} belongs to {fsid}" for place, fsid in sorted(foreign.items()))
    return (
        f"this host is not the cluster {expected}'s: {named}. Nothing was changed. If that cluster "
        f"is gone, remove {', '.join(sorted(foreign))} by hand and run again"
    )


def result(held: Held) -> dict[str, Any]:
    return {
        "fsid": held.fsid,
        "mon_key": held.mon_key,
        "admin_key": held.admin_key,
        "mons": [asdict(mon) for mon in held.mons],
        "formed": any(mon.formed for mon in held.mons),
        "osd_fsids": list(held.osd_fsids),
        "offer": keyring.offer(held.mon_key, held.admin_key),
    }


def _answer(module: AnsibleModule) -> dict[str, Any]:
    program.require(module.params["programs"])
    held = observe()
    problem = conflict(held, module.params["fsid"].lower())
    if problem:
        raise managed_file.HostError(problem)
    return {"changed": False, **result(held)}


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "fsid": {"type": "str", "default": ""},
            "programs": {
                "type": "list",
                "elements": "str",
                "default": ["ceph-mon", "ceph-authtool", "monmaptool"],
            },
        },
        supports_check_mode=True,
    )
    managed_file.finish(module, _answer)


if __name__ == "__main__":
    main()
