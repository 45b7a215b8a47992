"""Rook's status: conditions, phases and what Ceph says (ROOK-COMPAT section 5, CASES C41, C43)."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator import status
from orchestrator.model.facts import Osd
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.model.plan import (
    AbsentStep,
    ConfigStep,
    MgrStep,
    MonStep,
    OsdHost,
    OsdStep,
    Plan,
    Reason,
)
from tests.fakes import facts
from tests.fakes.clusters import cluster
from tests.fakes.selecting import ALL, decisions

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
STAMP = "2030-01-02T03:04:05Z"
BASE = {"changes": (), "fsid": facts.OURS, "mons": (), "admin_host": "store-a"}
MON = MonStep(targets=(), new_cluster=True, **BASE)
READY = status.ended(Plan(), None)
TENTACLE = "ceph version 20.2.4 (0123abcd) tentacle (stable)"
SILENT = Reason(code="HostUnreachable", host="store-c", message="nothing is done: timed out")

C41 = {
    "fsid": facts.OURS,
    "health": {
        "status": "HEALTH_WARN",
        "checks": {
            "OSD_DOWN": {
                "severity": "HEALTH_WARN",
                "summary": {"message": "1 osds down", "count": 1},
                "muted": False,
            }
        },
        "mutes": [],
    },
    "quorum_names": ["a", "b", "c"],
    "mgrmap": {"available": True, "num_standbys": 1, "standbys": ["a"]},
    "pgmap": {
        "num_pgs": 0,
        "bytes_total": 6097215430656,
        "bytes_used": 1021955608576,
        "bytes_avail": 5075259822080,
    },
    "new_section": {"x": 1},
}


def healthy(health="HEALTH_OK", **view):
    values = {
        "status": {"health": {"status": health, "checks": {}}},
        "versions": {"mon": {TENTACLE: 3}, "overall": {TENTACLE: 8}, "later": {TENTACLE: 1}},
        "df": {"total_bytes": 300, "total_used_raw_bytes": 10, "total_avail_bytes": 290},
    }
    return replace(facts.healthy(), cluster=facts.view(**{**values, **view}))


def summary(seen, condition=READY, previous=None, now=NOW, **spec):
    wanted = cluster(**spec)
    return status.summarise(wanted, seen, condition, previous or {}, now)


def condition(found, kind):
    return next(one for one in found["conditions"] if one["type"] == kind)


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


@pytest.mark.parametrize("standbys", [["a"], [{"name": "a"}], None])
def test_c41_an_odd_section_does_not_hide_health_and_capacity(standbys):
    raw = {**C41, "mgrmap": {"available": True, "standbys": standbys}}

    ceph = summary(healthy(status=raw, df={}))["ceph"]

    assert ceph["health"] == "HEALTH_WARN"
    assert ceph["details"] == {
        "OSD_DOWN": {"severity": "HEALTH_WARN", "message": "1 osds down"},
    }
    assert ceph["capacity"] == {
        "bytesTotal": 6097215430656,
        "bytesUsed": 1021955608576,
        "bytesAvailable": 5075259822080,
        "lastUpdated": STAMP,
    }


@pytest.mark.parametrize(
    "checks", [None, {}, [], "odd", {"X": "odd"}], ids=["null", "none", "list", "text", "item"]
)
def test_c41_checks_that_cannot_be_read_are_no_details(checks):
    raw = {"health": {"status": "HEALTH_OK", "checks": checks}}

    assert summary(healthy(status=raw))["ceph"]["details"] == {}


@pytest.mark.parametrize("raw", [{}, {"health": {}}, {"health": "HEALTH_OK"}, {"health": None}])
def test_c41_without_health_status_the_error_names_the_field(raw):
    ceph = summary(healthy(status=raw))["ceph"]

    assert ceph["health"] == "HEALTH_ERR"
    assert ceph["details"] == {
        "error": {
            "severity": "Urgent",
            "message": "the output of `ceph status` has no readable health.status",
        }
    }
    assert ceph["fsid"] == facts.OURS


@pytest.mark.parametrize("versions", [{}, {"mon": {}}, {"mon": "odd"}, {"mon": {"odd": 1}}])
def test_c41_versions_that_cannot_be_read_keep_the_last_ones(versions):
    before = summary(healthy())

    found = summary(healthy(versions=versions), previous=before)

    assert found["version"] == {"version": "20.2.4-0"}
    assert found["ceph"]["health"] == "HEALTH_OK"


def test_a_kind_without_daemons_has_no_versions():
    found = summary(healthy(versions={"mon": {TENTACLE: 3}, "mds": {}, "overall": {TENTACLE: 3}}))
    assert set(found["ceph"]["versions"]) == {"mon", "overall"}


def test_muted_checks_are_not_shown():
    checks = {
        "MON_DISK_LOW": {"severity": "HEALTH_WARN", "summary": {"message": "x"}, "muted": True}
    }

    found = summary(healthy(status={"health": {"status": "HEALTH_OK", "checks": checks}}))

    assert found["ceph"]["details"] == {}


def test_c43_health_that_did_not_change_moves_only_the_time_of_the_look():
    first = summary(healthy())
    second = summary(healthy(), previous=first, now=NOW + timedelta(minutes=1))

    assert second["ceph"] == {
        **first["ceph"],
        "lastChecked": "2030-01-02T03:05:05Z",
        "capacity": {**first["ceph"]["capacity"], "lastUpdated": "2030-01-02T03:05:05Z"},
    }


def test_c43_a_thousand_looks_do_not_grow_the_status():
    wanted, found = cluster(), {}
    looks = [healthy(health) for health in ("HEALTH_OK", "HEALTH_WARN")]
    sizes = []
    for number in range(1000):
        now = NOW + timedelta(minutes=number)
        found = status.summarise(wanted, looks[number % 2], READY, found, now)
        sizes.append(len(json.dumps(found)))

    assert sizes[-1] == sizes[1]
    assert [one["type"] for one in found["conditions"]] == ["Healthy", "UpToDate", "Ready"]
    assert condition(found, "Ready")["lastTransitionTime"] == STAMP
    assert condition(found, "UpToDate")["lastTransitionTime"] == STAMP
    assert (found["ceph"]["health"], found["ceph"]["previousHealth"]) == (
        "HEALTH_WARN",
        "HEALTH_OK",
    )


def test_c43_a_look_that_failed_is_urgent_and_the_next_one_clears_it():
    before = summary(healthy())
    lost = summary(replace(healthy(), cluster=None), previous=before)
    after = summary(healthy(), previous=lost, now=NOW + timedelta(minutes=1))

    assert lost["ceph"] == {
        **before["ceph"],
        "health": "HEALTH_ERR",
        "previousHealth": "HEALTH_OK",
        "lastChanged": STAMP,
        "details": {"error": {"severity": "Urgent", "message": "no mon in quorum answered"}},
    }
    assert lost["storage"] == before["storage"]
    assert after["ceph"]["health"] == "HEALTH_OK"
    assert after["ceph"]["previousHealth"] == "HEALTH_ERR"
    assert after["ceph"]["lastChanged"] == "2030-01-02T03:05:05Z"
    assert after["ceph"]["details"] == {}


def test_c43_health_checks_move_neither_phase_nor_message():
    working = summary(healthy(), status.working(MON))
    seen = summary(healthy("HEALTH_WARN"), status.working(MON), working)

    assert (seen["phase"], seen["message"]) == ("Progressing", "Configuring Ceph Mons")
    assert seen["conditions"][1:] == working["conditions"][1:]
    assert condition(seen, "Healthy")["status"] == "False"


def test_c43_an_endless_health_detail_is_cut():
    checks = {
        f"CHECK_{number}": {"severity": "HEALTH_WARN", "summary": {"message": "x" * 40_000}}
        for number in range(500)
    }

    found = summary(healthy(status={"health": {"status": "HEALTH_WARN", "checks": checks}}))

    assert len(json.dumps(found)) < 120_000


@pytest.mark.parametrize("df", [{}, {"total_bytes": 0, "total_used_raw_bytes": 0}])
def test_capacity_is_kept_while_ceph_reports_none(df):
    before = summary(healthy())

    assert summary(healthy(df=df), previous=before)["ceph"]["capacity"] == {
        "bytesTotal": 300,
        "bytesUsed": 10,
        "bytesAvailable": 290,
        "lastUpdated": STAMP,
    }


def test_a_cluster_that_never_answered_has_no_ceph_section():
    assert "ceph" not in summary(facts.empty("store-a"))


def test_device_classes_are_those_of_the_osds():
    osds = tuple(
        Osd(id=number, uuid="", up=True, device_class=kind)
        for number, kind in enumerate(("ssd", "hdd", "ssd", ""))
    )

    assert summary(healthy(osds=osds))["storage"] == {
        "deviceClasses": [{"name": "hdd"}, {"name": "ssd"}],
        "osd": {"storeType": {"bluestore": 4}},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TENTACLE, "20.2.4-0"),
        ("ceph version 18.2.1-194.el9cp (04a9) reef (stable)", "18.2.1-194"),
        ("ceph version 16.2.15+ds-0+deb12u1 (618f) pacific (stable)", "16.2.15-0"),
    ],
)
def test_the_version_is_major_minor_extra_and_build(text, expected):
    found = summary(healthy(versions={"mon": {text: 1}}))

    assert found["version"]["version"] == expected


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


def checks(**codes):
    found = {name: {"severity": "x", "summary": {"message": text}} for name, text in codes.items()}
    return {"health": {"status": "HEALTH_WARN", "checks": found}}


def test_healthy_names_the_checks_and_moves_only_with_them():
    first = summary(healthy(status=checks(OSD_DOWN="1 osds down", PG_DEGRADED="3/7")))
    later = NOW + timedelta(minutes=1)
    same = summary(healthy(status=checks(PG_DEGRADED="2/7", OSD_DOWN="1")), READY, first, later)
    other = summary(healthy(), READY, same, later)

    one = condition(same, "Healthy")
    assert (one["status"], one["reason"]) == ("False", "HealthWarning")
    assert one["message"] == "HEALTH_WARN: OSD_DOWN, PG_DEGRADED"
    assert one["lastTransitionTime"] == STAMP
    assert condition(other, "Healthy")["status"] == "True"
    assert condition(other, "Healthy")["lastTransitionTime"] == "2030-01-02T03:05:05Z"


def test_health_that_nobody_told_is_unknown():
    found = summary(replace(healthy(), cluster=None), previous=summary(healthy()))

    one = condition(found, "Healthy")
    assert (one["status"], one["reason"]) == ("Unknown", "NotAnswered")
    assert one["message"] == "no mon in quorum answered"


def test_c43_a_timeout_is_told_in_its_own_words_and_keeps_what_was_known():
    before = summary(healthy())
    late = healthy(status={}, versions={}, df={}, errors=("status: timed out after 10 s",))

    found = summary(late, previous=before)["ceph"]

    assert found["health"] == "HEALTH_ERR"
    assert found["details"]["error"] == {
        "severity": "Urgent",
        "message": (
            "the output of `ceph status` has no readable health.status "
            "(status: timed out after 10 s)"
        ),
    }
    for kept in ("capacity", "versions", "fsid"):
        assert found[kept] == before["ceph"][kept]


def test_c43_the_largest_status_is_far_below_what_etcd_takes():
    long = "x" * 200_000
    some = {
        f"{number}{long}": {"severity": long, "summary": {"message": long}} for number in range(90)
    }
    versions = {"mon": {f"{number}{long}": 1 for number in range(500)}}
    osds = tuple(
        Osd(id=number, uuid="", up=True, device_class=f"{number}{long}") for number in range(300)
    )
    seen = healthy(
        status={"health": {"status": "HEALTH_WARN", "checks": some}},
        versions=versions,
        osds=osds,
        errors=(long,),
    )

    found = summary(seen, status.ended(Plan(blocked=(SILENT,) * 5000), None))

    assert len(json.dumps(found)) < 300_000
