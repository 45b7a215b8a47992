"""Rook's status: conditions, phases and messages (ROOK-COMPAT section 5, CASES C43)."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from orchestrator import status
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import AbsentStep, ConfigStep, MgrStep, OsdHost, OsdStep, Plan, Reason
from tests.fakes import facts
from tests.fakes.clusters import cluster
from tests.fakes.selecting import ALL, decisions
from tests.fakes.statuses import (
    BASE,
    MON,
    NOW,
    READY,
    SILENT,
    STAMP,
    TENTACLE,
    condition,
    healthy,
    summary,
)


def test_a_converged_cluster_has_rooks_whole_status():
    found = summary(healthy(), cephVersion={"image": "quay.io/ceph/ceph:v20.2.4"})

    assert found == {
        "phase": "Ready",
        "state": "Created",
        "message": "Cluster created successfully",
        "conditions": [
            {
                "type": "Healthy",
                "status": "True",
                "reason": "HealthOk",
                "message": "HEALTH_OK",
                "lastHeartbeatTime": STAMP,
                "lastTransitionTime": STAMP,
            },
            {
                "type": "UpToDate",
                "status": "True",
                "reason": "AsDescribed",
                "message": "the hosts are as the manifest says",
                "lastHeartbeatTime": STAMP,
                "lastTransitionTime": STAMP,
            },
            {
                "type": "Ready",
                "status": "True",
                "reason": "ClusterCreated",
                "message": "Cluster created successfully",
                "lastHeartbeatTime": STAMP,
                "lastTransitionTime": STAMP,
            },
        ],
        "observedGeneration": 1,
        "ceph": {
            "health": "HEALTH_OK",
            "lastChecked": STAMP,
            "details": {},
            "capacity": {
                "bytesTotal": 300,
                "bytesUsed": 10,
                "bytesAvailable": 290,
                "lastUpdated": STAMP,
            },
            "versions": {"mon": {TENTACLE: 3}, "overall": {TENTACLE: 8}},
            "fsid": facts.OURS,
        },
        "mgr": {"active": "a", "available": True, "host": "store-a", "standbys": ["b"]},
        "storage": {"deviceClasses": [], "osd": {"storeType": {"bluestore": 3}}},
        "version": {"image": "quay.io/ceph/ceph:v20.2.4", "version": "20.2.4-0"},
    }
    json.dumps(found)


def restarting(host, *osds):
    return OsdHost(host=host, crush_location="", record="", restarts=osds)


def test_an_image_that_is_asked_is_told_in_rooks_words():
    found = summary(None, status.detecting())
    assert (found["phase"], found["state"]) == ("Progressing", "Creating")
    one = condition(found, "Progressing")
    assert (one["status"], one["reason"]) == ("True", "ClusterProgressing")
    assert one["message"] == "Detecting Ceph version"


def test_a_thousand_osds_make_no_long_message():
    step = OsdStep(hosts=(restarting("node-1", *range(1000)),), **BASE)
    assert len(summary(None, status.working(step))["message"]) <= 2000


def test_restarts_that_nobody_goes_on_with_are_told_as_such():
    left = summary(None, status.working(OsdStep(hosts=(restarting("node-1", 0),), **BASE)))
    assert status.unattended(left, NOW)["message"].startswith("no run is at work; ")


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (MON, "Configuring Ceph Mons"),
        (ConfigStep(settings=(), **BASE), "Configuring the Ceph cluster"),
        (MgrStep(targets=(), modules=(), **BASE), "Configuring Ceph Mgr(s)"),
        (AbsentStep(**BASE), "Removing Ceph daemons"),
        (OsdStep(hosts=(), **BASE), "Configuring Ceph OSDs"),
        (
            OsdStep(hosts=(restarting("node-1", 0), restarting("node-2", 3, 4)), **BASE),
            (
                'Processing OSD 0 on node "node-1", Processing OSD 3 on node "node-2", '
                'Processing OSD 4 on node "node-2"'
            ),
        ),
    ],
)
def test_a_step_is_told_in_rooks_words(step, message):
    found = summary(None, status.working(step))

    assert (found["phase"], found["state"], found["message"]) == (
        "Progressing",
        "Creating",
        message,
    )
    one = condition(found, "Progressing")
    assert (one["status"], one["reason"]) == ("True", "ClusterProgressing")
    assert "observedGeneration" not in found
    assert "ceph" not in found


@pytest.mark.parametrize(
    ("plan", "outcome", "message"),
    [
        (
            Plan(),
            Outcome(
                ok=False,
                run="1",
                playbook="mon.yml",
                failures=(
                    Failure(host="store-a", task="Make it", message="EACCES"),
                    Failure(host="store-b", task="", message="gone", unreachable=True),
                ),
            ),
            'store-a: task "Make it": EACCES; store-b: gone',
        ),
        (Plan(), Outcome(ok=False, run="1", playbook="mon.yml", canceled=True), "canceled"),
        (Plan(blocked=(SILENT,)), None, "store-c: nothing is done: timed out"),
        (
            Plan(blocked=(SILENT, Reason(code="MonPlacement", message="too few"))),
            None,
            "store-c: nothing is done: timed out; too few",
        ),
    ],
    ids=["failed", "canceled", "blocked", "blocked twice"],
)
def test_an_error_is_progressing_false_with_the_text(plan, outcome, message):
    found = summary(healthy(), status.ended(plan, outcome))

    assert (found["phase"], found["state"], found["message"]) == ("Progressing", "Error", message)
    assert condition(found, "Progressing")["status"] == "False"


def test_what_passes_by_itself_is_progress_and_no_error():
    electing = Reason(code="NoQuorum", message="the mons elect a leader", transient=True)

    passing = summary(None, status.ended(Plan(blocked=(electing,)), None))
    mixed = summary(None, status.ended(Plan(blocked=(electing, SILENT)), None))

    assert (passing["state"], passing["message"]) == ("Creating", "the mons elect a leader")
    assert condition(passing, "Progressing")["status"] == "True"
    assert mixed["state"] == "Error"


def test_a_pass_with_steps_left_is_at_the_next_of_them():
    found = summary(healthy(), status.ended(Plan(steps=(MON,), blocked=(SILENT,)), None))

    assert found["message"] == "Configuring Ceph Mons"


def test_a_long_text_is_cut():
    text = Reason(code="x", message="y" * 5000)

    assert len(summary(None, status.ended(Plan(blocked=(text,)), None))["message"]) == 2000


def test_ready_stays_true_while_work_goes_on_and_progressing_goes_when_it_ends():
    ready = summary(healthy())
    working = summary(None, status.working(MON), ready, NOW + timedelta(seconds=1))
    done = summary(healthy(), READY, working, NOW + timedelta(seconds=2))

    kinds = ["Healthy", "Ready", "UpToDate", "Progressing"]
    assert [one["type"] for one in working["conditions"]] == kinds
    assert condition(working, "Ready")["status"] == "True"
    assert working["phase"] == "Progressing"
    assert working["ceph"] == ready["ceph"]
    assert [one["type"] for one in done["conditions"]] == ["Healthy", "UpToDate", "Ready"]
    assert condition(done, "Ready")["lastTransitionTime"] == STAMP
    assert condition(done, "Ready")["lastHeartbeatTime"] == "2030-01-02T03:04:07Z"


def test_a_transition_is_another_status_or_another_message():
    first = summary(None, status.working(MON))
    same = summary(None, status.working(MON), first, NOW + timedelta(minutes=1))
    other = summary(
        None, status.working(OsdStep(hosts=(), **BASE)), same, NOW + timedelta(minutes=2)
    )

    assert condition(same, "Progressing")["lastTransitionTime"] == STAMP
    assert condition(other, "Progressing")["lastTransitionTime"] == "2030-01-02T03:06:05Z"


@pytest.mark.parametrize("kind", ["Deleting", "DeletionIsBlocked", "Connected"])
def test_conditions_that_rook_keeps_are_kept(kind):
    reason = "ClusterConnected" if kind == "Connected" else "ClusterDeleting"
    old = {"conditions": [{"type": kind, "status": "True", "reason": reason, "message": "m"}]}

    assert condition(summary(None, status.working(MON), old), kind) == old["conditions"][0]


def test_the_generation_is_that_of_the_manifest_that_was_reached():
    wanted = replace(cluster(), generation=7)

    working = status.summarise(wanted, None, status.working(MON), {"observedGeneration": 6}, NOW)
    ready = status.summarise(wanted, healthy(), READY, working, NOW)

    assert (working["observedGeneration"], ready["observedGeneration"]) == (6, 7)


def test_the_verdicts_on_devices_are_in_the_status_and_stay_while_there_are_no_new_ones():
    first = status.with_devices(summary(healthy()), decisions(ALL, facts.disk("sdb")))
    later = status.with_devices(summary(healthy(), previous=first), ())

    assert first["storage"]["deviceCounts"] == {"osd": 0, "selected": 1, "skipped": 0}
    assert first["storage"]["osd"] == {"storeType": {"bluestore": 3}}
    assert later["storage"] == first["storage"]


def test_what_a_run_that_died_was_doing_is_not_called_progress():
    dead = status.summarise(cluster(), None, status.working(MON), {}, NOW)

    told = status.unattended(dead, NOW)

    one = condition(told, "Progressing")
    assert one["status"] == "False"
    assert told["message"] == (
        "no run is at work; `orchestrator run` goes on with this: Configuring Ceph Mons"
    )


@pytest.mark.parametrize(
    "found",
    [{}, {"phase": "Ready", "message": "x"}, {"phase": "Progressing", "message": "no quorum"}],
)
def test_what_is_no_claim_of_work_stays(found):
    assert status.unattended(found, NOW) == found


DELETING = replace(cluster(), deleting=True)
GONE = status.ended(Plan(), None, deleting=True)


def test_c43_deleting_is_final():
    begun = status.summarise(DELETING, healthy(), status.working(MON, deleting=True), {}, NOW)
    ready = status.summarise(DELETING, healthy(), READY, begun, NOW)
    stale = status.summarise(cluster(), healthy("HEALTH_WARN"), READY, ready, NOW)
    failed = status.summarise(cluster(), None, status.working(MON), stale, NOW)

    for found in (begun, ready, stale, failed):
        assert (found["phase"], found["state"], found["message"]) == (
            "Deleting",
            "Deleting",
            "Deleting the CephCluster",
        )
        assert condition(found, "Deleting")["reason"] == "ClusterDeleting"
        assert not {"Ready", "Progressing"} & {one["type"] for one in found["conditions"]}
        assert "observedGeneration" not in found
    assert stale["ceph"]["health"] == "HEALTH_WARN"


def test_a_deletion_says_what_holds_it_up():
    failure = Failure(host="store-a", task="Clear", message="EIO")
    outcome = Outcome(ok=False, run="1", playbook="cleanup.yml", failures=(failure,))
    held = status.ended(Plan(blocked=(SILENT,)), None, deleting=True)
    failed = status.ended(Plan(steps=(MON,)), outcome, deleting=True)

    assert held.message == "Deleting the CephCluster: store-c: nothing is done: timed out"
    assert failed.message == 'Deleting the CephCluster: store-a: task "Clear": EIO'
    assert GONE.message == "Deleting the CephCluster"


@pytest.mark.parametrize(
    ("plan", "outcome", "expected"),
    [
        (Plan(), None, ("True", "AsDescribed")),
        (Plan(steps=(MON,)), None, ("False", "ChangesPending")),
        (Plan(blocked=(SILENT,)), None, ("False", "Blocked")),
        (
            Plan(blocked=(Reason(code="NoQuorum", message="m", transient=True),)),
            None,
            ("False", "Waiting"),
        ),
        (Plan(), Outcome(ok=False, run="1", playbook="mon.yml"), ("False", "RunFailed")),
    ],
    ids=["converged", "steps left", "blocked", "waiting", "failed"],
)
def test_up_to_date_says_whether_the_hosts_are_as_the_manifest_says(plan, outcome, expected):
    found = summary(healthy("HEALTH_WARN"), status.ended(plan, outcome), summary(healthy()))

    one = condition(found, "UpToDate")
    assert (one["status"], one["reason"]) == expected


def test_a_manifest_that_is_not_understood_is_not_up_to_date():
    found = status.invalid("spec.mon.count: -1", summary(healthy()), NOW)

    one = condition(found, "UpToDate")
    assert (one["status"], one["reason"], one["message"]) == (
        "False",
        "ManifestInvalid",
        "spec.mon.count: -1",
    )
