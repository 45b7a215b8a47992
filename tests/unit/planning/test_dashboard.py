"""CASES C33: the dashboard comes last, and nothing waits for it."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import Dashboard, Mgr, MgrModules, Setting
from orchestrator.model.plan import CreationStep, MgrStep, OsdStep
from orchestrator.planning import dashboard
from tests.fakes import facts
from tests.fakes.mon_store import digest

NAMES = ("dashboard", "prometheus")
ON = MgrModules(enabled=NAMES, available=NAMES)
SSL = {"enabled": True, "ssl": True}
DONE = Dashboard(certificate=True, users=("admin",), password=digest("x"))
URL = "https://10.0.0.1:8443/"


def seen(state, *, services=None, secrets=None, **view):
    mgr = Mgr(available=True, active="a", standbys=("b",), services=services or {})
    cluster = facts.view(**{"mgr": mgr, "mgr_modules": ON, "dashboard": state, **view})
    found = facts.changed(facts.healthy(), cluster=cluster)
    host = replace(found.hosts["store-a"], secrets=secrets or {})
    return facts.changed(found, host)


def lines(found, **spec):
    context = facts.context(found, dashboard={**SSL, **spec})
    return [f"{one.action} {one.subject}: {one.reason}" for one in dashboard.planned(context)[1]]


def given(value):
    return {"rook-ceph-dashboard-password": {"password": digest(value)}}


def test_a_new_one_gets_a_certificate_and_an_admin():
    assert lines(seen(Dashboard())) == [
        (
            "create dashboard certificate: spec.dashboard.ssl is on and there is none: "
            "a self-signed one is made"
        ),
        (
            "create dashboard user admin: there is none; it gets the password "
            "that is made up on the host"
        ),
    ]


def test_c33_an_existing_certificate_is_kept():
    assert lines(seen(DONE)) == []
    files = (Setting(section="mgr", name="mgr/dashboard/crt_file", value="/etc/x.pem"),)
    assert lines(seen(replace(DONE, certificate=False), config=files)) == []


def test_without_ssl_none_is_made():
    assert lines(seen(replace(DONE, certificate=False)), ssl=False) == []


def test_another_password_is_shown_by_its_hash():
    assert lines(seen(DONE, secrets=given("x"))) == []
    assert lines(seen(DONE, secrets=given("y"))) == [
        f"update dashboard password: {digest('y')[:19]} instead of {digest('x')[:19]}"
    ]
    assert lines(seen(replace(DONE, password=""), secrets=given("y"))) == [
        f"update dashboard password: {digest('y')[:19]} instead of one that others set"
    ]


def test_what_ceph_did_not_tell_is_not_planned_from():
    assert lines(seen(None)) == []
    unknown = {"mgr_modules": MgrModules(), "unanswered": ("mgr_modules",)}
    assert lines(seen(None, **unknown)) == []


def test_c33_its_step_comes_after_the_osds():
    found = facts.changed(
        facts.empty("store-a"), facts.host("store-a", devices=(facts.disk("sdb"),))
    )
    spec = facts.spec(mon={"count": 1}, mgr={"count": 1}, dashboard=SSL)

    steps = planning.plan(spec, found).steps

    assert [type(step).__name__ for step in steps] == ["CreationStep", "MgrStep"]
    assert isinstance(steps[0], CreationStep)
    _, mgrs, osds = steps[0].parts
    assert isinstance(mgrs, MgrStep)
    assert mgrs.dashboard is None
    assert isinstance(osds, OsdStep)
    assert isinstance(steps[1], MgrStep)
    assert steps[1].dashboard


@pytest.mark.parametrize(
    ("state", "services", "checks", "waits", "fails"),
    [
        (DONE, {"dashboard": URL}, {}, False, False),
        (DONE, {}, {}, True, False),
        (Dashboard(), {}, {}, False, False),
        (
            DONE,
            {},
            {"MGR_MODULE_DEPENDENCY": {"summary": {"message": "Module 'dashboard': no cherrypy"}}},
            False,
            True,
        ),
    ],
    ids=["serves", "starts", "is set up first", "cannot run"],
)
def test_c33_it_is_waited_for_only_while_it_may_come(state, services, checks, waits, fails):
    status = {"health": {"checks": checks}}
    context = facts.context(seen(state, services=services, status=status), dashboard=SSL)

    assert [(one.code, one.transient) for one in dashboard.starting(context)] == (
        [("MgrModuleStarting", True)] if waits else []
    )
    assert [one.code for one in dashboard.notices(context)] == (
        ["MgrModuleFailed"] if fails else []
    )
