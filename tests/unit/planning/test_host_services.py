"""The collector of crashes and the rotation of logs, on hosts with daemons, as it is asked for."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import Service
from orchestrator.model.plan import HostStep, OsdStep
from orchestrator.planning import host_services
from tests.fakes import facts

CRASH = Service(name="crash", installed=True, active="active", enabled=True)
ROTATE = Service(name="logrotate", installed=True, active="inactive")
LOGS = {"logCollector": {"enabled": True, "periodicity": "1h", "maxLogSize": "10M"}}


def ready(spec, name, **more):
    record = host_services.wanted(spec, name, present=True).record
    plain = {"installed": True, "active": "active", "enabled": True, "record": record}
    return Service(**{"name": name, "keyring": name == "crash", **plain, **more})


def room(*services):
    found = facts.healthy()
    return facts.changed(
        found, *(replace(host, services=services) for host in found.hosts.values())
    )


def lines(found, **spec):
    steps = host_services.added(facts.context(found, **spec), ())
    return [
        f"{one.action} {one.subject} on {one.host}: {one.reason}"
        for step in steps
        for one in step.changes
    ]


def test_every_host_with_a_daemon_collects_crashes_and_rotates_nothing_unasked():
    assert lines(room(CRASH, ROTATE)) == [
        f"create crash on store-{name}: as spec.crashCollector says" for name in "abc"
    ]


def test_hosts_without_daemons_have_neither():
    found = facts.changed(room(), facts.host("store-d", services=(CRASH, ROTATE)))

    assert lines(found, **LOGS) == []


def test_what_is_as_it_should_be_needs_nothing():
    spec = facts.spec(**LOGS)

    assert lines(room(ready(spec, "crash"), ready(spec, "logrotate")), **LOGS) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"active": "failed"}, "start crash on store-a: it is failed"),
        ({"enabled": False}, "start crash on store-a: it is active and not enabled"),
        ({"keyring": False}, "repair crash on store-a: its keyring is missing"),
        ({"drifted": ("/x: changed",)}, "repair crash on store-a: /x: changed"),
        ({"record": "older"}, "update crash on store-a: its description changed"),
        ({"installed": False}, ""),
    ],
)
def test_what_is_not_as_it_should_be_is_mended(changed, expected):
    found = lines(room(ready(facts.spec(), "crash", **changed)))

    assert found[:1] == ([expected] if expected else [])


def test_a_program_that_is_missing_is_said():
    hosts = (facts.host("store-a", services=(Service(name="logrotate"),)),)

    (notice,) = host_services.notices(facts.spec(**LOGS), hosts)

    text = "logrotate is not installed; install its package"
    assert (notice.code, notice.host, notice.message) == ("MissingPackage", "store-a", text)
    assert list(host_services.notices(facts.spec(), hosts)) == []


def test_an_image_without_a_program_is_said_once():
    hosts = [
        facts.host(f"store-{name}", pods=True, services=(Service(name="exporter"),))
        for name in "ab"
    ]

    (notice,) = host_services.notices(facts.spec(), hosts)

    assert (notice.code, notice.host) == ("MissingPackage", None)
    assert notice.message.startswith("the image has no ceph-exporter, so none is run")
    off = facts.spec(monitoring={"metricsDisabled": True})
    assert list(host_services.notices(off, hosts)) == []


def test_a_collector_that_is_switched_off_goes_also_when_the_package_started_it():
    off = {"crashCollector": {"disable": True}}

    assert lines(room(CRASH), **off)[0] == (
        "disable crash on store-a: spec.crashCollector.disable is true"
    )
    ours = ready(facts.spec(), "crash")
    assert lines(room(ours), **off)[0] == (
        "remove crash on store-a: the manifest does not ask for it here"
    )
    gone = replace(CRASH, active="inactive", enabled=False)
    assert lines(room(gone), **off) == []
    elsewhere = facts.changed(room(), facts.host("store-d", services=(CRASH,)))
    assert lines(elsewhere, **off) == []


def test_rotation_that_is_not_asked_for_any_more_goes():
    found = room(ready(facts.spec(**LOGS), "logrotate"))

    assert lines(found)[0] == ("remove logrotate on store-a: the manifest does not ask for it here")


@pytest.mark.parametrize(
    ("collector", "expected"),
    [
        ({}, ("daily", 500)),
        ({"periodicity": "1h"}, ("hourly", 500)),
        ({"periodicity": "24h"}, ("daily", 500)),
        ({"periodicity": "monthly", "maxLogSize": "1Gi"}, ("monthly", 1073)),
        ({"periodicity": "", "maxLogSize": 0}, ("daily", 1)),
        ({"maxLogSize": "999k"}, ("daily", 1)),
    ],
)
def test_periods_and_sizes_are_read_as_rook_reads_them(collector, expected):
    spec = facts.spec(logCollector={"enabled": True, **collector})

    found = host_services.wanted(spec, "logrotate", present=True).settings

    assert (found["periodicity"], found["max_size_mb"]) == expected


def test_limits_are_part_of_the_description():
    limits = {"crashcollector": {"limits": {"memory": "60Mi", "cpu": "500m"}}}
    plain, limited = facts.spec(), facts.spec(resources=limits)

    found = host_services.wanted(limited, "crash", present=True)

    assert found.settings == {"resources": {"memory_limit": 62914560, "cpu_limit": 500}}
    assert found.record != host_services.wanted(plain, "crash", present=True).record


def test_services_come_with_the_step_that_makes_osds_and_else_in_their_own():
    spec = facts.spec(storage={"useAllNodes": True, "useAllDevices": True}, mgr={"count": 2})
    fresh = room(CRASH)
    host = replace(fresh.hosts["store-a"], devices=(facts.disk("sdc"),))

    step = planning.plan(spec, facts.changed(fresh, host)).steps[-1]

    assert isinstance(step, OsdStep)
    assert [one.host for one in step.services] == ["store-a", "store-b", "store-c"]
    assert [one.subject for one in step.changes][-3:] == ["crash"] * 3
    alone = planning.plan(facts.spec(mgr={"count": 2}), fresh).steps[-1]
    assert isinstance(alone, HostStep)


def test_days_to_retain_are_the_crash_modules_own_option():
    kept = facts.spec(crashCollector={"daysToRetain": 30})
    off = facts.spec(crashCollector={"daysToRetain": 30, "disable": True})

    assert host_services.settings(kept) == {("mgr", "mgr/crash/retain_interval"): "2592000"}
    assert host_services.settings(off) == host_services.settings(facts.spec()) == {}


EXPORTER = Service(name="exporter", installed=True)


def test_nodes_with_a_daemon_serve_counters_unless_metrics_are_off():
    found = room(ready(facts.spec(), "crash"), EXPORTER)
    off = {"monitoring": {"metricsDisabled": True}}

    assert lines(found) == [
        f"create exporter on store-{name}: as spec.monitoring says" for name in "abc"
    ]
    assert lines(found, **off) == []
    served = room(ready(facts.spec(), "exporter", keyring=True))
    assert lines(served) == []
    assert lines(served, **off)[0] == (
        "remove exporter on store-a: the manifest does not ask for it here"
    )


def test_an_exporter_without_its_key_is_mended():
    found = room(ready(facts.spec(), "exporter"))

    assert lines(found)[0] == "repair exporter on store-a: its keyring is missing"


def test_what_drivers_need_is_there_once_whatever_runs_on_its_node():
    csi = Service(name="csi", installed=True)
    empty = facts.changed(facts.healthy(), facts.host("store-d", services=(csi,)))

    assert lines(empty) == ["create csi on store-d: as spec.csi says"]


def test_users_of_drivers_are_made_unless_the_manifest_skips_them():
    skipping = {"csi": {"skipUserCreation": True}}
    made = room(ready(facts.spec(), "csi", keyring=True))
    lost = room(ready(facts.spec(), "csi"))
    without = room(ready(facts.spec(**skipping), "csi"))

    assert lines(made) == []
    assert lines(lost)[0] == "repair csi on store-a: a Secret of its users is missing"
    assert lines(made, **skipping)[0] == "update csi on store-a: its description changed"
    assert lines(without, **skipping) == []
    assert host_services.wanted(facts.spec(), "csi", present=True).settings == {"users": True}


MONITORING = {"monitoring": {"enabled": True}}


def test_prometheus_is_told_of_the_cluster_where_that_is_asked_for_and_served():
    served = Service(name="monitors", installed=True, keyring=True)
    assert lines(room(served)) == []
    assert lines(room(served), **MONITORING)[0] == (
        "create monitors on store-a: as spec.monitoring says"
    )
    off = {"monitoring": {"enabled": True, "metricsDisabled": True}}
    assert lines(room(served), **off) == []
    made = room(ready(facts.spec(**MONITORING), "monitors", keyring=True))
    assert lines(made, **MONITORING) == []
    assert lines(made)[0] == ("remove monitors on store-a: the manifest does not ask for it here")


def test_where_no_service_monitors_are_served_that_is_said_once_and_nothing_fails():
    found = room(Service(name="monitors"))
    assert lines(found, **MONITORING) == []
    plan = planning.plan(facts.spec(mgr={"count": 2}, **MONITORING), found)
    assert plan.converged
    (notice,) = plan.notices
    assert notice.code == "ServiceMonitorsNotServed"
    assert "install the Prometheus operator" in notice.message
    assert planning.plan(facts.spec(mgr={"count": 2}), found).notices == ()


def test_old_reports_of_crashes_are_removed_for_as_long_as_the_manifest_says_when():
    kept = {"crashCollector": {"daysToRetain": 30}}
    bare = room(Service(name="pruner", installed=True, keyring=True))
    assert lines(bare) == []
    assert "create pruner on store-a: as spec.crashCollector says" in lines(bare, **kept)
    off = {"crashCollector": {"daysToRetain": 30, "disable": True}}
    assert not any("pruner" in line for line in lines(bare, **off))
    made = room(ready(facts.spec(**kept), "pruner", keyring=True))
    assert not any("pruner" in line for line in lines(made, **kept))
    assert lines(made)[0] == "remove pruner on store-a: the manifest does not ask for it here"
