"""Which OSDs restart together, when, and with whose consent (CASES C37, C39)."""

from dataclasses import replace

from orchestrator.model.facts import DaemonType, Osd, Restarts, StopAnswer
from orchestrator.planning import osds
from tests.fakes import facts
from tests.fakes.osds import SDC, blocked, lines, stoppable, with_disks


def outdated(*names, **view):
    """Facts in which the OSDs of these hosts run by an older description."""
    found = facts.healthy()
    for name in names:
        found = facts.with_daemon(found, name, DaemonType.OSD, record="old.net")
    return replace(found, cluster=facts.view(**view))


def test_c37_ceph_is_asked_before_anything_restarts():
    part = osds.planned(facts.context(outdated("store-a", "store-b")))

    assert part.asks
    assert part.steps == ()
    assert part.restarts == Restarts(waiting=(0, 1), begun=(0, 1), at_once=20)
    assert [(one.code, one.transient) for one in part.blocked] == [("NotOkToStop", True)]


def test_those_that_ceph_allows_together_restart_in_one_step_across_hosts():
    found = outdated("store-a", "store-b", "store-c", ok_to_stop=(stoppable(0, 2),))

    (step,) = osds.planned(facts.context(found)).steps

    assert [(one.host, one.restarts) for one in step.hosts] == [
        ("store-a", (0,)),
        ("store-c", (2,)),
    ]
    assert step.need_consent
    assert step.next == Restarts(waiting=(1,), begun=(0, 1, 2), at_once=20)
    assert [f"{one.action} {one.subject}: {one.reason}" for one in step.changes] == [
        "update osd.0: its description changed",
        "update osd.2: its description changed",
    ]


def test_c37_one_that_may_not_stop_is_told_of_and_stops_nobody():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", "store-b", ok_to_stop=(refused, stoppable(1)))
    begun = replace(found, restarts=Restarts(begun=(0, 1, 2)))

    part = osds.planned(facts.context(begun))

    assert [host.restarts for step in part.steps for host in step.hosts] == [(1,)]
    assert part.blocked == ()
    (notice,) = (one for one in part.notices if one.code == "RestartsFollow")
    assert notice.message == ("OSDs restarted so far: 1 of 3; osd.0: pg 11.3 would become inactive")


def test_c37_when_none_may_stop_the_rest_goes_on_and_it_is_tried_later():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", ok_to_stop=(refused,))
    found = with_disks(found, "store-a", facts.disk("sdc"))
    begun = replace(found, restarts=Restarts(begun=(0, 1, 2)))

    part = osds.planned(facts.context(begun))

    assert [(len(one.devices), one.osds, one.ignored) for one in part.steps[0].hosts] == [
        (1, (), (facts.uuid(0),))
    ]
    assert len(part.steps) == 1
    (reason,) = part.blocked
    assert (reason.code, reason.transient) == ("NotOkToStop", True)
    assert reason.message == (
        "OSDs restarted so far: 2 of 3; osd.0: pg 11.3 would become inactive; wait, or let "
        "spec.continueUpgradeAfterChecksEvenIfNotHealthy restart them one at a time all the same, "
        "which stops the clients of such placement groups meanwhile"
    )


def test_c37_going_on_regardless_needs_no_consent():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", "store-b", ok_to_stop=(refused,))
    long_enough = replace(found, restarts=Restarts(refused=True, refused_seconds=600))
    context = facts.context(long_enough, continueUpgradeAfterChecksEvenIfNotHealthy=True)

    (step,) = osds.planned(context).steps

    assert (step.need_consent, [one.restarts for one in step.hosts]) == (False, [(0,)])


def test_going_on_regardless_waits_first_and_tells_how_long():
    refused = StopAnswer(osd=0, ok=False, reason="pg 11.3 would become inactive")
    found = outdated("store-a", ok_to_stop=(refused,))
    waited = replace(found, restarts=Restarts(refused=True, refused_seconds=130))
    spec = {
        "continueUpgradeAfterChecksEvenIfNotHealthy": True,
        "waitTimeoutForHealthyOSDInMinutes": 5,
    }

    part = osds.planned(facts.context(waited, **spec))

    assert (part.steps, part.restarts.refused) == ((), True)
    (reason,) = part.blocked
    assert (reason.code, reason.transient) == ("NotOkToStop", True)
    assert reason.message.endswith(
        "pg 11.3 would become inactive; one of them restarts all the same in 3 min, unless Ceph "
        "allows it before (spec.waitTimeoutForHealthyOSDInMinutes)"
    )


