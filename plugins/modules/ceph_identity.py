"""Writes a cluster's identity on a mon host before its first mon is made.

An interrupted creation then goes on with the same fsid and the same keys.
"""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_identity
short_description: Write a Ceph cluster's identity on a mon host
version_added: 0.1.0
description:
  - Writes the fsid into C(/etc/ceph/ceph.conf).
  - Writes the keys into C(/etc/ceph/ceph.client.admin.keyring) and C(/etc/ceph/ceph.mon.keyring),
    both of mode 0600.
  - Never replaces another fsid or another key.
extends_documentation_fragment: [ceph_orchestrator.ceph.identity, ceph_orchestrator.ceph.changing]
attributes:
  diff_mode:
    description: Keys are hidden in it.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Write the cluster's identity
  ceph_orchestrator.ceph.ceph_identity:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    mon_key: "{{ ceph_mon_key }}"
    admin_key: "{{ ceph_admin_key }}"
  no_log: true
"""

RETURN = r"""
written:
  description: Files that were written.
  returned: always
  type: list
  elements: str
  sample: [/etc/ceph/ceph.conf, /etc/ceph/ceph.client.admin.keyring]
"""


from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_conf,
    cluster,
    keyring,
    managed_file,
)


def observe() -> dict[str, str]:
    """Read the three files."""
    paths = (cluster.CONF, cluster.ADMIN_KEYRING, cluster.MON_KEYRING)
    return {path: managed_file.read(path) for path in paths}


def refusal(current: dict[str, str], fsid: str, keys: dict[str, tuple[str, str]]) -> str:
    """Say which file holds another value, without showing a key."""
    held = ceph_conf.parse(current[cluster.CONF]).get("global", {}).get("fsid", "").lower()
    if held and held != fsid:
        return f"{cluster.CONF} belongs to the cluster {held}, not to {fsid}: refused"
    for path, (entity, key) in keys.items():
        if keyring.key_of(current[path], entity) not in ("", key):
            return f"{path} holds another key of {entity} than the cluster {fsid}: refused"
    return ""


def wanted(
    current: dict[str, str], fsid: str, keys: dict[str, tuple[str, str]]
) -> list[managed_file.ManagedFile]:
    """Give the files as they must be, the fsid first: a key without it would be nobody's."""
    admin, mon = keys[cluster.ADMIN_KEYRING], keys[cluster.MON_KEYRING]
    admin_text = keyring.render(*admin, dict.fromkeys(("mds", "mgr", "mon", "osd"), "allow *"))
    # A mon's first store takes all its users from the keyring: without client.admin it has none.
    mon_text = keyring.render(*mon, {"mon": "allow *"}) + admin_text
    return [
        managed_file.conf_file(cluster.CONF, {"global": {"fsid": fsid}}),
        _file(cluster.ADMIN_KEYRING, current, [admin], admin_text),
        _file(cluster.MON_KEYRING, current, [mon, admin], mon_text),
    ]


def _file(
    path: str, current: dict[str, str], users: list[tuple[str, str]], text: str
) -> managed_file.ManagedFile:
    """Leave a file as it is when all its keys are right."""
    held = all(keyring.key_of(current[path], entity) == key for entity, key in users)
    return managed_file.ManagedFile(path, current[path] if held else text, 0o600)


def _keys(parameters: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        cluster.ADMIN_KEYRING: ("client.admin", parameters["admin_key"]),
        cluster.MON_KEYRING: ("mon.", parameters["mon_key"]),
    }


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "fsid": {"type": "str", "required": True},
            "mon_key": {"type": "str", "required": True, "no_log": True},
            "admin_key": {"type": "str", "required": True, "no_log": True},
        },
        supports_check_mode=True,
    )
    fsid, keys = module.params["fsid"].lower(), _keys(module.params)
    current = observe()
    problem = refusal(current, fsid, keys)
    if problem:
        module.fail_json(msg=problem)
    changes = managed_file.difference(wanted(current, fsid, keys))
    diff = managed_file.diff(changes)
    if not module.check_mode:
        for file in changes:
            managed_file.write(file)
    module.exit_json(changed=bool(changes), written=[file.path for file in changes], diff=diff)


if __name__ == "__main__":
    main()
