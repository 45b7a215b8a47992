"""Mgrs of one host have ports of their own for their web servers; a port is bound once."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.model.facts import Setting
from orchestrator.model.plan import Service
from orchestrator.planning import config, mgr_ports, modules
from tests.fakes import facts

DASHBOARD = {"enabled": True, "ssl": True}


def wanted(places, **spec):
    found = mgr_ports.wanted(facts.spec(**spec), places)
    assert {section for section, _ in found} <= {"mgr"}
    return {name.removeprefix("mgr/"): value for (_, name), value in found.items()}


@pytest.mark.parametrize(
    ("places", "spec", "expected"),
    [
        ({"a": "x", "b": "y"}, {"dashboard": DASHBOARD}, {}),
        (
            {"a": "x", "b": "x"},
            {"dashboard": DASHBOARD},
            {"dashboard/b/ssl_server_port": "8444", "prometheus/b/server_port": "9284"},
        ),
        (
            {"b": "x", "aa": "x", "a": "x", "c": "y"},
            {},
            {"prometheus/b/server_port": "9284", "prometheus/aa/server_port": "9285"},
        ),
        (
            {"a": "x", "b": "x"},
            {"dashboard": {"enabled": True, "port": 8000}, "monitoring": {"metricsDisabled": True}},
            {"dashboard/b/server_port": "8001"},
        ),
        (
            {"a": "x", "b": "x"},
            {"monitoring": {"port": 65535}},
            {"prometheus/b/server_port": "65534"},
        ),
    ],
    ids=["apart", "both", "three", "plain", "the-last-port"],
)
def test_each_later_mgr_of_a_host_has_the_next_port(places, spec, expected):
    assert wanted(places, **spec) == expected


def alone(**spec):
    """The healthy cluster whose two mgrs are both on store-a."""
    seen = facts.healthy()
    hosts = dict(seen.hosts)
    mgr_b = next(one for one in hosts["store-b"].daemons if one.name == "mgr.b")
    left = tuple(one for one in hosts["store-b"].daemons if one is not mgr_b)
    both = (*hosts["store-a"].daemons, mgr_b)
    hosts["store-a"] = replace(hosts["store-a"], daemons=both)
    hosts["store-b"] = replace(hosts["store-b"], daemons=left)
    return replace(seen, hosts=hosts), facts.spec(
        mgr={"count": 2, "allowMultiplePerNode": True}, **spec
    )


def test_the_plan_gives_the_second_mgr_its_port_and_starts_the_module_anew():
    seen, spec = alone()

    (step,) = planning.plan(spec, seen).steps

    assert [(one.action, one.subject) for one in step.changes] == [
        ("set", "config mgr/mgr/prometheus/b/server_port"),
        ("restart", "mgr module prometheus"),
    ]


def test_a_new_cluster_has_the_ports_before_its_mgrs_start():
    spec = facts.spec(mgr={"count": 2, "allowMultiplePerNode": True}, mon={"count": 1})

    first = planning.plan(spec, facts.empty("store-a")).steps[0]

    assert "config mgr/mgr/prometheus/b/server_port" in [one.subject for one in first.changes]


def test_no_module_starts_anew_for_a_mgr_that_is_still_to_come():
    seen = facts.healthy()
    hosts = {name: host for name, host in seen.hosts.items() if name != "store-c"}
    places = {"a": "store-a", "b": "store-b", "c": "store-a"}
    spec = facts.spec(mgr={"count": 3, "allowMultiplePerNode": True})

    context = replace(facts.context(replace(seen, hosts=hosts)), spec=spec, mgrs=places)
    (step,) = config.steps(context)

    assert [one.subject for one in step.changes] == ["config mgr/mgr/prometheus/c/server_port"]


@pytest.mark.parametrize(
    ("network", "own", "shared"),
    [
        ({}, None, False),
        ({}, True, True),
        ({"provider": "host"}, None, True),
        ({"provider": "host"}, False, False),
        ({"hostNetwork": True}, None, True),
    ],
)
def test_pods_share_no_address_unless_they_have_that_of_their_host(network, own, shared):
    seen, _ = alone()
    on_nodes = {name: replace(host, pods=True) for name, host in seen.hosts.items()}
    places = {"a": "store-a", "b": "store-a"}

    spec = facts.spec(network=network, mgr={"count": 2, "hostNetwork": own})
    found = mgr_ports.sharing(spec, replace(seen, hosts=on_nodes), places)

    assert bool(found) is shared


def test_an_active_mgr_with_our_port_serves_where_it_must():
    seen, spec = alone()
    own = Setting(section="mgr", name="mgr/prometheus/b/server_port", value="9284")
    mgr = replace(facts.view().mgr, active="b", standbys=("a",))
    context = replace(facts.context(seen), spec=spec, mgrs={"a": "store-a", "b": "store-a"})

    found = modules.expected(context, facts.view(config=(own,), mgr=mgr), "prometheus")

    assert found == Service(port=9284)


def test_ceph_config_has_the_last_word():
    name = "mgr/prometheus/b/server_port"
    spec = facts.spec(cephConfig={"mgr": {name: "9999"}})

    found = config.wanted(spec, (), {"a": "x", "b": "x"})

    assert {one.name: one.value for one in found}[name] == "9999"
