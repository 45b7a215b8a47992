"""Keeps users of a Ceph cluster: their caps are repaired, their keys never change."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_auth
short_description: Keep users and their caps in a Ceph cluster
version_added: 0.1.0
description:
  - Makes users that are missing, gives an existing user exactly the wanted caps and keeps its key,
    and removes users that must be absent.
  - The result holds keys. Use it with C(no_log).
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
options:
  users:
    description: The users.
    type: list
    elements: dict
    required: true
    suboptions:
      entity:
        description: The name with its type, such as C(mgr.a) or C(client.bootstrap-osd).
        type: str
        required: true
      caps:
        description: All caps that the user must have, by service.
        type: dict
        default: {}
      state:
        description: Whether the user must be there.
        type: str
        choices: [present, absent]
        default: present
attributes:
  check_mode:
    description: It says what it would change; a new user has no key yet.
    support: full
  diff_mode:
    description: It shows caps, never keys.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Make the mgr's user
  ceph_orchestrator.ceph.ceph_auth:
    users:
      - entity: mgr.a
        caps: {mon: allow profile mgr, mds: allow *, osd: allow *}
  register: auth
  no_log: true

- name: Remove a user
  ceph_orchestrator.ceph.ceph_auth:
    users:
      - entity: client.bootstrap-osd
        state: absent
"""

RETURN = r"""
fsid:
  description: The cluster, empty in check mode before there is one.
  returned: always
  type: str
  sample: 0a1b2c3d-1111-4222-8333-444455556666
keys:
  description: The keys of the present users.
  returned: always
  type: dict
  sample: {mgr.a: "********"}
"""


import errno
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class User(NamedTuple):
    caps: dict[str, str]
    key: str


class Change(NamedTuple):
    """One command: `add`, `caps` or `remove` of an entity."""

    verb: str
    entity: str
    caps: dict[str, str]


def observe(client: CephClient, entities: Sequence[str]) -> dict[str, User]:
    """Read the users that exist."""
    found = {entity: _get(client, entity) for entity in entities}
    return {entity: user for entity, user in found.items() if user}


def _get(client: CephClient, entity: str) -> User | None:
    try:
        answer = client.command("auth get", entity=entity)
    except CephError as error:
        if error.errno == errno.ENOENT:
            return None
        raise
    return User(dict(answer[0]["caps"]), str(answer[0]["key"]))


def difference(current: Mapping[str, User], users: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Compare caps as maps: their order does not count."""
    changes = []
    for user in users:
        entity, caps, present = user["entity"], _caps(user), user["state"] == "present"
        if present and entity not in current:
            changes.append(Change("add", entity, caps))
        elif present and current[entity].caps != caps:
            changes.append(Change("caps", entity, caps))
        elif not present and entity in current:
            changes.append(Change("remove", entity, {}))
    return changes


def _caps(user: Mapping[str, Any]) -> dict[str, str]:
    return {str(service): str(cap) for service, cap in user["caps"].items() if cap}


def apply(client: CephClient, changes: Sequence[Change]) -> None:
    for change in changes:
        words = [word for pair in sorted(change.caps.items()) for word in pair]
        try:
            if change.verb == "add":
                client.command("auth get-or-create", entity=change.entity, caps=words)
            elif change.verb == "caps":
                # `auth caps` replaces all of them, so the whole set is given; the key stays.
                client.command("auth caps", entity=change.entity, caps=words)
            else:
                client.command("auth del", entity=change.entity)
        except CephError as error:
            raise CephError(error.errno, f"{change.entity}: {error.message}") from error


def diff(current: Mapping[str, User], changes: Sequence[Change]) -> dict[str, Any]:
    touched = [change.entity for change in changes]
    before = {entity: current[entity].caps for entity in touched if entity in current}
    after = {change.entity: change.caps for change in changes if change.verb != "remove"}
    return {"before": before, "after": after}


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    users = module.params["users"]
    if module.check_mode and cluster.is_unknown():
        changes = difference({}, users)
        return {"changed": bool(changes), "fsid": "", "keys": {}, "diff": diff({}, changes)}
    with cluster.connected(module.params) as client:
        entities = [user["entity"] for user in users]
        current = observe(client, entities)
        changes = difference(current, users)
        shown = diff(current, changes)
        if changes and not module.check_mode:
            apply(client, changes)
            current = observe(client, entities)
        fsid = cluster.fsid_of(client)
    keys = {entity: user.key for entity, user in current.items()}
    return {"changed": bool(changes), "fsid": fsid, "keys": keys, "diff": shown}


def main() -> None:
    user = {
        "entity": {"type": "str", "required": True},
        "caps": {"type": "dict", "default": {}},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "users": {"type": "list", "elements": "dict", "required": True, "options": user},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
