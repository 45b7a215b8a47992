"""Daemons that the manifest does not want any more, and which of them go first."""

from collections.abc import Iterator

from orchestrator.model.facts import Daemon, Host
from orchestrator.model.plan import AbsentStep, Action, Change, Remains, RemovedDaemon
from orchestrator.planning import absence, mgrs
from orchestrator.planning.context import Context


def mgr_steps(context: Context) -> Iterator[AbsentStep]:
    """The mgrs beyond `spec.mgr.count`, all at once: those that stay serve without them.

    None while the mgr map is not known or a host is silent: what counts may be where nobody looks.
    """
    cluster = context.facts.cluster
    if cluster is None or "mgr" in cluster.unanswered or mgrs.unseen(context):
        return
    count = context.spec.mgr.count
    found = sorted(mgrs.held(context), key=lambda one: _worth(context, one[1]))
    gone = found[count:]
    yield from absence.steps(
        context,
        [(_change(context, host, mgr, len(found)), _removed(host, mgr)) for host, mgr in gone],
        users=[mgr.name for _, mgr in gone],
    )


def _worth(context: Context, mgr: Daemon) -> tuple[bool, bool, bool, int, str]:
    """The smaller, the sooner it stays: the active one, then any that runs where it may be."""
    active = context.facts.cluster.mgr.active if context.facts.cluster else ""
    return mgr.id in mgrs.leaving(context), mgr.id != active, not mgr.running, len(mgr.id), mgr.id


def _change(context: Context, host: Host, mgr: Daemon, existing: int) -> Change:
    _, why = mgrs.leaving(context).get(mgr.id, ("", ""))
    reason = why or f"{existing} exist, {context.spec.mgr.count} wanted"
    return Change(action=Action.REMOVE, subject=mgr.name, host=host.name, reason=reason)


def _removed(host: Host, mgr: Daemon) -> RemovedDaemon:
    """A mgr's whole data is its key, which Ceph forgets as well."""
    return RemovedDaemon(type=mgr.type, id=mgr.id, host=host.name, data=Remains.DELETE)
