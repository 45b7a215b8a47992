"""Keeps the ratios at which OSDs count as full."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_full_ratio
short_description: Keep the ratios at which OSDs count as full
version_added: 0.1.0
description:
  - Sets those of a cluster's ratios that are named and differ. The others stay.
  - They are changed in an order in which none is ever above the next one, which Ceph calls an
    error.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  nearfull:
    description: From which part of its capacity on Ceph warns of an OSD.
    type: float
  backfillfull:
    description: From which part on no data is moved to an OSD.
    type: float
  full:
    description: From which part on clients may no longer write.
    type: float
attributes:
  diff_mode:
    description: It shows the ratios.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Warn early
  ceph_orchestrator.ceph.ceph_osd_full_ratio:
    nearfull: 0.7
"""

RETURN = r"""
ratios:
  description: The cluster's ratios now.
  returned: always
  type: dict
  sample: {nearfull: 0.7, backfillfull: 0.9, full: 0.95}
set:
  description: Those that were set, in their order.
  returned: always
  type: list
  elements: str
  sample: [nearfull]
"""


from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster, full_ratios

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

_FRESH = {"nearfull": 0.85, "backfillfull": 0.9, "full": 0.95}
"""Ceph's own, of a cluster that is yet to be made."""


def observe(client: CephClient) -> dict[str, float]:
    return full_ratios.ratios(client.command("osd dump"))


def difference(current: Mapping[str, float], wanted: Mapping[str, float]) -> list[str]:
    """Give what is to be set: first what rises, the highest first, then what falls."""
    differing = [
        kind for kind in full_ratios.KINDS if kind in wanted and wanted[kind] != current[kind]
    ]
    rising = [kind for kind in reversed(differing) if wanted[kind] > current[kind]]
    return [*rising, *(kind for kind in differing if kind not in rising)]


def apply(client: CephClient, kinds: list[str], wanted: Mapping[str, float]) -> None:
    for kind in kinds:
        client.command(f"osd set-{kind}-ratio", ratio=wanted[kind])


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    given = {kind: module.params[kind] for kind in full_ratios.KINDS}
    wanted = {kind: full_ratios.exact(value) for kind, value in given.items() if value is not None}
    if module.check_mode and cluster.is_unknown():
        return result(_FRESH, difference(_FRESH, wanted), wanted)
    with cluster.connected(module.params) as client:
        current = observe(client)
        kinds = difference(current, wanted)
        if not module.check_mode:
            apply(client, kinds, wanted)
    return result(current, kinds, wanted)


def result(
    current: Mapping[str, float], kinds: list[str], wanted: Mapping[str, float]
) -> dict[str, Any]:
    after = {**current, **{kind: wanted[kind] for kind in kinds}}
    return {
        "changed": bool(kinds),
        "ratios": after,
        "set": kinds,
        "diff": {"before": dict(current), "after": after},
    }


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            **{kind: {"type": "float"} for kind in full_ratios.KINDS},
        },
        supports_check_mode=True,
    )
    cluster.finish(module, _reconciled)


if __name__ == "__main__":
    main()
