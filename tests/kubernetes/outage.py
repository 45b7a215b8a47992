"""A node whose power is taken, and where the mons are meanwhile."""

from lab import hosts
from tests.kubernetes.site import OPERATORS, Site

CHECK_SECONDS = 60.0
"""How often the status follows Ceph, which itself takes 20 s to miss an OSD."""


def lose_a_node(site: Site) -> str:
    """Take the power of a node on which neither the operator nor the toolbox is."""
    assert site.cluster is not None
    used = {_node_of(site, selector) for selector in (OPERATORS, "app=rook-ceph-tools")}
    free = [node for node in site.cluster.nodes if node not in used]
    # Rather not the first mon's: other tests look for what it has on its node.
    node = min(free, key=lambda one: one == _node_of(site, "mon=a"))
    hosts.kill(site.cluster.lab, node)
    return node


def _node_of(site: Site, selector: str) -> str:
    return str(site.get("pods", "--selector", selector)["items"][0]["spec"]["nodeName"])


def mons(site: Site) -> dict[str, str]:
    """The node of each mon that has a Deployment."""
    return {
        one["metadata"]["labels"]["mon"]: one["spec"]["template"]["spec"]["nodeSelector"][
            "kubernetes.io/hostname"
        ]
        for one in site.get("deployments", "--selector", "app=rook-ceph-mon")["items"]
    }


def in_quorum(site: Site) -> set[str]:
    return set(site.ceph("quorum_status")["quorum_names"])
