import pytest

from orchestrator.model.manifest import mgr_rules
from tests.fakes import facts


def test_modules_with_fields_of_their_own_are_not_asked_for_in_the_list():
    names = ["dashboard", "alerts", "prometheus"]
    spec = facts.spec(mgr={"modules": [{"name": name, "enabled": True} for name in names]})

    assert [(found.path, found.message) for found in mgr_rules.well_known_modules(spec)] == [
        (("mgr", "modules", 0, "name"), "is turned on and off by spec.dashboard"),
        (("mgr", "modules", 2, "name"), "is turned on and off by spec.monitoring"),
    ]


@pytest.mark.parametrize(
    ("dashboard", "warned"),
    [
        ({"enabled": True, "port": 443}, True),
        ({"enabled": True, "port": 1024}, False),
        ({"enabled": True}, False),
        ({"port": 443}, False),
    ],
)
def test_a_port_that_a_mgr_cannot_have_is_named(dashboard, warned):
    found = list(mgr_rules.low_port(facts.spec(dashboard=dashboard)))

    assert bool(found) is warned


@pytest.mark.parametrize(
    ("mgr", "enabled", "warned"),
    [
        ({"count": 2, "allowMultiplePerNode": True}, True, True),
        ({"count": 1, "allowMultiplePerNode": True}, True, False),
        ({"count": 2}, True, False),
        ({"count": 2, "allowMultiplePerNode": True}, False, False),
    ],
)
def test_mgrs_that_would_share_the_dashboards_port_are_named(mgr, enabled, warned):
    spec = facts.spec(mgr=mgr, dashboard={"enabled": enabled})

    assert bool(list(mgr_rules.shared_ports(spec))) is warned
