"""Mgr modules: which, where they serve, and their options."""

from dataclasses import replace

import pytest

from orchestrator.model.facts import Mgr, MgrModules, Setting
from orchestrator.model.plan import Service
from orchestrator.planning import module_options, modules
from tests.fakes import facts

DASHBOARD = {"enabled": True, "ssl": True}
RUNNING = MgrModules(enabled=("dashboard", "prometheus"), available=("dashboard", "prometheus"))


def seen(services, *config, **mgr):
    serving = Mgr(available=True, active="a", services=services, **mgr)
    view = facts.view(mgr=serving, mgr_modules=RUNNING, config=config)
    return facts.changed(facts.healthy(), cluster=view)


def planned(found, restarted=(), **spec):
    context = facts.context(found, **spec)
    return [
        (one.name, modules.change(context, one).reason)
        for one in modules.planned(context, restarted)
    ]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ({}, {}),
        ({"monitoring": {"port": 9283}}, {}),
        ({"monitoring": {"port": 9999}}, {"prometheus/server_port": "9999"}),
        ({"monitoring": {"interval": "1m30s"}}, {"prometheus/scrape_interval": "90"}),
        ({"monitoring": {"interval": "100s"}}, {"prometheus/scrape_interval": "100"}),
        ({"monitoring": {"interval": "500ms"}}, {"prometheus/scrape_interval": "0.5"}),
        ({"monitoring": {"port": 9999, "metricsDisabled": True}}, {}),
        ({"dashboard": {"ssl": True, "port": 9443}}, {}),
        (
            {"dashboard": DASHBOARD},
            {"dashboard/ssl": "true", "dashboard/ssl_server_port": "8443"},
        ),
        (
            {"dashboard": {"enabled": True}},
            {"dashboard/ssl": "false", "dashboard/server_port": "7000"},
        ),
        (
            {"dashboard": {**DASHBOARD, "port": 443}},
            {"dashboard/ssl": "true", "dashboard/ssl_server_port": "8443"},
        ),
        (
            {
                "dashboard": {
                    "enabled": True,
                    "port": 8080,
                    "urlPrefix": "/ceph",
                    "prometheusEndpoint": "http://prometheus:9090",
                }
            },
            {
                "dashboard/PROMETHEUS_API_HOST": "http://prometheus:9090",
                "dashboard/PROMETHEUS_API_SSL_VERIFY": "false",
                "dashboard/server_port": "8080",
                "dashboard/ssl": "false",
                "dashboard/url_prefix": "/ceph",
            },
        ),
        (
            {"mgr": {"modules": [{"name": "balancer", "enabled": True}]}},
            {"balancer/active": "true", "balancer/mode": "upmap"},
        ),
        (
            {
                "mgr": {
                    "modules": [
                        {
                            "name": "balancer",
                            "enabled": True,
                            "settings": {"balancerMode": "crush-compat"},
                        }
                    ]
                }
            },
            {"balancer/active": "true", "balancer/mode": "crush-compat"},
        ),
        ({"mgr": {"modules": [{"name": "balancer"}]}}, {"balancer/active": "false"}),
    ],
)
def test_options_of_modules_come_from_their_fields(spec, options):
    found = module_options.wanted(facts.spec(**spec))

    assert found == {("mgr", f"mgr/{name}"): value for name, value in options.items()}


@pytest.mark.parametrize(
    ("spec", "services", "expected"),
    [
        ({}, {"prometheus": "http://10.0.0.1:9284/"}, []),
        (
            {"monitoring": {"port": 9999}},
            {"prometheus": "http://10.0.0.1:9283/"},
            [
                (
                    "prometheus",
                    "it serves at http://10.0.0.1:9283/, and spec.monitoring wants port 9999",
                )
            ],
        ),
        ({"monitoring": {"port": 9999}}, {"prometheus": "http://[2001:db8::1]:9999/"}, []),
        ({"monitoring": {"port": 9999}}, {}, []),
        (
            {"dashboard": {**DASHBOARD, "urlPrefix": "ceph"}},
            {"dashboard": "https://10.0.0.1:8443/"},
            [
                (
                    "dashboard",
                    (
                        "it serves at https://10.0.0.1:8443/, and spec.dashboard wants https, "
                        "port 8443 and /ceph/"
                    ),
                )
            ],
        ),
        (
            {"dashboard": {**DASHBOARD, "urlPrefix": "/ceph/"}},
            {"dashboard": "https://10.0.0.1:8443/ceph/"},
            [],
        ),
        (
            {"dashboard": {"enabled": True, "port": 8443}},
            {"dashboard": "https://10.0.0.1:8443/"},
            [
                (
                    "dashboard",
                    "it serves at https://10.0.0.1:8443/, and spec.dashboard wants http, port 8443",
                )
            ],
        ),
    ],
)
def test_a_module_that_serves_elsewhere_is_restarted(spec, services, expected):
    on = {"dashboard": DASHBOARD, **spec}

    assert planned(seen(services), **on) == expected


def test_one_that_an_earlier_step_restarts_is_not_restarted_twice():
    found = seen({"prometheus": "http://10.0.0.1:9283/"})

    assert planned(found, {"prometheus"}, dashboard=DASHBOARD, monitoring={"port": 9999}) == []


@pytest.mark.parametrize(
    "own",
    [
        Setting(section="mgr.a", name="mgr/prometheus/server_port", value="9283"),
        Setting(section="mgr", name="mgr/prometheus/a/server_port", value="9283"),
    ],
)
def test_a_mgr_with_a_place_of_its_own_is_not_restarted_for_ever(own):
    found = seen({"prometheus": "http://10.0.0.1:9283/"}, own)

    assert planned(found, dashboard=DASHBOARD, monitoring={"port": 9999}) == []


def test_the_dashboard_goes_off_with_its_field_and_not_with_the_list_of_modules():
    found = seen({})
    listed = {"mgr": {"count": 2, "modules": [{"name": "dashboard", "enabled": True}]}}

    assert planned(found, **listed) == [("dashboard", "spec.dashboard has it off")]


def test_before_the_first_mgr_the_hosts_tell_which_modules_there_are():
    known = replace(facts.host("store-a"), mgr_modules=("prometheus",))
    context = facts.context(facts.changed(facts.empty("store-a"), known), dashboard=DASHBOARD)

    assert [one.name for one in modules.planned(context)] == ["prometheus"]
    assert [(one.code, one.message) for one in modules.notices(context)] == [
        (
            "UnknownMgrModule",
            "the mgr has no module named dashboard; its package may not be installed",
        )
    ]


def test_a_module_that_ceph_always_runs_cannot_be_turned_off():
    spec = {"mgr": {"count": 2, "modules": [{"name": "status"}, {"name": "balancer"}]}}
    view = facts.view(mgr_modules=MgrModules(always_on=("balancer", "status")))
    context = facts.context(facts.changed(facts.healthy(), cluster=view), **spec)

    assert [one.code for one in modules.notices(context)] == ["MgrModuleAlwaysOn"]


def test_where_a_module_must_serve_follows_ceph_config_too():
    options = {"mgr": {"mgr/prometheus/server_port": "9000"}}
    context = facts.context(facts.healthy(), cephConfig=options)

    assert modules.expected(context, facts.view(), "prometheus") == Service(port=9000)
