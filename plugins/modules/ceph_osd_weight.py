"""Gives OSDs their weights, and how much they are wanted as primaries."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ceph_osd_weight
short_description: Set weights and primary affinities of OSDs
version_added: 0.1.0
description:
  - Puts an OSD that is not in the CRUSH map yet into it with the given weight. An OSD that is there
    keeps its weight, which may have been changed since for a reason, unless a C(weight) is named.
  - Sets the primary affinity of the OSDs whose affinity differs.
extends_documentation_fragment: [ceph_orchestrator.ceph.cluster, ceph_orchestrator.ceph.changing]
options:
  osds:
    description: The OSDs. An empty value leaves what is there.
    type: list
    elements: dict
    required: true
    suboptions:
      id:
        description: The OSD's number.
        type: int
        required: true
      initial_weight:
        description: The CRUSH weight to begin with.
        type: str
        default: ""
      weight:
        description: The weight of an OSD that is in the CRUSH map. Data moves when it changes.
        type: str
        default: ""
      primary_affinity:
        description: The primary affinity, from 0 to 1.
        type: str
        default: ""
  crush_location:
    description:
      - Where new OSDs are in the CRUSH map, such as C(root=default host=ceph-1).
      - Without it none is put there.
    type: str
    default: ""
attributes:
  diff_mode:
    description: It shows what differs.
    support: full
author: The ceph-orchestrator authors (@ceph-orchestrator)
"""

EXAMPLES = r"""
- name: Let a new OSD fill slowly
  ceph_orchestrator.ceph.ceph_osd_weight:
    osds:
      - {id: 3, initial_weight: "0.1", primary_affinity: "0.5"}
    crush_location: root=default host=ceph-1

- name: Let an OSD on a larger disk take its share
  ceph_orchestrator.ceph.ceph_osd_weight:
    osds:
      - {id: 3, weight: "1.8"}
"""

RETURN = r"""
weights:
  description: The weights that were given, by the OSD's number.
  returned: always
  type: dict
  sample: {"3": 0.1}
affinities:
  description: The primary affinities that were set, by the OSD's number.
  returned: always
  type: dict
  sample: {"3": 0.5}
"""


from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephClient,
    CephError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_SAME = 1e-4  # Ceph stores both as fractions of 65536


@dataclass(frozen=True)
class Current:
    """What Ceph has: the weights of OSDs in the CRUSH map, and the affinity of each."""

    weights: Mapping[int, float]
    affinities: Mapping[int, float]


@dataclass(frozen=True)
class Changes:
    """What is to be set, by the OSD's number: of `weights` those of OSDs that are `placed`."""

    placed: Mapping[int, float]
    weights: Mapping[int, float]
    affinities: Mapping[int, float]


def observe(client: CephClient) -> Current:
    nodes = client.command("osd tree")["nodes"]
    osds = client.command("osd dump")["osds"]
    return Current(
        weights={
            int(node["id"]): float(node.get("crush_weight") or 0)
            for node in nodes
            if node["type"] == "osd"
        },
        affinities={int(osd["osd"]): float(osd["primary_affinity"]) for osd in osds},
    )


def difference(
    current: Current, osds: Sequence[Mapping[str, Any]], *, placing: bool = True
) -> Changes:
    """Choose OSDs that Ceph knows: one of another number would be made by the command."""
    known = [osd for osd in osds if osd["id"] in current.affinities]
    affinities = {
        osd["id"]: float(osd["primary_affinity"]) for osd in known if osd["primary_affinity"]
    }
    first = {
        osd["id"]: float(osd["initial_weight"])
        for osd in known
        if placing and osd["initial_weight"] and osd["id"] not in current.weights
    }
    placed = {
        osd["id"]: float(osd["weight"])
        for osd in known
        if osd["weight"] and _differs(float(osd["weight"]), current.weights.get(osd["id"]))
    }
    return Changes(
        placed=placed,
        weights={**first, **placed},
        affinities={
            osd_id: wanted
            for osd_id, wanted in affinities.items()
            if abs(wanted - current.affinities[osd_id]) > _SAME
        },
    )


def _differs(wanted: float, current: float | None) -> bool:
    return current is not None and abs(wanted - current) > _SAME


def apply(client: CephClient, changes: Changes, crush_location: str) -> None:
    for osd_id, weight in changes.weights.items():
        if osd_id in changes.placed:
            client.command("osd crush reweight", name=f"osd.{osd_id}", weight=weight)
        else:
            place = crush_location.split()
            client.command("osd crush create-or-move", id=osd_id, weight=weight, args=place)
    for osd_id, affinity in changes.affinities.items():
        client.command("osd primary-affinity", id=osd_id, weight=affinity)


def _reconciled(module: AnsibleModule) -> dict[str, Any]:
    if module.check_mode and cluster.is_unknown():
        return {"changed": False, "weights": {}, "affinities": {}}
    with cluster.connected(module.params) as client:
        current = observe(client)
        place = module.params["crush_location"]
        changes = difference(current, module.params["osds"], placing=bool(place))
        if not module.check_mode:
            apply(client, changes, place)
    before = {f"osd.{osd_id}": current.affinities[osd_id] for osd_id in changes.affinities}
    after = {f"osd.{osd_id}": affinity for osd_id, affinity in changes.affinities.items()}
    new = {f"osd.{osd_id}": weight for osd_id, weight in changes.weights.items()}
    weights = {f"osd.{osd_id}": current.weights.get(osd_id, "none") for osd_id in changes.weights}
    return {
        "changed": bool(changes.weights or changes.affinities),
        "weights": {str(osd_id): weight for osd_id, weight in changes.weights.items()},
        "affinities": {str(osd_id): one for osd_id, one in changes.affinities.items()},
        "diff": {
            "before": {"primary_affinity": before, "weight": weights},
            "after": {"primary_affinity": after, "weight": new},
        },
    }


def main() -> None:
    osd = {
        "id": {"type": "int", "required": True},
        "initial_weight": {"type": "str", "default": ""},
        "weight": {"type": "str", "default": ""},
        "primary_affinity": {"type": "str", "default": ""},
    }
    module = AnsibleModule(
        argument_spec={
            **cluster.ARGUMENTS,
            "osds": {"type": "list", "elements": "dict", "required": True, "options": osd},
            "crush_location": {"type": "str", "default": ""},
        },
        supports_check_mode=True,
    )
    try:
        module.exit_json(**_reconciled(module))
    except CephError as error:
        module.fail_json(msg=error.message, errno=error.errno)
    except ValueError as error:
        module.fail_json(msg=f"a weight or an affinity is not a number: {error}")


if __name__ == "__main__":
    main()
