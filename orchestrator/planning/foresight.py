"""What earlier steps of a plan will have written, so that no later one lists it again."""

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from orchestrator.model.names import Fsid
from orchestrator.model.plan import AbsentStep, MgrStep, MonStep
from orchestrator.planning.context import Context


def after(context: Context, steps: Iterable[MonStep | MgrStep | AbsentStep]) -> Context:
    """`context` with the ceph.conf that these steps write on the hosts of their daemons."""
    setting_up = (step for step in steps if not isinstance(step, AbsentStep))
    names = {target.host for step in setting_up for target in step.targets}
    if not names:
        return context
    mon_host = ",".join(mon.addrs for mon in context.mons)
    fsid = context.fsid or Fsid("")
    hosts = dict(context.facts.hosts)
    for name in names & hosts.keys():
        conf = replace(hosts[name].conf, present=True, fsid=fsid, mon_host=mon_host)
        hosts[name] = replace(hosts[name], conf=conf)
    return replace(context, facts=replace(context.facts, hosts=MappingProxyType(hosts)))
