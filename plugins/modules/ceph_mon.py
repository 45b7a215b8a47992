"""Takes mons out of the monmap and changes their addresses, and never loses the quorum."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_mon
short_description: Keep the members of a Ceph cluster's monmap
version_added: 0.1.0
description:
  - Removes mons from the monmap. A mon leaves the map before its daemon is stopped, as one that is
    stopped first counts against the majority.
  - Changes the addresses of members. A mon whose addresses change starts again by itself.
  - Refused, with the names, when those that stay would have no majority in quorum, and when fewer
    than two would stay.
  - Waits until the others are in quorum again, and for a shorter time for a mon with new addresses.
    Its peers may hold on to their connection to the former ones, so that it does not come back
    before they are restarted. No other address is changed then.
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
        description:
          - Whether the mon may be in the map. A mon adds itself when it starts, so one that is to
            be present and is not there is left alone.
        type: str
        choices: [absent, present]
        default: absent
      addrs:
        description: All addresses of a mon that is present, in Ceph's own form. Empty leaves them.
        type: str
        default: ""
  wait:
    description: Seconds to wait for the quorum after a change.
    type: float
    default: 60.0
attributes:
  check_mode:
    description: It says what it would change, and refuses what it would refuse.
    support: full
  diff_mode:
    description: It shows the members of the map.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Take a mon out of the monmap
  ceph_orchestrator.ceph.ceph_mon:
    mons:
      - name: d

- name: Take the old messenger from a mon
  ceph_orchestrator.ceph.ceph_mon:
    mons:
      - name: a
        state: present
        addrs: "[v2:192.0.2.1:3300]"
"""

RETURN = r"""
removed:
  description: The mons that were removed.
  returned: always
  type: list
  elements: str
  sample: [d]
readdressed:
  description: The mons that got other addresses.
  returned: always
  type: list
  elements: str
  sample: [a]
outside:
  description: The mon that got other addresses and is not back in quorum yet.
  returned: always
  type: list
  elements: str
  sample: []
"""


import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, readiness
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_FEWEST = 2
_REJOIN_SECONDS = 30.0
_ADDRESS = re.compile(r"(v[12]|any):(\[[^\[\]]+\]|[^:,\[\]]+):(\d+)")


class Members(NamedTuple):
    """The names in the monmap, those of them that are in quorum, and the addresses of each."""

    all: list[str]
    quorum: list[str]
    addrs: dict[str, frozenset[str]]


class Changes(NamedTuple):
    removals: list[str]
    addresses: dict[str, str]  # name → all addresses, in Ceph's own form


def observe(client: CephClient) -> Members:
    dump = client.command("mon dump")
    names = {int(mon["rank"]): str(mon["name"]) for mon in dump["mons"]}
    return Members(
        sorted(names.values()),
        [names[rank] for rank in dump["quorum"]],
        {str(mon["name"]): _addresses(mon) for mon in dump["mons"]},
    )


def _addresses(mon: Mapping[str, Any]) -> frozenset[str]:
    vector = (mon.get("public_addrs") or {}).get("addrvec") or ()
    return frozenset(f"{one['type']}:{one['addr']}" for one in vector)


def parse(addrs: str) -> frozenset[str]:
    """Read `[v2:[fd00::1]:3300,v1:[fd00::1]:6789]`; the order says nothing."""
    return frozenset(":".join(found) for found in _ADDRESS.findall(addrs))


def difference(current: Members, mons: Sequence[Mapping[str, Any]]) -> Changes:
    unwanted = {mon["name"] for mon in mons if mon["state"] == "absent"}
    wanted = {mon["name"]: mon["addrs"] for mon in mons if mon["state"] == "present"}
    return Changes(
        [name for name in current.all if name in unwanted],
        {
            name: addrs
            for name, addrs in wanted.items()
            if addrs and name in current.addrs and parse(addrs) != current.addrs[name]
        },
    )


def refusal(current: Members, changes: Changes) -> str:
    """Say why these must not be made, "" when they may."""
    return _refused_removal(current, changes.removals) or _refused_restart(current, changes)


def _refused_removal(current: Members, removals: Sequence[str]) -> str:
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


def _refused_restart(current: Members, changes: Changes) -> str:
    """One or two mons cannot do without any; they are away for the moment of their start."""
    outside = [name for name in current.all if name not in current.quorum]
    if not changes.addresses or not outside:
        return ""
    names = ", ".join(changes.addresses)
    return f"refused to change the addresses of mon {names}: {', '.join(outside)} is out of quorum"


def apply(
    client: CephClient, changes: Changes, current: Members, seconds: float
) -> tuple[list[str], list[str]]:
    """Give the mons that got other addresses, and who of them is not back."""
    staying, done = set(current.quorum), []
    for name in changes.removals:
        staying.discard(name)
        _settled(client, "mon rm", {"name": name}, staying, seconds)
    for name, addrs in changes.addresses.items():
        arguments = {"name": name, "addrs": addrs}
        epoch = _settled(client, "mon set-addrs", arguments, staying - {name}, seconds)
        done.append(name)
        if _missing(client, epoch, {name}, min(seconds, _REJOIN_SECONDS)):
            return done, [name]
    return done, []


def _settled(
    client: CephClient, command: str, arguments: dict[str, Any], voters: set[str], seconds: float
) -> int:
    """Change the map, which calls an election, and wait until that has ended well.

    Gives the epoch of the election before.
    """
    before = int(client.command("quorum_status")["election_epoch"])
    client.command(command, **arguments)
    missing = _missing(client, before, voters, seconds)
    if missing:
        raise CephError(0, f"after {command} {arguments['name']} not in quorum: {missing}")
    return before


def _missing(client: CephClient, before: int, voters: set[str], seconds: float) -> list[str]:
    """Name those who do not come to the quorum of a later election within the time."""

    def look() -> readiness.Look:
        try:
            status = client.command("quorum_status")
        except CephError as error:
            return readiness.Look([f"an answer ({error.message})"], {})
        if int(status["election_epoch"]) == before:
            return readiness.Look(["a new election"], {})
        missing = sorted(voters - set(status["quorum_names"]))
        return readiness.Look([f"mon.{name}" for name in missing], {})

    return readiness.until_ready(look, seconds)[0].missing


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    with cluster.connected(module.params) as client:
        current = observe(client)
        changes = difference(current, module.params["mons"])
        problem = refusal(current, changes)
        if problem:
            module.fail_json(msg=problem)
        removals, addresses = changes
        done: list[str] = sorted(addresses)
        outside: list[str] = []
        if not module.check_mode:
            done, outside = apply(client, changes, current, module.params["wait"])
    staying = [name for name in current.all if name not in removals]
    diff = {
        "before": {"mons": current.all, **_shown(current, addresses)},
        "after": {"mons": staying, **addresses},
    }
    found = {"removed": removals, "readdressed": done, "outside": outside}
    return {"changed": any(changes), **found, "diff": diff}


def _shown(current: Members, names: Mapping[str, str]) -> dict[str, str]:
    return {name: f"[{','.join(sorted(current.addrs[name], reverse=True))}]" for name in names}


def main() -> None:
    mon = {
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["absent", "present"], "default": "absent"},
        "addrs": {"type": "str", "default": ""},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "mons": {"type": "list", "elements": "dict", "required": True, "options": mon},
            "wait": {"type": "float", "default": 60.0},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
