"""Writes daemons' keyrings, and never shows a key."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_keyring
short_description: Write Ceph keyring files
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.changing]
description:
  - Writes keyring files of mode 0600, and the folder of each if it is missing.
  - An existing file that holds the right key is left as it is.
options:
  keyrings:
    description: The files. None of them is shown in a diff or a result with its key.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: The file.
        type: path
        required: true
      entity:
        description: The name in it, such as C(mgr.a).
        type: str
        required: true
      key:
        description: The key. It may be left out of an entry whose O(keyrings[].state) is V(absent).
        type: str
        default: ""
      owner:
        description: User and group of the file, and of its folder if that is made.
        type: str
        default: ceph
      state:
        description: Whether the file must be there.
        type: str
        choices: [present, absent]
        default: present
  programs:
    description: Programs that the host must have; one that is missing is named with its package.
    type: list
    elements: str
    default: []
attributes:
  diff_mode:
    description: Keys are hidden in it.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Write the mgr's keyring
  ceph_orchestrator.ceph.ceph_keyring:
    keyrings:
      - path: /var/lib/ceph/mgr/ceph-a/keyring
        entity: mgr.a
        key: "{{ mgr_keys['mgr.a'] }}"
  no_log: true
"""

RETURN = r"""
written:
  description: Files that were written.
  returned: always
  type: list
  elements: str
  sample: [/var/lib/ceph/mgr/ceph-a/keyring]
removed:
  description: Files that were removed.
  returned: always
  type: list
  elements: str
  sample: []
"""


from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    keyring,
    managed_file,
    program,
)

_FOLDER_MODE = 0o750


def wanted(entries: list[dict[str, Any]]) -> list[managed_file.ManagedFile]:
    """Give the files as they must be; text around the right key stays."""
    return [_file(entry) for entry in entries if entry["state"] == "present"]


def _file(entry: dict[str, Any]) -> managed_file.ManagedFile:
    text = managed_file.read(entry["path"])
    if keyring.key_of(text, entry["entity"]) != entry["key"]:
        text = keyring.render(entry["entity"], entry["key"])
    return managed_file.ManagedFile(entry["path"], text, 0o600, entry["owner"])


def unwanted(entries: list[dict[str, Any]]) -> list[str]:
    paths = [entry["path"] for entry in entries if entry["state"] == "absent"]
    return [path for path in paths if Path(path).exists()]


def apply(changes: list[managed_file.ManagedFile], removals: list[str]) -> None:
    for file in changes:
        managed_file.make_folder(str(Path(file.path).parent), file.owner, _FOLDER_MODE)
        managed_file.write(file)
    for path in removals:
        Path(path).unlink()


def main() -> None:
    entry = {
        "path": {"type": "path", "required": True},
        "entity": {"type": "str", "required": True},
        "key": {"type": "str", "default": "", "no_log": True},
        "owner": {"type": "str", "default": "ceph"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    }
    module = AnsibleModule(
        argument_spec={
            "keyrings": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": entry,
                "no_log": False,
            },
            "programs": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    entries = module.params["keyrings"]
    empty = [one["path"] for one in entries if one["state"] == "present" and not one["key"]]
    if empty and not module.check_mode:
        module.fail_json(msg=f"no key given for {', '.join(empty)}")
    try:
        program.require(module.params["programs"])
        changes, removals = managed_file.difference(wanted(entries)), unwanted(entries)
        diff = managed_file.diff(changes)
        if not module.check_mode:
            apply(changes, removals)
    except managed_file.HostError as error:
        module.fail_json(msg=str(error))
    module.exit_json(
        changed=bool(changes or removals),
        written=[file.path for file in changes],
        removed=removals,
        diff=diff,
    )


if __name__ == "__main__":
    main()
