"""Waits, for a bounded time, until daemons do their work; names those that do not."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_ready_info
short_description: Wait until mons, mgrs and OSDs of a Ceph cluster are ready
version_added: 0.1.0
description:
  - Waits until all named daemons are ready, and fails with the names of the others when the time
    is up.
  - Mons are ready when they are in quorum, mgrs when one is active and the others stand by, OSDs
    when they are up.
  - With nothing to wait for it makes sure that there is a quorum.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.reading]
options:
  mons:
    description: Mons that must be in quorum.
    type: list
    elements: str
    default: []
  mgrs:
    description: Mgrs of which one must be active and all must be known.
    type: list
    elements: str
    default: []
  osds:
    description: OSDs that must be up.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: The OSD's number.
        type: int
        required: true
      uuid:
        description: The OSD's uuid; another OSD of the same number does not count.
        type: str
        default: ""
      joined:
        description: Whether it must be in as well, which an OSD that is being drained is not.
        type: bool
        default: false
      booted_after:
        description:
          - The epoch after which it must have come up, for an OSD that was stopped a moment ago is
            still up in the map.
        type: int
        default: -1
  first_quorum:
    description:
      - Whether a first election that hangs is begun anew.
      - Mons that start at the same moment may miss each other's votes and would wait five seconds.
        Only for a cluster that is being made.
    type: bool
    default: false
  fail:
    description: Whether it is a failure when the time is up.
    type: bool
    default: true
  wait:
    description: Seconds to wait.
    type: float
    default: 120.0
attributes:
  check_mode:
    description: It only reads, and does not wait.
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Wait for the quorum
  ceph_orchestrator.ceph.ceph_ready_info:
    mons: [a, b, c]
    wait: 60
"""

RETURN = r"""
fsid:
  description: The cluster, empty in check mode before there is one.
  returned: success
  type: str
  sample: 0a1b2c3d-1111-4222-8333-444455556666
mons:
  description: The members of the monmap.
  returned: success
  type: list
  elements: dict
  sample:
    - {name: a, addrs: ["v2:192.0.2.1:3300", "v1:192.0.2.1:6789"], in_quorum: true}
osds:
  description: The OSDs that were asked for, as the cluster knows them.
  returned: success
  type: list
  elements: dict
  sample:
    - {id: 0, uuid: 0b7e9a53-7d0c-4d0e-8f5b-9f6f8f1c7a11, up: true, in: true, device_class: hdd}
unknown_osds:
  description:
    - OSDs that were asked for and that the cluster does not have, such as purged ones whose disk
      was not wiped.
  returned: success
  type: list
  elements: dict
  sample: [{id: 7, uuid: 0b7e9a53-7d0c-4d0e-8f5b-9f6f8f1c7a11}]
missing:
  description: Who is not ready.
  returned: success
  type: list
  elements: str
  sample: []
waited:
  description: Seconds that it took.
  returned: always
  type: float
  sample: 4.2
"""


import contextlib
import errno
import time
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    mon_store,
    readiness,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.readiness import Look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


_NOT_YET = (errno.ETIMEDOUT, errno.ENOENT, errno.ECONNREFUSED)
_PAUSE = 0.5


def observe(client: CephClient, parameters: Mapping[str, Any]) -> Look:
    """Take one look at all that was asked for; nothing is read that was not."""
    looks = [readiness.mons(client.command("mon dump"), parameters["mons"])]
    if parameters["mgrs"]:
        looks.append(readiness.mgrs(client.command("mgr dump"), parameters["mgrs"]))
    found: dict[str, Any] = {"osds": [], "unknown_osds": []}
    if parameters["osds"]:
        looks.append(readiness.osds(client.command("osd dump"), parameters["osds"]))
    for look in looks:
        found.update(look.found)
    return Look([name for look in looks for name in look.missing], found)


def _local_mons(parameters: Mapping[str, Any]) -> Callable[[], Look]:
    hastener = readiness.Hastener()

    def look() -> Look:
        if parameters["first_quorum"]:
            hastener.look()
        return readiness.local_quorum(parameters["mons"], parameters["fsid"])

    return look


@contextlib.contextmanager
def _connected(parameters: Mapping[str, Any], seconds: float) -> Iterator[CephClient]:
    """Try for so long: mons that are waited for from elsewhere answer nobody before a quorum."""
    until = time.monotonic() + seconds
    while True:
        with contextlib.ExitStack() as stack:
            try:
                client = stack.enter_context(cluster.connected(parameters))
            except CephError as error:
                early = parameters["mons"] and error.errno in _NOT_YET
                if not early or time.monotonic() >= until:
                    raise
                time.sleep(_PAUSE)
                continue
            yield client
            return


def _wait(parameters: Mapping[str, Any], seconds: float) -> tuple[Look, float]:
    waited = 0.0
    if parameters["mons"] and mon_store.local_ids():
        look, waited = readiness.until_ready(_local_mons(parameters), seconds)
        if look.missing:
            return look, waited
    start = time.monotonic()
    with _connected(parameters, seconds) as client:
        waited += time.monotonic() - start
        left = max(0.0, seconds - waited)
        look, longer = readiness.until_ready(lambda: observe(client, parameters), left)
        look.found["fsid"] = cluster.fsid_of(client)
        classes = readiness.device_classes(client) if look.found["osds"] else {}
    for osd in look.found["osds"]:
        osd["device_class"] = classes.get(osd["id"], "")
    return look, waited + longer


_NOTHING: dict[str, Any] = {"fsid": "", "mons": [], "osds": [], "unknown_osds": []}


def _is_no_quorum(parameters: Mapping[str, Any], error: CephError) -> bool:
    """Mons that were waited for and gave no answer are missing: no failure where none is asked."""
    return bool(parameters["mons"]) and not parameters["fail"] and error.errno in _NOT_YET


def main() -> None:
    osd = {
        "id": {"type": "int", "required": True},
        "uuid": {"type": "str", "default": ""},
        "joined": {"type": "bool", "default": False},
        "booted_after": {"type": "int", "default": -1},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "mons": {"type": "list", "elements": "str", "default": []},
            "mgrs": {"type": "list", "elements": "str", "default": []},
            "osds": {"type": "list", "elements": "dict", "default": [], "options": osd},
            "first_quorum": {"type": "bool", "default": False},
            "fail": {"type": "bool", "default": True},
            "wait": {"type": "float", "default": 120.0},
        },
        supports_check_mode=True,
    )
    if module.check_mode and cluster.is_unknown():
        module.exit_json(changed=False, missing=[], waited=0.0, **_NOTHING)
    seconds = 0.0 if module.check_mode else module.params["wait"]
    try:
        look, waited = _wait(module.params, seconds)
    except CephError as error:
        if _is_no_quorum(module.params, error):
            names = [f"mon.{name}" for name in module.params["mons"]]
            module.exit_json(changed=False, waited=seconds, missing=names, **_NOTHING)
        module.fail_json(msg=error.message, errno=error.errno)
    if look.missing and module.params["fail"] and not module.check_mode:
        module.fail_json(
            msg=f"not ready after {waited:.0f} s: {', '.join(look.missing)}", missing=look.missing
        )
    module.exit_json(changed=False, waited=round(waited, 2), missing=look.missing, **look.found)


if __name__ == "__main__":
    main()
