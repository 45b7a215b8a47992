"""Takes mons out of the monmap, and never the quorum with them."""

from __future__ import annotations

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
module: ceph_mon
short_description: Keep mons out of a Ceph cluster's monmap
version_added: 0.1.0
description:
  - Removes mons from the monmap. A mon leaves the map before its daemon is stopped, as one that is
    stopped first counts against the majority.
  - Refused, with the names, when those that stay would have no majority in quorum, and when fewer
    than two would stay.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster]
options:
  mons:
    description: The mons.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: The mon's id.
        type: str
        required: true
      state:
        description: Whether the mon must be in the map. A mon adds itself when it starts.
        type: str
        choices: [absent]
        default: absent
attributes:
  check_mode:
    description: It says what it would remove, and refuses what it would refuse.
    support: full
  diff_mode:
    description: It shows the members of the map.
    support: full
author: The ceph-orchestrator authors
"""

EXAMPLES = r"""
- name: Take a mon out of the monmap
  ceph_orchestrator.ceph.ceph_mon:
    mons:
      - name: d
"""

RETURN = r"""
removed:
  description: The mons that were removed.
  returned: always
  type: list
  elements: str
  sample: [d]
"""

_FEWEST = 2


class Members(NamedTuple):
    """The names in the monmap, and those of them that are in quorum."""

    all: list[str]
    quorum: list[str]


def observe(client: CephClient) -> Members:
    dump = client.command("mon dump")
    names = {int(mon["rank"]): str(mon["name"]) for mon in dump["mons"]}
    return Members(sorted(names.values()), [names[rank] for rank in dump["quorum"]])


def difference(current: Members, mons: Sequence[Mapping[str, Any]]) -> list[str]:
    unwanted = {mon["name"] for mon in mons}
    return [name for name in current.all if name in unwanted]


def refusal(current: Members, removals: Sequence[str]) -> str:
    """Say why these must not be removed, "" when they may."""
    if not removals:
        return ""
    staying = [name for name in current.all if name not in removals]
    voting = [name for name in current.quorum if name not in removals]
    names = ", ".join(removals)
    if len(staying) < _FEWEST:
        return f"refused to remove mon {names}: {len(staying)} of {len(current.all)} would stay"
    if 2 * len(voting) <= len(staying):
        return (
            f"refused to remove mon {names}: of those that stay ({', '.join(staying)}) only "
            f"{', '.join(voting) or 'none'} would be in quorum, which is no majority"
        )
    return ""


def apply(client: CephClient, removals: Sequence[str]) -> None:
    for name in removals:
        client.command("mon rm", name=name)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    with cluster.connected(module.params) as client:
        current = observe(client)
        removals = difference(current, module.params["mons"])
        problem = refusal(current, removals)
        if problem:
            module.fail_json(msg=problem)
        if not module.check_mode:
            apply(client, removals)
    staying = [name for name in current.all if name not in removals]
    diff = {"before": {"mons": current.all}, "after": {"mons": staying}}
    return {"changed": bool(removals), "removed": removals, "diff": diff}


def main() -> None:
    mon = {
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["absent"], "default": "absent"},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "mons": {"type": "list", "elements": "dict", "required": True, "options": mon},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)


if __name__ == "__main__":
    main()
