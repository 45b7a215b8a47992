"""Keeps settings in the mons' configuration database, and touches no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, config_value
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOCUMENTATION = r"""
module: ceph_config
short_description: Keep settings in a Ceph cluster's configuration database
version_added: 0.1.0
description:
  - Sets and removes settings that differ. Settings that are not named stay as they are.
  - When a setting is named twice, the last one counts.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
options:
  settings:
    description: The settings.
    type: list
    elements: dict
    required: true
    suboptions:
      section:
        description: Who it is for, such as C(global), C(osd), C(osd.3) or C(osd/class:hdd).
        type: str
        required: true
      name:
        description: The option.
        type: str
        required: true
      value:
        description: The value; needed when O(settings[].state) is V(present).
        type: raw
      state:
        description: Whether the setting must be there.
        type: str
        choices: [present, absent]
        default: present
attributes:
  check_mode:
    description: It says what it would change.
    support: full
  diff_mode:
    description: It shows the settings that differ.
    support: full
author: The ceph-orchestrator authors
"""

EXAMPLES = r"""
- name: Set and unset
  ceph_orchestrator.ceph.ceph_config:
    settings:
      - {section: mon, name: auth_allow_insecure_global_id_reclaim, value: false}
      - {section: osd, name: osd_max_backfills, state: absent}
"""

RETURN = r"""
set:
  description: Settings that were set.
  returned: always
  type: list
  elements: dict
  sample: [{section: mon, name: auth_allow_insecure_global_id_reclaim, value: "false"}]
removed:
  description: Settings that were removed.
  returned: always
  type: list
  elements: dict
  sample: [{section: osd, name: osd_max_backfills}]
"""


class Setting(NamedTuple):
    section: str
    name: str


def observe(client: CephClient) -> dict[Setting, str]:
    return {
        Setting(_section(entry), str(entry["name"])): str(entry["value"])
        for entry in client.command("config dump")
    }


def _section(entry: Mapping[str, Any]) -> str:
    """Give the name by which `config set` takes it, with the mask behind a slash."""
    mask = str(entry.get("mask") or "")
    return f"{entry['section']}/{mask}" if mask else str(entry["section"])


def wanted(entries: Sequence[Mapping[str, Any]]) -> dict[Setting, str | None]:
    return {
        Setting(entry["section"], entry["name"].replace(" ", "_").replace("-", "_")): (
            config_value.text(entry["value"]) if entry["state"] == "present" else None
        )
        for entry in entries
    }


def difference(
    current: Mapping[Setting, str], settings: Mapping[Setting, str | None]
) -> dict[Setting, str | None]:
    return {
        setting: value
        for setting, value in settings.items()
        if not _is_same(current.get(setting), value)
    }


def _is_same(current: str | None, value: str | None) -> bool:
    if current is None or value is None:
        return current is value
    return config_value.same(current, value)


def apply(client: CephClient, changes: Mapping[Setting, str | None]) -> None:
    for setting, value in changes.items():
        _put(client, setting, value)


def _put(client: CephClient, setting: Setting, value: str | None) -> None:
    try:
        if value is None:
            client.command("config rm", who=setting.section, name=setting.name)
        else:
            client.command("config set", who=setting.section, name=setting.name, value=value)
    except CephError as error:
        place = f"{setting.name} of {setting.section}"
        raise CephError(error.errno, f"{place}: {error.message}") from error


def diff(
    current: Mapping[Setting, str], changes: Mapping[Setting, str | None]
) -> dict[str, dict[str, str | None]]:
    return {
        "before": {" ".join(one): current[one] for one in changes if one in current},
        "after": {" ".join(one): value for one, value in changes.items() if value is not None},
    }


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    settings = wanted(module.params["settings"])
    current: dict[Setting, str] = {}
    if not settings:
        changes = {}
    elif module.check_mode and cluster.is_unknown():
        changes = difference(current, settings)
    else:
        with cluster.connected(module.params) as client:
            current = observe(client)
            changes = difference(current, settings)
            if not module.check_mode:
                apply(client, changes)
    return {
        "changed": bool(changes),
        "set": [
            {**one._asdict(), "value": value} for one, value in changes.items() if value is not None
        ],
        "removed": [one._asdict() for one, value in changes.items() if value is None],
        "diff": diff(current, changes),
    }


def main() -> None:
    setting = {
        "section": {"type": "str", "required": True},
        "name": {"type": "str", "required": True},
        "value": {"type": "raw"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "settings": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {**setting},
            },
        },
        supports_check_mode=True,
    )
    for entry in module.params["settings"]:
        if entry["state"] == "present" and entry["value"] is None:
            module.fail_json(msg=f"{entry['section']} {entry['name']}: a value is missing")
    try:
        module.exit_json(**_reconciled(module))
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)


if __name__ == "__main__":
    main()
