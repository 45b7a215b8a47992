"""What makes a new cluster is one run on hosts, and nothing else is."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.plan import (
    Action,
    Change,
    ConfigStep,
    CreationStep,
    DashboardSetup,
    MgrStep,
    MonStep,
    OsdHost,
    OsdStep,
)
from orchestrator.planning import together
from tests.fakes import facts

BASE = {"fsid": None, "mons": (), "admin_host": "store-a"}


def change(subject):
    return Change(action=Action.CREATE, subject=subject, reason="new cluster")


MONS = MonStep(**BASE, changes=(change("mon.a"),), targets=(), new_cluster=True)
MGRS = MgrStep(**BASE, changes=(change("mgr.a"),), targets=(), modules=())
OSDS = OsdStep(**BASE, changes=(change("osd"),), hosts=())
CONFIG = ConfigStep(**BASE, changes=(change("config"),))
HOSTS = facts.empty("store-a", "store-b")


def kinds(steps):
    return [
        [type(part) for part in step.parts] if isinstance(step, CreationStep) else type(step)
        for step in steps
    ]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([], []),
        ([MONS], [MonStep]),
        ([MONS, MGRS, OSDS], [[MonStep, MgrStep, OsdStep]]),
        ([MONS, MGRS], [[MonStep, MgrStep]]),
        ([MONS, OSDS], [[MonStep, OsdStep]]),
        ([MONS, MGRS, OSDS, MGRS], [[MonStep, MgrStep, OsdStep], MgrStep]),
        ([MONS, OSDS, MGRS], [[MonStep, OsdStep], MgrStep]),
        ([MONS, MGRS, MGRS, OSDS], [[MonStep, MgrStep], MgrStep, OsdStep]),
        ([MONS, CONFIG, MGRS, OSDS], [MonStep, ConfigStep, MgrStep, OsdStep]),
        ([MGRS, OSDS], [MgrStep, OsdStep]),
    ],
)
def test_mons_mgrs_and_osds_that_follow_one_another_are_one_run(steps, expected):
    assert kinds(together.joined(steps, HOSTS)) == expected


@pytest.mark.parametrize(
    "other",
    [
        replace(MGRS, admin_host="store-b"),
        replace(MGRS, fsid=facts.OURS),
        replace(MGRS, dashboard=DashboardSetup(certificate=True)),
        replace(
            OSDS, hosts=(OsdHost(host="store-a", crush_location="", record="", restarts=(1,)),)
        ),
    ],
)
def test_what_is_told_otherwise_or_needs_more_than_a_quorum_has_its_own_run(other):
    assert kinds(together.joined([MONS, other], HOSTS)) == [MonStep, type(other)]


def test_a_mon_of_a_cluster_that_lives_shares_its_run_with_nobody():
    later = replace(MONS, new_cluster=False)

    assert kinds(together.joined([later, MGRS, OSDS], HOSTS)) == [MonStep, MgrStep, OsdStep]


def test_the_changes_keep_their_order():
    (step,) = together.joined([MONS, MGRS, OSDS], HOSTS)

    assert [one.subject for one in step.changes] == ["mon.a", "mgr.a", "osd"]


def test_in_kubernetes_each_kind_of_daemon_has_its_own_run():
    pods = facts.changed(HOSTS, *(replace(host, pods=True) for host in HOSTS.hosts.values()))

    assert kinds(together.joined([MONS, MGRS, OSDS], pods)) == [MonStep, MgrStep, OsdStep]


def test_a_new_cluster_without_disks_makes_its_services_in_a_run_of_their_own():
    plan = planning.plan(facts.spec(), facts.empty("store-a", "store-b", "store-c"))

    assert kinds(plan.steps)[0] == [MonStep, MgrStep]
