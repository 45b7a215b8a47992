"""The whole plan: what comes after what, and what stops everything."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from orchestrator import planning
from orchestrator.model.facts import DaemonType, Facts
from orchestrator.model.plan import ConfigStep, CreationStep, MgrStep, MonStep, OsdStep
from tests.fakes import facts

SPEC = facts.spec(mgr={"count": 2})


def codes(plan):
    return [(one.code, one.host) for one in plan.blocked]


def test_a_healthy_cluster_is_converged():
    plan = planning.plan(SPEC, facts.healthy())

    assert plan.converged
    assert plan.notices == ()
    assert plan.fsid == facts.OURS


def test_a_new_cluster_is_mons_then_mgrs_then_osds_in_one_run():
    found = facts.empty("store-a", "store-b", "store-c")
    hosts = (replace(host, devices=(facts.disk("sdb"),)) for host in found.hosts.values())

    plan = planning.plan(SPEC, facts.changed(found, *hosts))

    assert [type(step) for step in plan.steps] == [CreationStep]
    assert [type(part) for part in plan.first.parts] == [MonStep, MgrStep, OsdStep]
    assert plan.first.parts[0].new_cluster
    assert plan.fsid is None
    assert not plan.blocked


def test_options_come_between_mons_and_mgrs():
    spec = facts.spec(mgr={"count": 2}, cephConfig={"mon": {"mon_data_avail_warn": "5"}})
    seen = facts.healthy()
    for kind in DaemonType:
        seen = facts.with_daemon(seen, "store-a", kind, active="failed")

    plan = planning.plan(spec, seen)

    assert [type(step) for step in plan.steps] == [MonStep, ConfigStep, MgrStep, OsdStep]


@pytest.mark.parametrize(
    ("spec", "found", "code"),
    [
        ({"cleanupPolicy": {"confirmation": "yes-really-destroy-data"}}, None, "CleanupConfirmed"),
        ({"external": {"enable": True}}, None, "ExternalCluster"),
        ({}, Facts(hosts=MappingProxyType({})), "NoHosts"),
    ],
)
def test_what_this_release_must_not_or_cannot_do_is_refused(spec, found, code):
    plan = planning.plan(facts.spec(**spec), found or facts.healthy())

    assert codes(plan) == [(code, None)]
    assert plan.steps == ()


def test_without_quorum_stopped_mons_are_started_and_nothing_else():
    seen = facts.with_daemon(facts.healthy(), "store-a", DaemonType.MON, active="failed")
    seen = facts.with_daemon(seen, "store-b", DaemonType.OSD, active="failed")

    plan = planning.plan(SPEC, replace(seen, cluster=None))

    assert [type(step) for step in plan.steps] == [MonStep]
    assert codes(plan) == []
    assert [one.code for one in plan.notices] == ["NoQuorum"]


def test_running_mons_without_quorum_are_waited_for():
    seen = facts.with_daemon(facts.healthy(), "store-a", DaemonType.MON, mon_state="electing")

    plan = planning.plan(SPEC, replace(seen, cluster=None))

    assert codes(plan) == [("NoQuorum", None)]
    assert plan.blocked[0].transient
    assert plan.blocked[0].message == (
        "the mons have no quorum (mon.a on store-a is electing, mon.b on store-b is active, "
        "mon.c on store-c is active); nothing else is done before they have"
    )


def test_a_silent_host_is_a_reason_and_the_others_go_on():
    seen = facts.changed(facts.healthy(), facts.silent("store-c"))
    seen = facts.with_daemon(seen, "store-b", DaemonType.OSD, active="failed")

    plan = planning.plan(SPEC, seen)

    assert codes(plan) == [("HostUnreachable", "store-c")]
    assert [change.subject for change in plan.changes] == ["osd.1"]


def test_c13_a_machine_with_another_name_is_blocked_under_its_own_code():
    strange = replace(facts.silent("store-c"), refusal="HostnameMismatch", error="calls itself x")

    plan = planning.plan(SPEC, facts.changed(facts.healthy(), strange))

    assert codes(plan) == [("HostnameMismatch", "store-c")]
    assert plan.blocked[0].message == "nothing is done on this host: calls itself x"
    assert plan.steps == ()
    assert {one.host for one in plan.devices} == {"store-a", "store-b"}


def test_the_survey_judges_disks_even_where_no_plan_can_be_made():
    found = facts.empty("store-a", "store-b", "store-c")
    disks = facts.changed(
        found,
        replace(found.hosts["store-a"], devices=(facts.disk("sdb"),)),
        facts.silent("store-c"),
    )

    survey, aside = planning.survey(SPEC, disks)

    assert planning.plan(SPEC, disks).devices == ()
    assert [(one.host, one.code) for one in survey.devices] == [("store-a", "Selected")]
    assert [(one.host, one.code) for one in aside] == [("store-c", "HostUnreachable")]


def test_the_survey_knows_our_osds_although_the_mons_do_not_answer():
    silent = facts.changed(facts.healthy(), *(facts.silent(f"store-{one}") for one in "bc"))

    survey, _ = planning.survey(SPEC, replace(silent, cluster=None))

    assert [(one.host, one.standing) for one in survey.devices] == [("store-a", "osd.0")]


def test_mons_on_hosts_that_nobody_knows_are_asked_for():
    found = facts.changed(facts.empty("store-x", "store-y"), cluster=facts.view())

    plan = planning.plan(SPEC, found)

    assert codes(plan) == [("NoMonHost", None)]
    assert plan.steps == ()


def test_what_ceph_did_not_tell_is_waited_for():
    view = facts.view(unanswered=("osds", "config"), errors=("osd dump: timed out",))

    plan = planning.plan(SPEC, replace(facts.healthy(), cluster=view))

    assert codes(plan) == [("CephUnanswered", None)]
    assert plan.blocked[0].transient
    assert plan.blocked[0].message == (
        "Ceph was asked and did not tell: osds, config (osd dump: timed out)"
    )


def test_too_few_hosts_for_a_new_cluster_stop_all_of_it():
    plan = planning.plan(SPEC, facts.empty("store-a", "store-b"))

    assert codes(plan) == [("MonPlacement", None)]
    assert plan.steps == ()


def test_the_same_facts_give_the_same_plan():
    found = facts.empty("store-a", "store-b", "store-c")

    assert planning.plan(SPEC, found) == planning.plan(SPEC, found)
