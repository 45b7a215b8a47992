"""Mons that go: out of the monmap first, and only then stopped and put aside.

What a mon leaves on its host is put aside and not destroyed: it holds the whole cluster's maps and
keys, and is the last resort when all other mons are lost. It never comes back as a mon: its id is
not used again, and its directory has another name.
"""

from collections.abc import Iterator

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import (
    AbsentStep,
    Action,
    Change,
    PlacedMon,
    Remains,
    RemovedDaemon,
)
from orchestrator.planning.mon_places import Mons
from orchestrator.planning.mon_quorum import Remove


def step(
    facts: Facts, fsid: Fsid | None, mons: Mons, move: Remove, admin_host: HostName
) -> AbsentStep:
    """One member leaves the map; its daemon is stopped after that where its host answers."""
    mon = move.mon
    host = facts.hosts.get(mon.host) if mon.host else None
    here = host is not None and host.reachable and _has(host, mon)
    return AbsentStep(
        changes=(_change(mon.name, mon.host, move.reason),),
        fsid=fsid,
        mons=mons.wanted,
        admin_host=admin_host,
        daemons=(_aside(mon.name, host.name),) if host and here else (),
        unmapped=(mon.name,),
    )


def _has(host: Host, mon: PlacedMon) -> bool:
    return any(one.id == mon.name for one in host.daemons_of(DaemonType.MON))


def leftovers(
    facts: Facts, fsid: Fsid | None, mons: Mons, admin_host: HostName
) -> Iterator[AbsentStep]:
    """Stores of mons that the map does not have, and units without one, all together.

    A removal that was cut, or a host that came back after its mon was replaced, leaves them. A mon
    that joins meanwhile would be stopped as a member, so it is taken out of the map as well.
    """
    if facts.cluster is None:
        return
    members = {member.name for member in facts.cluster.mons}
    found = [
        (host, mon)
        for host, mon in facts.daemons(DaemonType.MON)
        if host.reachable and _is_left(mons, host, mon, fsid)
    ]
    if found:
        yield AbsentStep(
            changes=tuple(
                _change(mon.id, host.name, "the monmap has no such mon here") for host, mon in found
            ),
            fsid=fsid,
            mons=mons.wanted,
            admin_host=admin_host,
            daemons=tuple(_aside(mon.id, host.name) for host, mon in found),
            unmapped=tuple(mon.id for _, mon in found if mon.id not in members),
        )


def _is_left(mons: Mons, host: Host, mon: Daemon, fsid: Fsid | None) -> bool:
    """A member whose home is not known may be this one, so it is left alone."""
    known = (*mons.wanted, *mons.going)
    if any(one.name == mon.id and one.host in (host.name, None) for one in known):
        return False
    return not mon.fsid or mon.fsid == fsid


def _aside(name: str, host: HostName) -> RemovedDaemon:
    return RemovedDaemon(type=DaemonType.MON, id=name, host=host, data=Remains.ASIDE)


def _change(name: str, host: HostName | None, reason: str) -> Change:
    return Change(action=Action.REMOVE, subject=f"mon.{name}", host=host, reason=reason)
