"""Deployments of OSDs that Ceph does without for good (ROOK-COMPAT section 6)."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import Osd
from orchestrator.model.plan import RemovedDaemon
from orchestrator.planning import osd_removal, osds
from tests.fakes import facts

HOUR = 3600.0
SPARE = Osd(id=0, uuid=facts.uuid(0), up=False, in_=False)
WANTED = {"removeOSDsIfOutAndSafeToRemove": True}
GONE = RemovedDaemon(type="osd", id="0", host="store-a")


def spare(*, osd=SPARE, safe=(0,), pods=True, made=HOUR, **daemon):
    """A healthy cluster in which osd.0 is what a test says, with a Deployment made so long ago."""
    found = facts.healthy()
    here = found.hosts["store-a"]
    given = {"active": "inactive", "made_seconds": made, **daemon}
    daemons = tuple(replace(one, **given) if one.type == "osd" else one for one in here.daemons)
    others = facts.view().osds[1:]
    view = facts.view(osds=(osd, *others), safe_to_destroy=safe)
    hosts = [replace(one, pods=pods) for one in found.hosts.values()]
    found = facts.changed(found, *hosts, replace(here, daemons=daemons, pods=pods))
    return replace(found, cluster=view)


def without(found):
    """The same once its Deployment is gone."""
    here = found.hosts["store-a"]
    daemons = tuple(one for one in here.daemons if one.type != "osd")
    return facts.changed(found, replace(here, daemons=daemons))


def gone(found, **spec):
    context = facts.context(found, **{**WANTED, **spec})
    return [one for step in osd_removal.steps(context) for one in step.daemons]


def started(found, **spec):
    context = facts.context(found, **{**WANTED, **spec})
    return [one.subject for step in osds.planned(context).steps for one in step.changes]


def test_one_that_is_down_out_and_safe_to_destroy_loses_its_deployment():
    assert gone(spare()) == [GONE]
    (step,) = osd_removal.steps(facts.context(spare(), **WANTED))
    (change,) = step.changes
    assert (change.action, change.subject, change.host) == ("remove", "osd.0", "store-a")
    assert change.reason == (
        "it is down, out and safe to destroy; Ceph keeps its number and its key"
    )


@pytest.mark.parametrize(
    "found",
    [
        spare(safe=()),
        spare(safe=None),
        spare(osd=replace(SPARE, in_=True)),
        spare(osd=replace(SPARE, up=True)),
        spare(made=HOUR - 1),
        spare(made=-1.0),
        spare(left_alone=True),
        spare(osd_uuid=facts.uuid(9)),
        spare(pods=False),
    ],
    ids=["not safe", "not told", "in", "up", "young", "unknown age", "left alone", "other", "host"],
)
def test_any_other_stays(found):
    assert gone(found) == []


def test_without_the_field_nothing_goes():
    assert gone(spare(), removeOSDsIfOutAndSafeToRemove=False) == []


def test_the_one_of_a_node_that_is_lost_goes_too():
    found = spare()
    (daemon,) = (one for one in found.hosts["store-a"].daemons if one.type == "osd")
    lost = replace(found.hosts["store-a"], reachable=False, error="not ready", daemons=())
    other = replace(found.hosts["store-b"], stranded=(daemon,))
    context = facts.context(facts.changed(found, lost, other), **WANTED)

    (step,) = osd_removal.steps(context)
    assert step.daemons == (RemovedDaemon(type="osd", id="0", host="store-b"),)
    assert step.changes[0].host is None
    assert "its node does not answer" in step.changes[0].reason


def test_it_is_not_started_again_as_long_as_ceph_does_without_it():
    found = without(spare())
    assert started(found) == []
    assert started(found, removeOSDsIfOutAndSafeToRemove=False) == ["osd.0"]
    assert started(without(spare(osd=replace(SPARE, in_=True)))) == ["osd.0"]
    assert started(without(spare(safe=()))) == ["osd.0"]


def test_a_disk_that_comes_beside_it_does_not_start_it():
    found = without(spare())
    here = found.hosts["store-a"]
    found = facts.changed(found, replace(here, devices=(*here.devices, facts.disk("sdc"))))
    every = {"storage": {"useAllNodes": True, "useAllDevices": True}}
    (step,) = osds.planned(facts.context(found, **WANTED, **every)).steps

    (work,) = step.hosts
    assert work.ignored == (facts.uuid(0),)


def test_while_ceph_cannot_tell_it_is_not_started_either():
    assert started(without(spare(safe=None))) == []
    silent = without(spare())
    assert started(replace(silent, cluster=facts.view(osds=(), unanswered=("osds",)))) == []


def test_one_that_is_about_to_go_is_not_mended_before():
    assert started(spare(drifted=("Deployment rook-ceph-osd-0 was edited",))) == []
    young = spare(made=5.0, active="active", drifted=("Deployment rook-ceph-osd-0 was edited",))
    assert started(young) == ["osd.0"]


def test_the_reader_is_told_how_to_end_it_or_to_bring_it_back():
    (notice,) = osd_removal.notices(facts.context(without(spare()), **WANTED))
    assert notice.code == "SpareOsd"
    assert "`ceph osd purge 0` ends it for good, `ceph osd in 0` brings it back" in notice.message
    assert list(osd_removal.notices(facts.context(spare(), **WANTED))) == []


def test_the_whole_plan_takes_it_away_and_is_at_rest_then():
    spec = facts.spec(mgr={"count": 2}, **WANTED)
    plan = planning.plan(spec, spare())
    assert [one.subject for one in plan.changes] == ["osd.0"]
    after = planning.plan(spec, without(spare()))
    assert after.converged
    assert [one.code for one in after.notices] == ["SpareOsd"]
