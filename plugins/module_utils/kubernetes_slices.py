"""The EndpointSlices by which clients find the mons behind one headless Service: pure."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_drift,
    kubernetes_mon,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_identity import (  # noqa: E501 - the path is that long
        MonMap,
    )

    Object = dict[str, Any]

KIND, SERVICE = "EndpointSlice", "rook-ceph-active-mons"
FAMILIES = {4: "IPv4", 6: "IPv6"}


def slices(cluster: Cluster, found: MonMap, version: str) -> list[Object]:
    """Give one for each family that mons have addresses of; those out of quorum are in none."""
    active = [mon.address for name, mon in sorted(found.mons.items()) if name not in found.out]
    families = {number: [one for one in active if _family(one) == number] for number in FAMILIES}
    return [
        _slice(cluster, number, addresses, version)
        for number, addresses in families.items()
        if addresses
    ]


def _family(address: str) -> int:
    """Give 4 or 6, and 0 for what is no address: a mon of an external cluster may have a name."""
    try:
        return ipaddress.ip_address(address).version
    except ValueError:
        return 0


def names() -> list[str]:
    return [f"{SERVICE}-{family.lower()}" for family in FAMILIES.values()]


def _slice(cluster: Cluster, number: int, addresses: list[str], version: str) -> Object:
    family = FAMILIES[number]
    old = [] if cluster.msgr2_only else [("tcp-msgr1", kubernetes_mon.MSGR1)]
    ports = [*old, ("tcp-msgr2", kubernetes_mon.MSGR2)]
    labels = {"kubernetes.io/service-name": SERVICE}
    return {
        "apiVersion": version,
        "kind": KIND,
        "metadata": cluster.metadata(f"{SERVICE}-{family.lower()}", labels),
        "addressType": family,
        "endpoints": [{"addresses": [one], "conditions": {"ready": True}} for one in addresses],
        "ports": [{"name": name, "port": port, "protocol": "TCP"} for name, port in ports],
    }


def wrong(cluster: Cluster, found: MonMap, live: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say what differs; where the API server's versions differ the form does not."""
    told = []
    for wanted in slices(cluster, found, ""):
        name = wanted["metadata"]["name"]
        there = live.get(name)
        if there is None:
            told.append(f"{KIND} {name}: missing")
            continue
        body = {**wanted, "apiVersion": there.get("apiVersion", "")}
        if differing := kubernetes_drift.differences(there, body):
            told.append(f"{KIND} {name} differs: {kubernetes_drift.told(differing)}")
    return told
