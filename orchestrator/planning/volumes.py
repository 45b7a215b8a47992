"""Pools that hold up a confirmed deletion: Rook does not delete a cluster whose volumes are there.

That nobody tells of pools does not mean that there are none (CASES C23). They are asked for until
the deletion has stopped the OSDs, or has taken so many mons that no quorum can come back to tell.
"""

from collections.abc import Iterator, Mapping, Sequence

from orchestrator.model.facts import DaemonType, Facts
from orchestrator.model.names import HostName
from orchestrator.model.plan import PlacedMon, Reason
from orchestrator.model.spec import CephClusterSpec
from orchestrator.planning import belongings, mon_members
from orchestrator.planning.belongings import Belongings

REMEDY = "set spec.cleanupPolicy.allowUninstallWithVolumes"


def blocked(spec: CephClusterSpec, facts: Facts, found: Sequence[Belongings]) -> Iterator[Reason]:
    """Why no data may be destroyed yet, unless the manifest allows it whatever pools hold."""
    if spec.cleanup_policy.allow_uninstall_with_volumes:
        return
    pools = facts.cluster.df.get("pools") if facts.cluster else None
    if isinstance(pools, dict):
        yield from _filled(pools)
    elif belongings.set_up(found, DaemonType.OSD) and _may_be_told(facts, found):
        yield _untold(facts)


def _filled(pools: Mapping[str, int]) -> Iterator[Reason]:
    if pools:
        names = ", ".join(f"{name} ({count} objects)" for name, count in sorted(pools.items()))
        text = f"pools of the cluster hold data that would be destroyed: {names}; remove them, or "
        yield Reason(code="VolumesExist", message=f"{text}{REMEDY}")


def _untold(facts: Facts) -> Reason:
    why = "the mons have no quorum"
    if facts.cluster:
        why = "; ".join(facts.cluster.errors) or "Ceph did not say"
    text = f"it cannot be told whether pools of the cluster hold data ({why}), and it would be "
    message = f"{text}destroyed: bring the mons back, or {REMEDY}"
    return Reason(code="VolumesUnknown", message=message, transient=True)


def _may_be_told(facts: Facts, found: Sequence[Belongings]) -> bool:
    """Whether a quorum is there or may come back: who is on a silent host may be well."""
    if facts.cluster:
        return True
    members = mon_members.members(facts)
    if not members:
        return any(not host.reachable for host in facts.hosts.values())
    here = {(host.name, mon.id) for host, mon in belongings.set_up(found, DaemonType.MON)}
    return 2 * sum(_may_run(mon, here) for mon in members) > len(members)


def _may_run(mon: PlacedMon, here: set[tuple[HostName, str]]) -> bool:
    return mon.host is None or (mon.host, mon.name) in here
