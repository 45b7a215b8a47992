"""Lets one orchestrator at a time work on a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_lock
short_description: Hold or release the lock of who works on a cluster
version_added: 0.1.0
description:
  - Takes a lock that has an owner and ends by itself, takes it for longer when it is held already,
    and takes over one that has ended.
  - It is a file on the host, and with O(in_cluster) also a key in the mons' store.
  - A lock of somebody else is no failure of the module. It is named in the result, and nothing is
    taken then.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
options:
  owner:
    description: The owner's name, for people.
    type: str
    required: true
  id:
    description: What tells this owner from all others.
    type: str
    required: true
  seconds:
    description: How long the lock is respected unless it is taken again.
    type: float
    default: 300.0
  renew:
    description: Take a lock for longer only where it is held already.
    type: bool
    default: false
  in_cluster:
    description: Whether the lock is in the cluster as well. That needs a quorum.
    type: bool
    default: false
  state:
    description: Whether the lock is held or released.
    type: str
    choices: [present, absent]
    default: present
attributes:
  check_mode:
    description: It says who holds the lock, and takes nothing.
    support: full
  diff_mode:
    description: It shows the owner before and after.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Hold the lock
  ceph_orchestrator.ceph.ceph_lock:
    owner: root@admin-1
    id: 4f0c1d2e3a4b
  register: taken

- name: Make sure that nobody else works on the cluster
  ansible.builtin.assert:
    that: taken.holder is none
"""

RETURN = r"""
holder:
  description: The lock of somebody else that was met. Null when there is none.
  returned: always
  type: dict
  sample: {owner: root@admin-2, id: 0a1b2c3d4e5f, seconds_left: 217.5}
"""


import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import claims, cluster, locks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.claims import Claim


class Locks:
    """The lock's places, seen from one host: its file, and the mons' store if that is asked for."""

    def __init__(self, mine: Claim, store: claims.Store | None) -> None:
        self._here = locks.HostStore(locks.FILE)
        self._store = store
        self.mine = mine

    def observe(self) -> dict[str, Claim]:
        """Map id to claim."""
        here = self._here.claim()
        stored = self._store.claims() if self._store else {}
        return {**stored, **({here.id: here} if here else {})}

    def take(self) -> Claim | None:
        """Take all places, or none and give the claim that is in the way."""
        with self._here.alone():
            found = self._here.claim()
            holder = claims.rival([found] if found else [], self.mine.id, time.time())
            if holder:
                return holder
            self._here.put(replace(self.mine, expires=time.time() + self.mine.seconds))
        if self._store:
            holder = claims.take(self._store, self.mine, time.time, time.sleep)
        if holder:
            self._release_here()
        return holder

    def release(self) -> None:
        self._release_here()
        if self._store:
            self._store.remove(self.mine.id)

    def _release_here(self) -> None:
        if self._here.claim() is None:
            return
        with self._here.alone():
            found = self._here.claim()
            if found and found.id == self.mine.id:
                self._here.remove()


@contextmanager
def opened(parameters: Mapping[str, Any], *, check: bool) -> Iterator[Locks]:
    """Connect to the cluster if its store is asked for.

    A check may come before there is a cluster, and a release after it is gone.
    """
    mine = claims.Claim(parameters["owner"], parameters["id"], parameters["seconds"], 0.0)
    optional = check or parameters["state"] == "absent"
    if not parameters["in_cluster"] or (optional and cluster.is_unknown()):
        yield Locks(mine, None)
        return
    with cluster.connected(parameters) as client:
        yield Locks(mine, locks.CephStore(client))


def difference(seen: Mapping[str, Claim], mine: Claim, state: str, now: float) -> dict[str, str]:
    """Name the owner before and after; they are the same when nothing changes hands."""
    held = claims.rival(seen.values(), mine.id, now)
    ours = mine.owner if mine.id in seen and claims.seconds_left(seen[mine.id], now) else ""
    if held:
        return {"before": held.owner, "after": held.owner}
    return {"before": ours, "after": mine.owner if state == "present" else ""}


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    wanted, now = module.params["state"], time.time()
    with opened(module.params, check=module.check_mode) as places:
        seen, mine = places.observe(), places.mine
        diff = difference(seen, mine, wanted, now)
        holder = claims.rival(seen.values(), mine.id, now) if wanted == "present" else None
        ours = mine.id in seen
        if module.check_mode:
            pass
        elif wanted == "absent" and ours:
            places.release()
        elif wanted == "present" and not _held(holder) and (ours or not module.params["renew"]):
            holder = places.take()
    return {
        "changed": diff["before"] != diff["after"] and not holder,
        "holder": claims.shown(holder, now) if holder else None,
        "diff": diff,
    }


def _held(holder: Claim | None) -> bool:
    """Say whether somebody works; who merely asks, as we do, may step back."""
    return holder is not None and holder.held


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "owner": {"type": "str", "required": True},
            "id": {"type": "str", "required": True},
            "seconds": {"type": "float", "default": 300.0},
            "renew": {"type": "bool", "default": False},
            "in_cluster": {"type": "bool", "default": False},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
