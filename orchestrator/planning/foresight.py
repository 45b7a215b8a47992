"""What earlier steps of a plan will have written, so that no later one lists it again."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from types import MappingProxyType

from orchestrator.model.facts import DaemonType, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import AbsentStep, MgrStep, MonStep
from orchestrator.planning.context import Context

Foreseen = MonStep | MgrStep | AbsentStep


def after(context: Context, steps: Iterable[Foreseen]) -> Context:
    """`context` with the ceph.conf that these steps write, and without the daemons that they take.

    Which kind of daemon looks after a host's ceph.conf depends on those that it has.
    """
    hosts = dict(context.facts.hosts)
    changed = False
    for step in steps:
        changed = True
        if isinstance(step, AbsentStep):
            gone = {(one.host, one.type, one.id) for one in step.daemons}
            hosts = {name: _without(host, gone) for name, host in hosts.items()}
        else:
            names = {target.host for target in step.targets} & hosts.keys()
            hosts |= {name: _written(hosts[name], context) for name in names}
    if not changed:
        return context
    return replace(context, facts=replace(context.facts, hosts=MappingProxyType(hosts)))


def _without(host: Host, gone: Collection[tuple[HostName, DaemonType, str]]) -> Host:
    left = tuple(one for one in host.daemons if (host.name, one.type, one.id) not in gone)
    return host if left == host.daemons else replace(host, daemons=left)


def _written(host: Host, context: Context) -> Host:
    mon_host = ",".join(mon.addrs for mon in context.mons)
    fsid = context.fsid or Fsid("")
    return replace(host, conf=replace(host.conf, present=True, fsid=fsid, mon_host=mon_host))
