"""Mutes warnings of a cluster's health, and writes down that it was us."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_health_mute
short_description: Mute warnings of a Ceph cluster's health
version_added: 0.1.0
description:
  - Mutes health checks by their codes, and unmutes others. Mutes that are not named stay.
  - A mute is sticky. It stays when the warning clears, and can be set before the warning comes.
  - Which mutes were set here is written down in the cluster, so that they can be told from those of
    others later.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  muted:
    description: Codes that must be muted.
    type: list
    elements: str
    default: []
  unmuted:
    description: Codes that must not be muted.
    type: list
    elements: str
    default: []
attributes:
  diff_mode:
    description: It shows the codes that are muted.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Mute a warning
  ceph_orchestrator.ceph.ceph_health_mute:
    muted: [POOL_NO_REDUNDANCY]
    unmuted: [OSDMAP_FLAGS]
"""

RETURN = r"""
muted:
  description: Codes that were muted.
  returned: always
  type: list
  elements: str
  sample: [POOL_NO_REDUNDANCY]
unmuted:
  description: Codes that were unmuted.
  returned: always
  type: list
  elements: str
  sample: [OSDMAP_FLAGS]
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, owned
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def observe(client: CephClient) -> dict[str, bool]:
    """Give the codes that are muted, and whether each mute is sticky."""
    health = client.command("status").get("health") or {}
    return {str(one["code"]): bool(one.get("sticky")) for one in health.get("mutes") or ()}


def difference(
    current: Mapping[str, bool], muted: Collection[str], unmuted: Collection[str]
) -> tuple[list[str], list[str]]:
    """Give the codes to mute and those to unmute."""
    on = [code for code in muted if not current.get(code)]
    return on, [code for code in unmuted if code in current and code not in muted]


def apply(client: CephClient, on: Collection[str], off: Collection[str]) -> None:
    for code in on:
        client.command("health mute", code=code, sticky=True)
    for code in off:
        client.command("health unmute", code=code)


def recorded(before: owned.Owned, on: Collection[str], gone: Collection[str]) -> owned.Owned:
    after = owned.Owned(before.document())
    after.mutes = (after.mutes | set(on)) - set(gone)
    return after


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    muted, unmuted = module.params["muted"], module.params["unmuted"]
    if module.check_mode and cluster.is_unknown():
        return result({}, muted, [], changed=bool(muted))
    with cluster.connected(module.params) as client:
        current, record = observe(client), owned.read(client)
        on, off = difference(current, muted, unmuted)
        claimed = recorded(record, on, ())
        released = recorded(claimed, (), set(unmuted) - set(muted))
        if not module.check_mode:
            owned.write(client, record, claimed)
            _applied(client, on, off, record)
            owned.write(client, claimed, released)
    changed = bool(on or off) or claimed.document() != released.document()
    return result(current, on, off, changed=changed)


def _applied(
    client: CephClient, on: Collection[str], off: Collection[str], before: owned.Owned
) -> None:
    """Make the changes; a refusal takes back the claim to what is not muted after it."""
    try:
        apply(client, on, off)
    except CephError as error:
        if error.refused:
            current = observe(client)
            made = [code for code in on if current.get(code)]
            owned.write(client, recorded(before, on, ()), recorded(before, made, ()))
        raise


def result(
    current: Mapping[str, bool], on: Collection[str], off: Collection[str], *, changed: bool
) -> dict[str, Any]:
    after = (set(current) | set(on)) - set(off)
    return {
        "changed": changed,
        "muted": list(on),
        "unmuted": list(off),
        "diff": {"before": {"muted": sorted(current)}, "after": {"muted": sorted(after)}},
    }


def main() -> None:
    codes = {"type": "list", "elements": "str", "default": []}
    module = AnsibleModule(
        argument_spec={**cluster.ARGUMENTS, "muted": {**codes}, "unmuted": {**codes}},
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
