"""What the status tells of Ceph: health, versions, capacity (ROOK-COMPAT section 5, C41, C43)."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from orchestrator import status
from orchestrator.model.facts import Osd
from orchestrator.model.plan import Plan
from tests.fakes import facts
from tests.fakes.clusters import cluster
from tests.fakes.statuses import (
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
