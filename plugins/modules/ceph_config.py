"""Keeps settings in the mons' configuration database, and touches no other."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_config
short_description: Keep settings in a Ceph cluster's configuration database
version_added: 0.1.0
description:
  - Sets and removes settings that differ. Settings that are not named stay as they are.
  - When a setting is named twice, the last one counts.
  - With O(record) it writes down in the cluster which settings it set, so that they can be told
    from those of others later. It is written before a setting is made and after one is removed, so
    an interruption never leaves a setting of ours that is not recorded. What the cluster refuses
    is taken out again.
  - One setting that the cluster refuses does not keep the others from being set.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
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
        description:
          - Whether the setting must be there.
          - V(released) leaves it as it is, and takes it out of the record.
        type: str
        choices: [present, absent, released]
        default: present
      owned:
        description: Whether the setting goes into the record when it is set.
        type: bool
        default: true
      secret:
        description:
          - Whether the value is a secret. It is then neither in the result nor in a message, and
            the record holds only its digest. Use it with C(no_log).
        type: bool
        default: false
  record:
    description: Whether to keep the record in the cluster's key-value store.
    type: bool
    default: false
attributes:
  diff_mode:
    description: It shows the settings that differ.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
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
  description: Settings that were set; instead of a secret its digest.
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


from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    cluster,
    config_value,
    owned,
    redact,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Setting(NamedTuple):
    section: str
    name: str


class Wanted(NamedTuple):
    """What a setting is to be; `value` is None when it must not be there.

    `hidden` is one whose value may be shown nowhere, although it is no secret that is to be set.
    """

    value: str | None
    owned: bool = True
    secret: bool = False
    released: bool = False
    hidden: bool = False

    def shown(self, value: str | None) -> str | None:
        veiled = self.secret or self.hidden
        return owned.digest(value) if veiled and value is not None else value


Changes = dict[Setting, Wanted]
Failures = dict[Setting, CephError]


def observe(client: CephClient) -> dict[Setting, str]:
    return {
        Setting(_section(entry), str(entry["name"])): str(entry["value"])
        for entry in client.command("config dump")
    }


def _section(entry: Mapping[str, Any]) -> str:
    """Give the name by which `config set` takes it, with the mask behind a slash."""
    mask = str(entry.get("mask") or "")
    return f"{entry['section']}/{mask}" if mask else str(entry["section"])


def wanted(entries: Sequence[Mapping[str, Any]]) -> Changes:
    return {
        Setting(entry["section"], entry["name"].replace(" ", "_").replace("-", "_")): Wanted(
            config_value.text(entry["value"]) if entry["state"] == "present" else None,
            owned=entry["owned"],
            secret=entry["secret"],
            released=entry["state"] == "released",
        )
        for entry in entries
    }


def veiled(settings: Mapping[Setting, Wanted], record: owned.Owned) -> Changes:
    """Hide what is, or was before, a secret: by its name, or by our record."""
    names = record.secret_names()
    return {
        one: wish._replace(hidden=redact.is_secret(one.name) or one in names)
        for one, wish in settings.items()
    }


def difference(current: Mapping[Setting, str], settings: Mapping[Setting, Wanted]) -> Changes:
    return {
        setting: wish
        for setting, wish in settings.items()
        if not wish.released and not _is_same(current.get(setting), wish.value)
    }


def _is_same(current: str | None, value: str | None) -> bool:
    if current is None or value is None:
        return current is value
    return config_value.same(current, value)


def apply(client: CephClient, changes: Mapping[Setting, Wanted]) -> Failures:
    """Make all changes that can be made; give why the others could not."""
    tried = ((setting, _failure(client, setting, wish)) for setting, wish in changes.items())
    return {setting: failure for setting, failure in tried if failure}


def _failure(client: CephClient, setting: Setting, wish: Wanted) -> CephError | None:
    try:
        _put(client, setting, wish)
    except CephError as error:
        return error
    return None


def _put(client: CephClient, setting: Setting, wish: Wanted) -> None:
    try:
        if wish.value is None:
            client.command("config rm", who=setting.section, name=setting.name)
        else:
            _set(client, setting, wish.value)
    except CephError as error:
        text = error.message
        if (wish.secret or wish.hidden) and wish.value:
            text = text.replace(wish.value, redact.HIDDEN)
        place = f"{setting.name} of {setting.section}"
        raise CephError(error.errno, f"{place}: {text}") from None


def _set(client: CephClient, setting: Setting, value: str) -> None:
    """Set it; an option of a mgr module is not known before a mgr has told of its modules."""
    arguments: dict[str, Any] = {"who": setting.section, "name": setting.name, "value": value}
    try:
        client.command("config set", **arguments)
    except CephError as error:
        if not setting.name.startswith("mgr/") or "unrecognized config option" not in error.message:
            raise
        client.command("config set", **arguments, force=True)


def claimed(record: owned.Owned, settings: Mapping[Setting, Wanted], changes: Changes) -> None:
    """Write into the record, before anything is done, what is about to be set.

    A secret is claimed even when the cluster has it: only the record tells that they are the same.
    """
    for setting, wish in settings.items():
        if wish.value is None or not wish.owned:
            continue
        if wish.secret:
            record.keep_secret(*setting, given=wish.value, stored=wish.value)
        elif setting in changes:
            record.keep(*setting, wish.value)


def settled(
    record: owned.Owned, settings: Mapping[Setting, Wanted], stored: Mapping[Setting, str]
) -> None:
    """Take out of the record what is gone, and note secrets as the cluster writes them."""
    for setting, wish in settings.items():
        if wish.released or (wish.value is None and setting not in stored):
            record.forget(*setting)
        elif wish.secret and wish.value is not None and setting in stored:
            record.keep_secret(*setting, given=wish.value, stored=stored[setting])


def disclaimed(
    record: owned.Owned,
    before: owned.Owned,
    current: Mapping[Setting, str],
    failures: Failures,
) -> None:
    """Take back the claim to what the cluster refused; what nobody knows of stays claimed."""
    for setting, failure in failures.items():
        if failure.refused and setting in current:
            record.take_back(*setting, before)
        elif failure.refused:
            record.forget(*setting)


def diff(current: Mapping[Setting, str], changes: Changes) -> dict[str, dict[str, str | None]]:
    return {
        "before": {
            " ".join(one): wish.shown(current[one])
            for one, wish in changes.items()
            if one in current
        },
        "after": {
            " ".join(one): wish.shown(wish.value)
            for one, wish in changes.items()
            if wish.value is not None
        },
    }


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    settings = wanted(module.params["settings"])
    if not settings:
        return result({}, {}, forgotten=False)
    if module.check_mode and cluster.is_unknown():
        return result({}, difference({}, settings), forgotten=False)
    with cluster.connected(module.params) as client:
        current = observe(client)
        record = owned.read(client) if module.params["record"] else owned.Owned()
        settings = veiled(settings, record)
        changes = difference(current, settings)
        if module.check_mode:
            released = any(wish.released for wish in settings.values())
            return result(current, changes, forgotten=released)
        if module.params["record"]:
            forgotten, failures = _recorded(client, record, current, settings, changes)
        else:
            forgotten, failures = False, apply(client, changes)
    if failures:
        errors = list(failures.values())
        raise CephError(errors[0].errno, "; ".join(error.message for error in errors))
    return result(current, changes, forgotten=forgotten)


def _recorded(
    client: CephClient,
    before: owned.Owned,
    current: Mapping[Setting, str],
    settings: Mapping[Setting, Wanted],
    changes: Changes,
) -> tuple[bool, Failures]:
    """Apply the changes between two states of the record; say whether it let go of anything."""
    record = owned.Owned(before.document())
    claimed(record, settings, changes)
    owned.write(client, before, record)
    claim = owned.Owned(record.document())
    failures = apply(client, changes)
    disclaimed(record, before, current, failures)
    done = {
        one: wish for one, wish in settings.items() if wish.value is None or one not in failures
    }
    secrets = any(wish.secret or wish.value is None for wish in done.values())
    settled(record, done, observe(client) if secrets else {})
    owned.write(client, claim, record)
    return claim.document() != record.document(), failures


def result(current: Mapping[Setting, str], changes: Changes, *, forgotten: bool) -> dict[str, Any]:
    return {
        "changed": bool(changes) or forgotten,
        "set": _listed((one, wish) for one, wish in changes.items() if wish.value is not None),
        "removed": [one._asdict() for one, wish in changes.items() if wish.value is None],
        "diff": diff(current, changes),
    }


def _listed(changes: Iterable[tuple[Setting, Wanted]]) -> list[dict[str, Any]]:
    return [{**one._asdict(), "value": wish.shown(wish.value)} for one, wish in changes]


def main() -> None:
    setting = {
        "section": {"type": "str", "required": True},
        "name": {"type": "str", "required": True},
        "value": {"type": "raw"},
        "state": {
            "type": "str",
            "choices": ["present", "absent", "released"],
            "default": "present",
        },
        "owned": {"type": "bool", "default": True},
        "secret": {"type": "bool", "default": False},
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
            "record": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    for entry in module.params["settings"]:
        if entry["state"] == "present" and entry["value"] is None:
            module.fail_json(msg=f"{entry['section']} {entry['name']}: a value is missing")
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
