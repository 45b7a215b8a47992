"""What an earlier step writes, no later one lists."""

from dataclasses import replace

from orchestrator import planning
from orchestrator.model.facts import Conf
from orchestrator.model.names import HostName
from orchestrator.model.plan import MgrStep, PlacedDaemon
from orchestrator.planning import foresight, upkeep
from tests.fakes import facts

STALE = Conf(present=True, fsid=facts.OURS, mon_host="192.0.2.1")
STEP = MgrStep(
    changes=(),
    fsid=facts.OURS,
    mons=facts.MONS,
    admin_host=HostName("store-a"),
    targets=(PlacedDaemon(id="c", host=HostName("store-b"), record=""),),
    modules=(),
)


def lacking(context):
    return [
        str(host.name)
        for host in context.facts.hosts.values()
        if upkeep.listed_mons(host.conf.mon_host) != upkeep.listed_mons(facts.MON_HOST)
    ]


def test_a_step_writes_the_conf_of_its_hosts_and_of_no_other():
    seen = facts.healthy()
    stale = [replace(host, conf=STALE) for host in seen.hosts.values()]
    context = facts.context(facts.changed(seen, *stale))

    assert lacking(context) == ["store-a", "store-b", "store-c"]
    assert lacking(foresight.after(context, [STEP])) == ["store-a", "store-c"]
    assert foresight.after(context, []) is context


def test_a_host_whose_mon_goes_keeps_its_conf_by_the_next_kind_in_the_same_plan():
    """What is listed after the removal is what the run then does."""
    spec = facts.spec(mon={"count": 2}, mgr={"count": 2})

    plan = planning.plan(spec, facts.healthy())

    found = [(one.subject, one.host) for one in plan.changes]
    assert found[0] == ("mon.c", "store-c")
    assert ("/etc/ceph/ceph.conf", "store-c") in found
