"""Whether the daemons that run have reported to the mons; a new one needs some seconds for that.

The playbook of the mgrs does not wait for them, so that OSDs are made meanwhile; and a run that was
cut may have left OSDs that boot. The passes that follow wait for both.
"""

from collections.abc import Iterator

from orchestrator.model.facts import Cluster, DaemonType, Facts
from orchestrator.model.plan import Reason
from orchestrator.planning.context import Context


def starting(context: Context) -> Iterator[Reason]:
    """One transient reason for all mgrs, and one for all OSDs, that run and are not there yet."""
    cluster = context.facts.cluster
    if cluster is None:
        return
    mgrs = () if "mgr" in cluster.unanswered else sorted(_mgrs(context.facts, cluster))
    if mgrs:
        text = f"running, and not yet active or standby in Ceph's view: {', '.join(mgrs)}"
        yield Reason(code="MgrStarting", message=text, transient=True)
    osds = () if "osds" in cluster.unanswered else sorted(_osds(context.facts, cluster))
    if osds:
        text = f"running, and not up in Ceph's view: {', '.join(osds)}"
        yield Reason(code="OsdStarting", message=text, transient=True)


def _mgrs(facts: Facts, cluster: Cluster) -> Iterator[str]:
    listed = {cluster.mgr.active if cluster.mgr.available else "", *cluster.mgr.standbys}
    for host, mgr in facts.daemons(DaemonType.MGR):
        if mgr.running and mgr.id not in listed:
            yield f"{mgr.name} on {host.name}"


def _osds(facts: Facts, cluster: Cluster) -> Iterator[str]:
    down = {(str(osd.id), osd.uuid) for osd in cluster.osds if not osd.up}
    for host, osd in facts.daemons(DaemonType.OSD) if down else ():
        if osd.running and (osd.id, osd.osd_uuid) in down:
            yield f"{osd.name} on {host.name}"
