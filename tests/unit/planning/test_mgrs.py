"""How many mgrs, where, and with which modules."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import AuthEntity, DaemonType, Mgr, MgrModules, Taint
from orchestrator.planning import mgrs
from tests.fakes import facts

MODULES = MgrModules(
    enabled=("prometheus",),
    always_on=("balancer",),
    available=("alerts", "balancer", "prometheus"),
)


def lines(found, **spec):
    return [
        [f"{one.action} {one.subject} on {one.host}: {one.reason}" for one in step.changes]
        for step in mgrs.steps(facts.context(found, **spec))
    ]


def notices(found, **spec):
    return [
        (reason.code, reason.host, reason.message)
        for reason in mgrs.notices(facts.context(found, **spec))
    ]


def modules(known, **spec):
    seen = facts.changed(facts.healthy(), cluster=facts.view(mgr_modules=known))
    steps = mgrs.finishing(facts.context(seen, **spec), ())
    return [(one.name, one.enabled) for step in steps for one in step.modules]


def test_a_healthy_cluster_needs_nothing_and_nothing_is_said():
    assert lines(facts.healthy()) == []
    assert notices(facts.healthy()) == []


@pytest.mark.parametrize(
    ("count", "multiple", "expected"),
    [
        (2, False, []),
        (3, False, ["create mgr.c on store-c: 3 wanted, 2 exist"]),
        (4, False, ["create mgr.c on store-c: 4 wanted, 2 exist"]),
        (
            4,
            True,
            [
                "create mgr.c on store-c: 4 wanted, 2 exist",
                "create mgr.d on store-a: 4 wanted, 2 exist",
            ],
        ),
    ],
)
def test_missing_mgrs_go_to_the_emptiest_hosts(count, multiple, expected):
    found = lines(facts.healthy(), mgr={"count": count, "allowMultiplePerNode": multiple})

    assert [line for step in found for line in step] == expected


def test_a_shortfall_names_the_rule_and_the_hosts_without_the_package():
    bare = replace(facts.healthy().hosts["store-c"], binaries=("ceph-mon",))

    found = notices(facts.changed(facts.healthy(), bare), mgr={"count": 3})

    assert [(code, host) for code, host, _ in found] == [
        ("MissingPackage", "store-c"),
        ("MgrPlacement", None),
    ]
    assert found[1][2] == (
        "3 mgrs are wanted and 2 have a place, at most one on a host; "
        "add hosts or lower spec.mgr.count"
    )


def test_hosts_without_the_package_are_nobodys_business_while_there_are_mgrs_enough():
    bare = replace(facts.healthy().hosts["store-c"], binaries=("ceph-osd", "ceph-volume"))

    assert notices(facts.changed(facts.healthy(), bare)) == []


@pytest.mark.parametrize(
    "view",
    [
        facts.view(),
        facts.view(
            mgr=Mgr(available=True, active="a"), auth=(AuthEntity(entity="mgr.b", caps={}),)
        ),
        facts.view(mgr=Mgr(), unanswered=("mgr",)),
    ],
    ids=["in the mgr map", "stopped, with a key", "not known"],
)
def test_no_mgr_is_made_for_one_on_a_silent_host(view):
    seen = facts.changed(facts.healthy(), facts.silent("store-b"), cluster=view)

    assert lines(seen) == []


def test_stopped_mgrs_are_started_together_with_the_modules():
    seen = facts.healthy()
    for name in ("store-a", "store-b"):
        seen = facts.with_daemon(seen, name, DaemonType.MGR, active="inactive")
    view = facts.view(mgr=Mgr(), mgr_modules=replace(MODULES, enabled=()))

    assert lines(replace(seen, cluster=view)) == [
        [
            "start mgr.a on store-a: ceph-mgr@a is inactive",
            "start mgr.b on store-b: ceph-mgr@b is inactive",
            "enable mgr module prometheus on None: spec.monitoring has it on",
        ]
    ]


def test_running_mgrs_are_restarted_one_after_the_other():
    seen = facts.healthy()
    for name in ("store-a", "store-b"):
        seen = facts.with_daemon(seen, name, DaemonType.MGR, record="old")

    assert lines(seen) == [
        ["update mgr.a on store-a: its description changed"],
        ["update mgr.b on store-b: its description changed"],
    ]


def test_a_mgr_whose_keyring_was_removed_by_hand_is_mended_where_it_is():
    lost = {"data": False, "keyring": False}
    seen = facts.with_daemon(facts.healthy(), "store-b", DaemonType.MGR, **lost)

    assert lines(seen) == [["repair mgr.b on store-b: its keyring is missing"]]


def test_the_remains_of_a_units_name_are_no_mgr():
    lost = {"data": False, "keyring": False, "record": "", "active": "inactive"}
    seen = facts.with_daemon(facts.healthy(), "store-b", DaemonType.MGR, **lost)

    assert lines(seen) == [["create mgr.b on store-b: 2 wanted, 1 exist"]]


@pytest.mark.parametrize(
    ("known", "spec", "expected"),
    [
        (MODULES, {}, []),
        (replace(MODULES, enabled=()), {}, [("prometheus", True)]),
        (MODULES, {"monitoring": {"metricsDisabled": True}}, [("prometheus", False)]),
        (
            replace(MODULES, available=("alerts",)),
            {"monitoring": {"metricsDisabled": True}},
            [("prometheus", False)],
        ),
        (
            MODULES,
            {"mgr": {"count": 2, "modules": [{"name": "alerts", "enabled": True}]}},
            [("alerts", True)],
        ),
        (MODULES, {"mgr": {"count": 2, "modules": [{"name": "alerts"}]}}, []),
        (MODULES, {"mgr": {"count": 2, "modules": [{"name": "balancer"}]}}, []),
        (MODULES, {"mgr": {"count": 2, "modules": [{"name": "rook", "enabled": True}]}}, []),
        (MODULES, {"mgr": {"count": 2, "modules": [{"name": "nfs", "enabled": True}]}}, []),
    ],
)
def test_modules_follow_the_manifest(known, spec, expected):
    assert modules(known, **spec) == expected


def test_a_module_of_a_running_mgr_comes_after_all_else_and_with_no_mgr():
    seen = replace(facts.healthy(), cluster=facts.view(mgr_modules=replace(MODULES, enabled=())))
    seen = facts.with_daemon(seen, "store-b", DaemonType.MGR, active="inactive")

    assert lines(seen) == [["start mgr.b on store-b: ceph-mgr@b is inactive"]]
    (last,) = mgrs.finishing(facts.context(seen), ())
    assert [one.subject for one in last.changes] == ["mgr module prometheus"]
    assert last.targets == ()


def test_modules_that_are_not_known_are_not_touched():
    seen = replace(facts.healthy(), cluster=facts.view(unanswered=("mgr_modules",)))

    assert lines(seen) == []


def test_a_new_cluster_gets_its_modules_with_the_mgrs():
    seen = facts.empty("store-a", "store-b")

    assert lines(seen) == [
        [
            "create mgr.a on store-a: 2 wanted, 0 exist",
            "create mgr.b on store-b: 2 wanted, 0 exist",
            "enable mgr module prometheus on None: spec.monitoring has it on",
        ]
    ]


def test_a_module_that_these_mgrs_do_not_have_is_named():
    spec = {"mgr": {"count": 2, "modules": [{"name": "nfs", "enabled": True}]}}

    assert notices(facts.healthy(), **spec) == [
        (
            "UnknownMgrModule",
            None,
            "the mgr has no module named nfs; its package may not be installed",
        )
    ]


def tainted(found, name, text="db:NoExecute"):
    key, effect = text.split(":")
    host = replace(found.hosts[name], taints=(Taint(key=key, effect=effect),))
    return facts.changed(found, host)


def test_a_mgr_that_has_to_leave_gets_a_successor_first():
    found = tainted(facts.healthy(), "store-b")

    expected = "create mgr.c on store-c: 2 wanted, 2 exist, mgr.b leaves store-b"
    assert lines(found) == [[expected]]
    assert lines(tainted(facts.healthy(), "store-b", "db:NoSchedule")) == []


def test_a_mgr_without_a_place_to_go_stays_and_each_host_is_named():
    found = tainted(tainted(facts.healthy(), "store-b"), "store-c", "gpu:NoSchedule")

    assert lines(found) == []
    text = "2 mgrs are wanted and 1 have a place, at most one on a host; "
    b = "no new mgr goes to store-b: nothing tolerates its taint db:NoExecute"
    c = "no new mgr goes to store-c: nothing tolerates its taint gpu:NoSchedule"
    assert notices(found) == [
        ("MgrPlacement", None, f"{text}add hosts or lower spec.mgr.count"),
        ("HostExcluded", None, b),
        ("HostExcluded", None, c),
    ]


def test_a_mgr_that_may_use_less_is_set_up_anew():
    limits = {"mgr": {"limits": {"memory": "1Gi", "cpu": "500m"}}}

    steps = list(mgrs.steps(facts.context(facts.healthy(), resources=limits)))

    assert [one.changes[0].reason for one in steps] == ["its description changed"] * 2
    allowed = steps[0].targets[0].resources
    assert (allowed.memory_limit, allowed.cpu_limit) == (1024**3, 500)
