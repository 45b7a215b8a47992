"""What a manifest asks of pods that is not built yet, and that nothing may stand in for.

A field without effect is warned of. These would have another one: mons and OSDs on folders and
disks of a node instead of the claims that are asked for, where their data already lies or should.
"""

from collections.abc import Iterator

from orchestrator.model.facts import Facts
from orchestrator.model.plan import Reason
from orchestrator.model.spec import CephClusterSpec

CLAIMS = "mons keep their data in folders of their nodes alone; leave it out, or let Rook keep them"
SETS = "OSDs are made of disks of nodes alone; name disks in spec.storage instead"
MULTUS = "pods have the network of Kubernetes or of their host alone; leave it out, or say host"
STRETCH = "mons are not placed by zones yet; leave it out, or let Rook keep this cluster"


def refused(spec: CephClusterSpec, facts: Facts) -> Iterator[Reason]:
    """One reason for each such field; on bare hosts they are warned of like any other."""
    if not any(host.pods for host in facts.hosts.values()):
        return
    for path, why in _asked(spec):
        text = f"{path} is not acted on yet, so nothing is done: {why}"
        yield Reason(code="NotBuiltYet", message=text)


def _asked(spec: CephClusterSpec) -> Iterator[tuple[str, str]]:
    mon, storage = spec.mon, spec.storage
    if mon.volume_claim_template:
        yield "spec.mon.volumeClaimTemplate", CLAIMS
    if mon.stretch_cluster and mon.stretch_cluster.zones:
        yield "spec.mon.stretchCluster", STRETCH
    if mon.zones:
        yield "spec.mon.zones", STRETCH
    if storage.storage_class_device_sets:
        yield "spec.storage.storageClassDeviceSets", SETS
    if storage.volume_claim_templates:
        yield "spec.storage.volumeClaimTemplates", SETS
    if any(node.volume_claim_templates for node in storage.nodes):
        yield "spec.storage.nodes[].volumeClaimTemplates", SETS
    if spec.network.provider == "multus":
        yield "spec.network.provider: multus", MULTUS
