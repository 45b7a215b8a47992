"""Removes what a deleted cluster kept in the folder that its daemons had of a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_kubernetes_host_data
short_description: Remove a Ceph cluster's data from a node
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.changing]
description:
  - Removes the stores of the cluster's mons, the folders of its OSDs, its logs and crash dumps from
    the node's C(dataDirHostPath), as it is mounted where the module runs.
  - A mon's store goes only if its keyring holds the cluster's own key, an OSD's folder only if its
    name begins with the cluster's fsid. What else is there stays.
  - Logs, crash dumps and records name no cluster. They stay where another cluster has a store or a
    folder of an OSD below the same root.
options:
  root:
    description: Where C(dataDirHostPath) is.
    type: path
    required: true
  namespace:
    description: The cluster's namespace.
    type: str
    required: true
  fsid:
    description: The cluster's fsid.
    type: str
    required: true
  mon_key:
    description: The key of C(mon.).
    type: str
    required: true
attributes:
  diff_mode:
    description: RV(removed) says it all.
    support: none
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Remove what the cluster left on the node
  ceph_orchestrator.ceph.ceph_kubernetes_host_data:
    root: /rook-data
    namespace: rook-ceph
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
    mon_key: "{{ mon_key }}"
  no_log: true
"""

RETURN = r"""
removed:
  description: Folders that were removed.
  returned: always
  type: list
  elements: str
  sample: [/rook-data/mon-a, /rook-data/rook-ceph/log]
kept:
  description: Stores of mons that hold another key, and folders of other clusters' OSDs.
  returned: always
  type: list
  elements: str
  sample: []
"""

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import keyring, managed_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHARED = ("log", "crash", "orchestrator")
_OSD = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_.+")
_MON = re.compile(r"mon-[a-z]+")


def stores(root: Path) -> list[Path]:
    """List the folders of mons."""
    found = root.iterdir() if root.is_dir() else iter(())
    return sorted(path for path in found if _MON.fullmatch(path.name) and path.is_dir())


def is_ours(store: Path, key: str) -> bool:
    """Say whether a store is this cluster's: its keyring has the key; an empty one is nobody's.

    A key that nobody knows is no key: a keyring without one would have the same.
    """
    text = managed_file.read(str(store / "data" / "keyring"))
    if not text:
        return not any((store / "data").glob("*"))
    return key != "" and keyring.key_of(text, "mon.") == key


def _folders(home: Path) -> list[Path]:
    return sorted(home.iterdir()) if home.is_dir() else []


def _osds(home: Path, fsid: str) -> tuple[list[Path], list[Path]]:
    """The folders of OSDs, this cluster's and others'."""
    found = [path for path in _folders(home) if _OSD.fullmatch(path.name)]
    ours = [path for path in found if path.name.startswith(f"{fsid}_")]
    return ours, [path for path in found if path not in ours]


def _removed(parameters: Mapping[str, Any], *, check: bool) -> dict[str, Any]:
    root = Path(parameters["root"])
    home = root / parameters["namespace"]
    mons = {store: is_ours(store, parameters["mon_key"]) for store in stores(root)}
    osds, others = _osds(home, parameters["fsid"])
    kept = [*(store for store, own in mons.items() if not own), *others]
    shared = [] if kept else [path for path in _folders(home) if path.name in _SHARED]
    going = [*(store for store, own in mons.items() if own), *osds, *shared]
    if not check:
        for path in going:
            _remove(path)
        _tidied(home)
    told = {"removed": [str(path) for path in going], "kept": [str(path) for path in kept]}
    return {"changed": bool(going), **told}


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _tidied(home: Path) -> None:
    if home.is_dir() and not any(home.iterdir()):
        home.rmdir()


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "root": {"type": "path", "required": True},
            "namespace": {"type": "str", "required": True},
            "fsid": {"type": "str", "required": True},
            "mon_key": {"type": "str", "required": True, "no_log": True},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_removed(module.params, check=module.check_mode))
    except (managed_file.HostError, OSError) as error:
        module.fail_json(msg=str(error))


if __name__ == "__main__":
    main()
