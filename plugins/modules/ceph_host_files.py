"""Takes one cluster's files off a host: its configuration, and when told so its data and keys."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_host_files
short_description: Take a Ceph cluster's files off a host
version_added: 0.1.0
extends_documentation_fragment: [ceph_orchestrator.ceph.changing]
description:
  - Removes what the roles of this collection wrote into C(ceph.conf), the file itself when nothing
    else is left in it, and the programs that they brought along.
  - With O(data) removes the data of the named daemons and what was put aside, the keyrings of the
    cluster and the dumps of its crashes as well.
  - What belongs to another cluster stays as it is. C(ceph.conf) goes last, as it says whose host
    this is.
options:
  fsid:
    description: The cluster.
    type: str
    required: true
  data:
    description: Whether data and keys go as well.
    type: bool
    default: false
  daemons:
    description: Daemons whose data goes.
    type: list
    elements: dict
    default: []
    suboptions:
      type:
        description: The kind of daemon.
        type: str
        choices: [mon, mgr, osd]
        required: true
      id:
        description: The daemon's id.
        type: str
        required: true
  state:
    description: Whether the files must be there; other modules make them.
    type: str
    choices: [absent]
    default: absent
attributes:
  diff_mode:
    description: It shows C(ceph.conf), never keys.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Take the cluster's configuration off the host
  ceph_orchestrator.ceph.ceph_host_files:
    fsid: 0a1b2c3d-1111-4222-8333-444455556666
"""

RETURN = r"""
removed:
  description: Files and folders that were removed, in order.
  returned: always
  type: list
  elements: str
  sample: [/var/lib/ceph/mon/ceph-a, /etc/ceph/ceph.client.admin.keyring]
kept:
  description: What names another cluster and stays.
  returned: always
  type: list
  elements: str
  sample: []
"""


import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    ceph_conf,
    cluster,
    daemon,
    daemons,
    managed_file,
    mon_store,
    our_files,
    prepare_records,
    removal,
)
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.managed_file import ManagedFile

if TYPE_CHECKING:
    from collections.abc import Iterator


_DROP_INS = "ceph-*@*.service.d/orchestrator.conf"
_SYSTEMD = Path("/etc/systemd/system")


@dataclass(frozen=True)
class State:
    """What is there of the cluster; `conf` is ceph.conf's text, `whose` the fsid in it.

    `shared` tells that another cluster has data here.
    """

    conf: str = ""
    whose: str = ""
    shared: bool = False
    folders: tuple[str, ...] = ()
    keyrings: tuple[str, ...] = ()
    crashes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    records: tuple[prepare_records.Record, ...] = ()


@dataclass(frozen=True)
class Changes:
    """What goes, in the order of the fields."""

    folders: tuple[str, ...] = ()
    keyrings: tuple[str, ...] = ()
    crashes: tuple[str, ...] = ()
    records: tuple[prepare_records.Record, ...] = ()
    tools: tuple[str, ...] = ()
    conf: ManagedFile | None = None

    def removed(self) -> list[str]:
        records = [str(record.path) for record in self.records]
        data = (*self.folders, *self.keyrings, *self.crashes)
        return [*data, *records, *self.tools, *self._conf()]

    def _conf(self) -> list[str]:
        return [self.conf.path] if self.conf else []


def observe(fsid: str, given: list[daemon.Daemon]) -> State:
    text = managed_file.read(cluster.CONF)
    aside = daemons.DATA.glob(f"*/{daemons.ASIDE_PREFIX}*-{fsid}-*")
    folders = [Path(one.data_dir) for one in given] + sorted(aside)
    in_use = any(_SYSTEMD.glob(_DROP_INS))
    return State(
        conf=text,
        whose=ceph_conf.parse(text).get("global", {}).get("fsid", "").lower(),
        shared=any(other not in ("", fsid) for other in _clusters()),
        folders=tuple(str(path) for path in folders if path.is_symlink() or path.exists()),
        keyrings=tuple(path for path in our_files.KEYRINGS if Path(path).exists()),
        crashes=tuple(our_files.crash_dumps()),
        tools=tuple(path for path in our_files.TOOLS if Path(path).exists() and not in_use),
        records=tuple(one for one in prepare_records.all_records() if one.fsid == fsid),
    )


def _clusters() -> Iterator[str]:
    """Name the clusters that have data here; "" where it does not tell."""
    yield from (store.fsid for store in mon_store.observe())
    for path in daemons.DATA.glob("osd/*/ceph_fsid"):
        with contextlib.suppress(OSError):
            yield path.read_text("utf-8", "replace").strip()


def difference(state: State, fsid: str, *, data: bool) -> Changes:
    """Keyrings and crashes name no cluster: the host's ceph.conf tells whose they are.

    Without one they are ours, unless another cluster has data here.
    """
    mine = state.whose == fsid or (not state.whose and not state.shared)
    left = our_files.conf_without(state.conf) if mine else state.conf
    changed = left != state.conf
    return Changes(
        folders=state.folders if data else (),
        keyrings=state.keyrings if data and mine else (),
        crashes=state.crashes if data and mine else (),
        records=state.records if data else (),
        tools=state.tools,
        conf=ManagedFile(cluster.CONF, left, keep=True) if changed else None,
    )


def apply(changes: Changes) -> None:
    for path in (*changes.folders, *changes.crashes, *changes.tools):
        removal.delete_tree(Path(path))
    for path in changes.keyrings:
        Path(path).unlink(missing_ok=True)
    for record in changes.records:
        prepare_records.forget(record)
    for folder in (str(prepare_records.FOLDER), our_files.RECORDS):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()  # only when nothing is left in it
    if changes.conf and changes.conf.content:
        managed_file.write(changes.conf)
    elif changes.conf:
        Path(changes.conf.path).unlink(missing_ok=True)


def _daemon(entry: dict[str, Any]) -> daemon.Daemon:
    path = str(daemons.data_dir(entry["type"], entry["id"]))
    return daemon.Daemon(entry["type"], entry["id"], "", "", path, data=removal.DELETE)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    fsid, data = module.params["fsid"].lower(), module.params["data"]
    given = [_daemon(entry) for entry in module.params["daemons"]] if data else []
    removal.check(given, fsid)
    state = observe(fsid, given)
    changes = difference(state, fsid, data=data)
    diff = managed_file.diff([changes.conf]) if changes.conf else []
    if not module.check_mode:
        apply(changes)
    kept = [] if state.whose in ("", fsid) else [f"{cluster.CONF} of the cluster {state.whose}"]
    removed = changes.removed()
    return {"changed": bool(removed), "removed": removed, "kept": kept, "diff": diff}


def main() -> None:
    entry = {
        "type": {"type": "str", "choices": ["mon", "mgr", "osd"], "required": True},
        "id": {"type": "str", "required": True},
    }
    module = AnsibleModule(
        argument_spec={
            "fsid": {"type": "str", "required": True},
            "data": {"type": "bool", "default": False},
            "daemons": {"type": "list", "elements": "dict", "default": [], "options": entry},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
        },
        supports_check_mode=True,
    )
    managed_file.finish(module, _reconciled)


if __name__ == "__main__":
    main()
