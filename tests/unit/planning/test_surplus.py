"""Which daemons go when the manifest wants fewer."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import AuthEntity, DaemonType, Mgr, Taint
from orchestrator.model.plan import Remains
from orchestrator.planning import surplus
from tests.fakes import facts


def gone(found, **spec):
    return [
        (one.id, one.host, one.data)
        for step in surplus.mgr_steps(facts.context(found, **spec))
        for one in step.daemons
    ]


def test_no_mgr_goes_while_all_are_wanted():
    assert list(surplus.mgr_steps(facts.context(facts.healthy()))) == []


def test_a_standby_goes_with_its_key_and_its_user():
    (step,) = surplus.mgr_steps(facts.context(facts.healthy(), mgr={"count": 1}))

    assert [f"{one.action} {one.subject} on {one.host}: {one.reason}" for one in step.changes] == [
        "remove mgr.b on store-b: 2 exist, 1 wanted"
    ]
    assert step.users == ("mgr.b",)
    assert step.unmapped == ()
    assert [(one.id, one.data) for one in step.daemons] == [("b", Remains.DELETE)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            replace(facts.healthy(), cluster=facts.view(mgr=Mgr(active="b", standbys=("a",)))),
            "a",
        ),
        (facts.with_daemon(facts.healthy(), "store-a", DaemonType.MGR, active="failed"), "b"),
        (
            facts.with_daemon(
                replace(facts.healthy(), cluster=facts.view(mgr=Mgr())),
                "store-a",
                DaemonType.MGR,
                active="failed",
            ),
            "a",
        ),
    ],
    ids=["the active one stays", "as Ceph says, not as the unit does", "one that runs stays"],
)
def test_the_one_of_least_use_goes(found, expected):
    assert [name for name, _, _ in gone(found, mgr={"count": 1})] == [expected]


def test_a_mgr_on_a_host_that_may_hold_none_goes_first():
    hosts = (
        replace(host, groups=("mgrs",) if name == "store-b" else ())
        for name, host in facts.healthy().hosts.items()
    )
    assert gone(facts.changed(facts.healthy(), *hosts), mgr={"count": 1})[0][:2] == ("a", "store-a")


@pytest.mark.parametrize(
    "found",
    [
        replace(facts.healthy(), cluster=facts.view(unanswered=("mgr",))),
        replace(facts.healthy(), cluster=None),
        facts.changed(
            facts.healthy(),
            facts.silent("store-c"),
            cluster=facts.view(auth=(AuthEntity(entity="mgr.c", caps={}),)),
        ),
    ],
    ids=["no answer", "no quorum", "a silent host"],
)
def test_no_mgr_goes_while_it_is_not_known_which_there_are(found):
    assert gone(found, mgr={"count": 1}) == []


def test_the_one_that_has_to_leave_goes_first_even_when_it_is_active():
    found = facts.healthy().hosts
    third = replace(found["store-c"], daemons=(*found["store-c"].daemons, facts.mgr("c")))
    away = replace(found["store-a"], taints=(Taint(key="db", effect="NoExecute"),))

    seen = facts.changed(facts.healthy(), third, away)
    (step,) = surplus.mgr_steps(facts.context(seen))

    assert [f"{one.subject}: {one.reason}" for one in step.changes] == [
        "mgr.a: nothing tolerates its taint db:NoExecute"
    ]
