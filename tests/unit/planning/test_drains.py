"""Which OSDs may be evicted: one failure domain at a time, and none while data is at risk."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import Osd, Service, Taint
from orchestrator.model.names import OsdId
from orchestrator.planning import drains, host_services
from tests.fakes import facts

CLEAN = {"num_pgs": 9, "pgs_by_state": [{"state_name": "active+clean", "count": 9}]}
WEAK = {"num_pgs": 9, "pgs_by_state": [{"state_name": "active+undersized+degraded", "count": 9}]}
MOVING = {"num_pgs": 9, "pgs_by_state": [{"state_name": "active+remapped+backfilling", "count": 9}]}
CORDON = (Taint(key=drains.CORDONED, effect="NoSchedule"),)
RACKS = {"store-a": {"rack": "r1"}, "store-b": {"rack": "r1"}, "store-c": {"rack": "r2"}}


def room(*down, pgs=CLEAN, cordoned=(), **cluster):
    """Three hosts with one OSD each, 0 to 2."""
    osds = tuple(
        Osd(id=OsdId(number), uuid=facts.uuid(number), up=number not in down, host=f"store-{name}")
        for number, name in enumerate("abc")
    )
    view = facts.view(osds=osds, status={"pgmap": pgs}, **cluster)
    found = facts.changed(facts.healthy(), cluster=view)
    hosts = (replace(found.hosts[name], taints=CORDON) for name in cordoned)
    return facts.changed(found, *hosts)


def wanted(found, notes=None, **asked):
    spec = {"disruptionManagement": {"managePodBudgets": True, **asked}}
    return drains.wanted(facts.context(found, **spec), notes or {})


def noted(domain, seconds=0, noout="true"):
    return {"draining": domain, "seconds": str(seconds), "noout": noout}


def test_while_all_is_well_one_osd_may_go():
    found = wanted(room())

    assert (found.draining, found.most, found.domains, found.noout) == ("", 1, (), False)
    assert found.reason == "1 OSD(s) may be evicted at a time"


@pytest.mark.parametrize(("pgs", "most"), [(MOVING, 1), (WEAK, 0)])
def test_no_osd_may_go_while_copies_are_missing(pgs, most):
    found = wanted(room(pgs=pgs))

    assert (found.draining, found.most) == ("", most)


def test_a_drained_node_may_lose_all_its_osds_and_the_others_none():
    found = wanted(room(0, pgs=WEAK, cordoned=["store-a"]))

    assert (found.draining, found.noout, found.most) == ("store-a", True, 0)
    assert found.domains == ("store-b", "store-c")
    assert found.reason == "OSDs of host store-a are down: those elsewhere have to stay"


def test_an_osd_that_fails_holds_the_others_but_its_data_is_moved():
    found = wanted(room(1, pgs=WEAK))

    assert (found.draining, found.noout) == ("store-b", False)
    assert found.domains == ("store-a", "store-c")


def test_a_drain_goes_before_a_failure_and_before_a_second_drain():
    assert wanted(room(0, 2, pgs=WEAK, cordoned=["store-c"])).draining == "store-c"
    both = room(0, 2, pgs=WEAK, cordoned=["store-a", "store-c"])
    assert wanted(both, noted("store-c", 5)).draining == "store-c"


@pytest.mark.parametrize(
    ("notes", "draining", "most"),
    [
        ({}, "store-a", 0),
        (noted("store-a", 10), "store-a", 0),
        (noted("store-a", 61), "", 2),
    ],
)
def test_what_ceph_says_right_after_an_eviction_is_not_believed(notes, draining, most):
    found = wanted(room(0, cordoned=["store-a"]), notes)

    assert (found.draining, found.most) == (draining, most)


def test_a_lost_node_holds_the_others_until_its_data_is_elsewhere():
    lost = facts.silent("store-b")
    weak = wanted(facts.changed(room(1, pgs=WEAK), lost))
    assert (weak.draining, weak.noout, weak.domains) == ("store-b", False, ("store-a", "store-c"))
    whole = wanted(facts.changed(room(1), lost))
    assert (whole.draining, whole.most) == ("", 2)


def test_an_osd_without_a_deployment_is_nobodys_to_evict():
    found = room(1)
    bare = replace(found.hosts["store-b"], daemons=())
    assert wanted(facts.changed(found, bare)).most == 1


def test_an_osd_that_is_down_for_good_holds_nobody_once_its_data_is_elsewhere():
    found = wanted(room(1))

    assert (found.draining, found.most) == ("", 2)


def test_after_a_drain_the_others_wait_until_the_data_is_whole():
    back = room(pgs=WEAK)
    waiting = wanted(back, noted("store-a", 300))
    assert (waiting.draining, waiting.noout, waiting.released) == ("store-a", False, ("store-a",))
    over = wanted(back, noted("store-a", 301, noout=""), pgHealthCheckTimeout=5)
    assert (over.draining, over.most, over.released) == ("", 0, ())
    assert wanted(room(), noted("store-a", 300)).draining == ""


def test_data_is_kept_in_its_place_for_as_long_as_the_manifest_says():
    drained = room(0, pgs=WEAK, cordoned=["store-a"])
    assert wanted(drained, noted("store-a", 1799)).noout
    late = wanted(drained, noted("store-a", 1800))
    assert (late.draining, late.noout, late.released) == ("store-a", False, ("store-a",))
    assert not wanted(drained, noted("store-a", 60), osdMaintenanceTimeout=1).noout


def test_racks_are_drained_as_a_whole_where_no_pool_needs_less():
    found = wanted(room(0, pgs=WEAK, failure_domains=("rack",), crush_hosts=RACKS))

    assert (found.level, found.draining, found.domains) == ("rack", "r1", ("r2",))
    narrow = room(0, pgs=WEAK, failure_domains=("host", "rack"), crush_hosts=RACKS)
    assert wanted(narrow).draining == "store-a"


def test_where_a_pool_keeps_copies_on_one_host_one_osd_goes_at_a_time():
    found = wanted(room(0, pgs=WEAK, cordoned=["store-a"], failure_domains=("host", "osd")))

    assert (found.level, found.draining, found.most) == ("osd", "", 1)


def test_the_manifests_pattern_says_what_is_healthy():
    found = wanted(room(1, pgs=MOVING), pgHealthyRegex="active")

    assert (found.draining, found.most) == ("", 2)


@pytest.mark.parametrize("section", ["osds", "status", "failure_domains"])
def test_nothing_is_said_of_what_is_not_known(section):
    assert wanted(room(unanswered=(section,))) is None


def lines(found, **asked):
    context = facts.context(found, **({"disruptionManagement": asked} if asked else {}))
    return [
        (f"{one.action} {one.subject}: {one.reason}", step.services[0].services[0])
        for step in host_services.added(context, ())
        for one in step.changes
    ]


def with_budgets(found, **service):
    told = Service(name="budgets", installed=True, keyring=True, **service)
    return facts.changed(found, replace(found.hosts["store-a"], services=(told,)))


MADE = {"active": "active", "enabled": True}


def test_budgets_are_planned_as_what_the_namespace_has_once():
    ((line, service),) = lines(with_budgets(room()), managePodBudgets=True)
    assert line == "create budgets: as spec.disruptionManagement says"
    made = with_budgets(room(), **MADE, record=service.record)
    assert lines(made, managePodBudgets=True) == []
    drained = room(0, pgs=WEAK, cordoned=["store-a"])
    changed = with_budgets(drained, **MADE, record=service.record)
    ((line, service),) = lines(changed, managePodBudgets=True)
    assert line == "update budgets: OSDs of host store-a are down: those elsewhere have to stay"
    assert service.settings["domains"] == ["store-b", "store-c"]
    assert "released" in service.settings


def test_budgets_that_are_not_asked_for_go():
    assert lines(with_budgets(room())) == []
    ((line, service),) = lines(with_budgets(room(), **MADE, record="r"))
    assert line == "remove budgets: the manifest does not ask for it here"
    assert not service.present


def test_the_note_of_what_was_is_no_change():
    drained = room(0, pgs=WEAK, cordoned=["store-a"])
    first = lines(with_budgets(drained), managePodBudgets=True)[0][1]
    again = with_budgets(drained, **MADE, record=first.record, notes=noted("store-a", 90))
    assert lines(again, managePodBudgets=True) == []


@pytest.mark.parametrize(
    ("found", "notes", "seconds"),
    [
        (room(), {}, None),
        (room(0, pgs=WEAK, cordoned=["store-a"]), {}, 7.0),
        (room(0, cordoned=["store-a"]), noted("store-a", 10), 7.0),
        (room(0, cordoned=["store-a"]), noted("store-a", 61), None),
        (room(pgs=MOVING), noted("store-a", 300), 7.0),
        (room(pgs=WEAK), {}, 7.0),
    ],
)
def test_what_is_so_for_a_while_is_looked_at_again(found, notes, seconds):
    """Nobody tells of time that passes, nor of data that moves once it has all its copies."""
    asked = {
        "disruptionManagement": {"managePodBudgets": True},
        "healthCheck": {"daemonHealth": {"osd": {"interval": "7s"}}},
    }
    made = with_budgets(found, **MADE, notes=notes)

    assert planning.plan(facts.spec(**asked), made).again == seconds
    assert planning.plan(facts.spec(), made).again is None


@pytest.mark.parametrize(("interval", "seconds"), [("1m30s", 90.0), ("0s", 60.0)])
def test_it_is_looked_at_as_often_as_osds_are(interval, seconds):
    asked = {"healthCheck": {"daemonHealth": {"osd": {"interval": interval}}}}

    assert drains.pause(facts.spec(**asked)) == seconds
