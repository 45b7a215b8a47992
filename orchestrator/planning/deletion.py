"""How a cluster that is to be deleted goes: a state of the spec, planned like any other.

First the mgrs and OSDs stop, then the mons, which until then tell what is; then each host's
configuration goes, and only with Rook's confirmation its disks, stores and keys. Every step leaves
what the next pass needs to find the rest. Whatever belongs to another cluster is not looked at.
"""

from collections.abc import Iterator, Sequence

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import (
    AbsentStep,
    Action,
    Change,
    CleanHost,
    CleanupStep,
    Plan,
    Reason,
    RemovedDaemon,
    Sanitizing,
    Step,
)
from orchestrator.model.spec import CephClusterSpec
from orchestrator.model.spec.lifecycle import DESTROY
from orchestrator.planning import belongings, volumes
from orchestrator.planning.belongings import Belongings
from orchestrator.planning.identity import doubtful

CONF = "/etc/ceph/ceph.conf"
LOST = "HostUnreachable"
DELETED = "the cluster is deleted"
CONFIRMED = "confirmed by cleanupPolicy"


def plan(spec: CephClusterSpec, facts: Facts) -> Plan:
    """Every step until nothing of the cluster is left on the hosts, or only its data."""
    doubt = doubtful(facts)
    if doubt:
        return Plan(blocked=(doubt,))
    fsid = belongings.fsid_of(facts)
    destroy = _sanitizing(spec)
    silent = tuple(_silent(facts, destroy))
    if fsid is None:
        return Plan(blocked=silent)
    found = [belongings.of(host, fsid) for host in facts.hosts.values() if host.reachable]
    holding = tuple(volumes.blocked(spec, facts, found)) if destroy else ()
    if holding:
        return Plan(blocked=(*holding, *silent), fsid=fsid)
    steps: tuple[Step, ...] = (
        *_stopping(found, fsid, (DaemonType.MGR, DaemonType.OSD)),
        *_stopping(found, fsid, (DaemonType.MON,)),
        *_cleaning(found, fsid, destroy),
    )
    return Plan(steps=steps, blocked=silent, fsid=fsid)


def _sanitizing(spec: CephClusterSpec) -> Sanitizing | None:
    policy = spec.cleanup_policy
    if policy.confirmation != DESTROY:
        return None
    disks = policy.sanitize_disks
    return Sanitizing(method=disks.method, data_source=disks.data_source, iteration=disks.iteration)


def _silent(facts: Facts, destroy: Sanitizing | None) -> Iterator[Reason]:
    """Hosts that hold the deletion up because they do not answer.

    A lost node of Kubernetes holds no configuration, and its daemons' objects go with their owner:
    only for its disks and folders, if these are to go, it has to come back.
    """
    for host in facts.hosts.values():
        lost = host.pods and host.refusal == LOST
        if not host.reachable and (destroy or not lost):
            text = (
                f"it cannot be told what it holds of the cluster: {host.error or 'no answer'}; the "
                "deletion is not finished before it answers, or leaves the inventory"
            )
            yield Reason(code=host.refusal, host=host.name, message=text)


def _stopping(
    found: Sequence[Belongings], fsid: Fsid, kinds: tuple[DaemonType, ...]
) -> Iterator[AbsentStep]:
    """All daemons of these kinds at once: none of them is needed any more."""
    pairs = belongings.set_up(found, *kinds)
    if pairs:
        yield AbsentStep(
            changes=tuple(_removal(host, daemon) for host, daemon in pairs),
            fsid=fsid,
            mons=(),
            admin_host=pairs[0][0].name,
            daemons=tuple(
                RemovedDaemon(type=daemon.type, id=daemon.id, host=host.name)
                for host, daemon in pairs
            ),
        )


def _removal(host: Host, daemon: Daemon) -> Change:
    return Change(action=Action.REMOVE, subject=daemon.name, host=host.name, reason=DELETED)


def _cleaning(
    found: Sequence[Belongings], fsid: Fsid, destroy: Sanitizing | None
) -> Iterator[CleanupStep]:
    work = [one for one in found if one.configured or (destroy and one.holds_data)]
    if work:
        yield CleanupStep(
            changes=tuple(line for one in work for line in _lines(one, destroy)),
            fsid=fsid,
            mons=(),
            admin_host=work[0].host.name,
            hosts=tuple(_clean_host(one) if destroy else _bare(one) for one in work),
            destroy=destroy,
        )


def _bare(one: Belongings) -> CleanHost:
    return CleanHost(host=one.host.name, services=one.services)


def _clean_host(one: Belongings) -> CleanHost:
    return CleanHost(
        host=one.host.name,
        services=one.services,
        daemons=tuple((daemon.type, daemon.id) for daemon in one.with_data),
        devices=one.devices,
        osds=one.volumes,
    )


def _lines(one: Belongings, destroy: Sanitizing | None) -> Iterator[Change]:
    name = one.host.name
    if destroy:
        how = f"{CONFIRMED}, {_how(destroy)}"
        for path, osd in one.disks:
            yield _change(Action.DESTROY, f"osd.{osd} on {path}", name, how)
        for daemon in one.with_data:
            yield _change(Action.DESTROY, f"data of {daemon.name}", name, CONFIRMED)
        for left in one.aside:
            yield _change(
                Action.DESTROY, f"data of {left.type}.{left.id} that was put aside", name, CONFIRMED
            )
        if one.keys:
            yield _change(Action.DESTROY, "keys of the cluster", name, CONFIRMED)
        if one.crashes:
            yield _change(Action.DESTROY, f"{one.crashes} dump(s) of crashes", name, CONFIRMED)
    for service in one.services:
        yield _change(Action.REMOVE, f"service {service}", name, DELETED)
    if one.conf:
        yield _change(Action.REMOVE, CONF, name, DELETED)


def _how(destroy: Sanitizing) -> str:
    if destroy.method == "quick":
        return "labels and signatures are cleared"
    times = "once" if destroy.iteration <= 1 else f"{destroy.iteration} times"
    return f"all of it is overwritten with {destroy.data_source} {times}"


def _change(action: Action, subject: str, host: HostName, reason: str) -> Change:
    return Change(action=action, subject=subject, host=host, reason=reason)
