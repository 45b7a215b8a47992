"""Turns modules of the mgr on and off, also before any mgr runs."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
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
  patience:
    description: Seconds to wait for a mgr that does not know a module yet.
    type: float
    default: 20.0
attributes:
  check_mode:
    description: It says what it would change.
    support: full
  diff_mode:
    description: It shows the modules that would change.
    support: full
author: The ceph-orchestrator authors
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
"""

_PAUSE = 1.0


class Modules(NamedTuple):
    """What the mgr map says; `available` is whether a mgr is active."""

    available: bool
    enabled: frozenset[str]
    always_on: frozenset[str]


def observe(client: CephClient) -> Modules:
    listed = client.command("mgr module ls")
    return Modules(
        available=bool(client.command("mgr stat").get("available")),
        enabled=frozenset(map(_name, listed.get("enabled_modules", ()))),
        always_on=frozenset(map(_name, listed.get("always_on_modules", ()))),
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
    else:
        with cluster.connected(module.params) as client:
            current = observe(client)
            changes = difference(current, wanted)
            if not module.check_mode:
                force, patience = not current.available, module.params["patience"]
                apply(client, changes, force=force, patience=patience)
    return {
        "changed": bool(changes),
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
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "modules": {"type": "list", "elements": "dict", "required": True, "options": entry},
            "patience": {"type": "float", "default": 20.0},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)


if __name__ == "__main__":
    main()