def test_without_checks_osds_restart_one_after_the_other_and_nobody_is_asked():
    part = osds.planned(facts.context(outdated("store-a", "store-b"), skipUpgradeChecks=True))

    (step,) = part.steps
    assert (step.need_consent, [one.restarts for one in step.hosts]) == (False, [(0,)])
    assert (part.asks, step.next.waiting) == (False, ())


def test_a_step_for_new_osds_does_not_touch_those_that_wait():
    found = outdated("store-a", ok_to_stop=(stoppable(0),))
    found = with_disks(found, "store-a", facts.disk("sdc"))

    quiet, restarts = osds.planned(facts.context(found)).steps

    assert [(len(one.devices), one.osds, one.ignored) for one in quiet.hosts] == [
        (1, (), (facts.uuid(0),))
    ]
    assert [(len(one.devices), one.osds, one.ignored) for one in restarts.hosts] == [(0, (0,), ())]


def test_a_restart_leaves_those_of_its_host_that_still_wait():
    host = outdated("store-a").hosts["store-a"]
    other = facts.osd(7, host, record="old.net")
    found = facts.changed(
        facts.healthy(),
        replace(
            host,
            daemons=(*host.daemons, other),
            devices=(*host.devices, facts.osd_disk("sdx", 7)),
        ),
        cluster=facts.view(
            osds=(*facts.view().osds, Osd(id=7, uuid=facts.uuid(7), up=True)),
            ok_to_stop=(stoppable(0),),
        ),
    )

    (step,) = osds.planned(facts.context(found)).steps

    assert [(one.restarts, one.ignored) for one in step.hosts] == [((0,), (facts.uuid(7),))]


def test_what_needs_no_restart_waits_for_nobody():
    drifted = {"drifted": ("/etc/x: missing",)}
    for values in (drifted, {"record": ""}, {"record": "old"}, {"enabled": False}):
        found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, **values)
        part = osds.planned(facts.context(found))

        assert [(host.osds, host.restarts) for host in part.steps[0].hosts] == [((0,), ())]
        assert not part.asks


def test_osds_of_hosts_that_the_manifest_gave_up_are_not_restarted():
    storage = {"nodes": [{"name": "store-b", "useAllDevices": True}]}
    part = osds.planned(facts.context(outdated("store-a"), storage=storage))

    assert (part.steps, part.blocked, part.asks) == ((), (), False)


DIRTY = {"pgmap": {"num_pgs": 2, "pgs_by_state": [{"state_name": "active+clean", "count": 1}]}}


def test_c39_restarts_wait_for_clean_pgs_where_that_is_wanted_and_new_osds_do_not():
    found = outdated("store-a", status=DIRTY, ok_to_stop=(stoppable(0),))
    found = with_disks(found, "store-b", facts.disk("sdc"))
    wanted = {"upgradeOSDRequiresHealthyPGs": True}

    assert lines(found, **wanted) == [
        [f"prepare osd on {SDC} on store-b: 10.0 GiB disk, matched by useAllDevices"]
    ]
    assert blocked(found, **wanted) == [("PgsNotClean", None)]
    assert blocked(found) == []
    assert len(lines(found)) == 2
    assert len(lines(found, **wanted, skipUpgradeChecks=True)) == 2


def test_c39_the_wait_passes_by_itself_and_names_osds_and_states():
    found = outdated("store-a", "store-b", status={})

    (reason,) = osds.planned(facts.context(found, upgradeOSDRequiresHealthyPGs=True)).blocked

    assert reason.transient
    assert reason.message == (
        "osd.0, osd.1 wait for their restart: placement groups are not clean "
        "(Ceph did not tell their states)"
    )


def test_stopped_osds_start_whatever_the_pgs_are():
    found = facts.with_daemon(facts.healthy(), "store-a", DaemonType.OSD, active="failed")
    found = replace(found, cluster=facts.view(status=DIRTY))

    assert lines(found) == [["start osd.0 on store-a: ceph-osd@0 is failed"]]
    assert blocked(found) == []
