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
