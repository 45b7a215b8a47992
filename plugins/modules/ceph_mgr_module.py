"""Turns modules of the mgr on and off, also before any mgr runs."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_mgr_module
short_description: Turn modules of the Ceph mgr on and off
version_added: 0.1.0
description:
  - Turns on the modules that are off and turns off those that are on. Others stay as they are.
  - On a cluster that has no mgr yet it turns them on all the same, so that the first mgr starts
    with them and need not start again.
  - A mgr that has just become active may not have told its modules yet. It is asked again for a
    while.
  - A module that is on and serves elsewhere than it must is turned off and on again, as most read
    their options only when they start.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  modules:
    description: The modules.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: The module.
        type: str
        required: true
      enabled:
        description: Whether it must be on.
        type: bool
        default: true
      serves:
        description:
          - Where a module that is on must serve, with any of C(port), C(scheme) and C(path). A
            module that serves nowhere is only starting, and is left alone.
        type: dict
      restart:
        description: Whether a module that is on is turned off and on again in any case.
        type: bool
        default: false
  patience:
    description: Seconds to wait for a mgr that does not know a module yet.
    type: float
    default: 20.0
attributes:
  diff_mode:
    description: It shows the modules that would change.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Turn the prometheus module on
  ceph_orchestrator.ceph.ceph_mgr_module:
    modules:
      - {name: prometheus, enabled: true}
"""

RETURN = r"""
enabled:
  description: Modules that were turned on.
  returned: always
  type: list
  elements: str
  sample: [prometheus]
disabled:
  description: Modules that were turned off.
  returned: always
  type: list
  elements: str
  sample: []
restarted:
  description: Modules that were turned off and on again.
  returned: always
  type: list
  elements: str
  sample: [dashboard]
"""


import errno
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_PAUSE = 1.0
_MOVING_SECONDS = 8.0


class Modules(NamedTuple):
    """What the mgr map says; `available` is whether a mgr is active, which one, and its URLs."""

    available: bool
    enabled: frozenset[str]
    always_on: frozenset[str]
    active: object = None
    services: dict[str, str] = {}  # noqa: RUF012 - a NamedTuple's default, and never changed


def observe(client: CephClient) -> Modules:
    listed, dump = client.command("mgr module ls"), client.command("mgr dump")
    return Modules(
        available=bool(dump.get("available")),
        enabled=frozenset(map(_name, listed.get("enabled_modules", ()))),
        always_on=frozenset(map(_name, listed.get("always_on_modules", ()))),
        active=dump.get("active_gid"),
        services=dict(dump.get("services") or {}),
    )


def _name(entry: Any) -> str:  # noqa: ANN401 - a name, or an object that has one
    return str(entry["name"] if isinstance(entry, dict) else entry)


def difference(current: Modules, wanted: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """Give the modules to turn on (True) and off (False); one that is always on needs neither."""
    on = {str(module["name"]): bool(module["enabled"]) for module in wanted}
    return {
        name: enabled
        for name, enabled in on.items()
        if name not in current.always_on and enabled != (name in current.enabled)
    }


def misplaced(current: Modules, wanted: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the modules that are on and must start anew."""
    on = [module for module in wanted if module["enabled"] and module["name"] in current.enabled]
    return [str(module["name"]) for module in on if _must_restart(current, module)]


def _must_restart(current: Modules, module: Mapping[str, Any]) -> bool:
    url, place = current.services.get(module["name"], ""), module["serves"] or {}
    if module["restart"]:
        return current.available
    return bool(url) and not _is_at(url, place)


def _is_at(url: str, place: Mapping[str, Any]) -> bool:
    parts = urlsplit(url)
    found = {"port": parts.port, "scheme": parts.scheme, "path": parts.path}
    return all(str(found[part]) == str(place[part]) for part in found if place.get(part))


def settled(client: CephClient, wanted: Sequence[Mapping[str, Any]]) -> Modules:
    """Look, for a few seconds, until no module serves elsewhere: some move by themselves."""
    until = time.monotonic() + _MOVING_SECONDS
    current = observe(client)
    while time.monotonic() < until and misplaced(current, _moving(wanted)):
        time.sleep(_PAUSE)
        current = observe(client)
    return current


def _moving(wanted: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [module for module in wanted if not module["restart"]]


def restart(client: CephClient, names: Sequence[str], before: Modules, *, patience: float) -> None:
    """Turn modules off, wait until the mgr has noticed, turn them on again and wait for them."""
    for name in names:
        client.command("mgr module disable", module=name)
    until = time.monotonic() + _MOVING_SECONDS
    while time.monotonic() < until and _unnoticed(client, names, before):
        time.sleep(_PAUSE / 4)
    for name in names:
        _force(client, name)
    until = time.monotonic() + patience
    while names and time.monotonic() < until and not _back(client, names, before):
        time.sleep(_PAUSE)


def _back(client: CephClient, names: Sequence[str], before: Modules) -> bool:
    """Whether a mgr is active again and those that served something serve it."""
    now = observe(client)
    return now.available and all(name in now.services for name in names if name in before.services)


def _unnoticed(client: CephClient, names: Sequence[str], before: Modules) -> bool:
    """A mgr that notices starts anew, with another number."""
    now = observe(client)
    same = now.available and now.active == before.active
    return same and any(name in now.services for name in names)


def apply(client: CephClient, changes: Mapping[str, bool], *, force: bool, patience: float) -> None:
    until = time.monotonic() + patience
    for name, enabled in changes.items():
        if not enabled:
            client.command("mgr module disable", module=name)
        elif force:
            _force(client, name)
        else:
            _enable(client, name, until)


def _force(client: CephClient, name: str) -> None:
    try:
        client.command("mgr module enable", module=name, force=True)
    except CephError as error:
        if error.errno != errno.EINVAL:
            raise
        # Until Quincy the option is a word, not a boolean.
        client.command("mgr module enable", module=name, force="--force")


def _enable(client: CephClient, name: str, until: float) -> None:
    while not _known(client, name, last=time.monotonic() > until):
        time.sleep(_PAUSE)


def _known(client: CephClient, name: str, *, last: bool) -> bool:
    """Turn it on; not yet, if no mgr has told of such a module and it is not the last try."""
    try:
        client.command("mgr module enable", module=name)
    except CephError as error:
        if last or error.errno != errno.ENOENT:
            raise
        return False
    return True


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    wanted = module.params["modules"]
    current = Modules(available=False, enabled=frozenset(), always_on=frozenset())
    if module.check_mode and cluster.is_unknown():
        changes = difference(current, wanted)
        restarts = []
    else:
        with cluster.connected(module.params) as client:
            current = observe(client) if module.check_mode else settled(client, wanted)
            changes, restarts = difference(current, wanted), misplaced(current, wanted)
            if not module.check_mode:
                force, patience = not current.available, module.params["patience"]
                apply(client, changes, force=force, patience=patience)
                restart(client, restarts, current, patience=patience)
    return {
        "changed": bool(changes or restarts),
        "restarted": restarts,
        "enabled": [name for name, on in changes.items() if on],
        "disabled": [name for name, on in changes.items() if not on],
        "diff": {
            "before": {name: not on for name, on in changes.items()},
            "after": dict(changes),
        },
    }


def main() -> None:
    entry = {
        "name": {"type": "str", "required": True},
        "enabled": {"type": "bool", "default": True},
        "serves": {"type": "dict"},
        "restart": {"type": "bool", "default": False},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "modules": {"type": "list", "elements": "dict", "required": True, "options": entry},
            "patience": {"type": "float", "default": 20.0},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
