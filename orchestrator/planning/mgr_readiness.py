"""Whether the mgrs that run have reported to the mons; a new one needs some seconds for that.

The playbook does not wait for it, so that OSDs are made meanwhile; the pass after it does.
"""

from collections.abc import Iterator

from orchestrator.model.facts import DaemonType
from orchestrator.model.plan import Reason
from orchestrator.planning.context import Context


def starting(context: Context) -> Iterator[Reason]:
    """One transient reason for all mgrs whose unit runs and that Ceph does not list yet."""
    cluster = context.facts.cluster
    if cluster is None or "mgr" in cluster.unanswered:
        return
    listed = {cluster.mgr.active if cluster.mgr.available else "", *cluster.mgr.standbys}
    unheard = sorted(
        f"{mgr.name} on {host.name}"
        for host, mgr in context.facts.daemons(DaemonType.MGR)
        if mgr.running and mgr.id not in listed
    )
    if unheard:
        text = f"running, and not yet active or standby in Ceph's view: {', '.join(unheard)}"
        yield Reason(code="MgrStarting", message=text, transient=True)
