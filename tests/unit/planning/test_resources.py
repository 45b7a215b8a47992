"""What daemons may use: merged as Rook merges, defaulted as Kubernetes defaults."""

import pytest

from orchestrator.model.facts import DaemonType
from orchestrator.model.resources import UNLIMITED, DaemonResources
from orchestrator.model.spec import Node
from orchestrator.planning import resources
from tests.fakes import facts

GIB = 1024**3


def spec(**given):
    return facts.spec(resources=given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"limits": {"memory": "2Gi", "cpu": "500m"}}, (2 * GIB, 2 * GIB, 500)),
        ({"limits": {"memory": "2Gi"}, "requests": {"memory": "1Gi"}}, (2 * GIB, GIB, 0)),
        ({"requests": {"memory": "1Gi", "cpu": 4}}, (0, GIB, 0)),
        ({"limits": {"cpu": 2}}, (0, 0, 2000)),
    ],
)
def test_a_request_of_memory_is_its_limit_unless_it_is_given(given, expected):
    found = resources.of(spec(mon=given), DaemonType.MON)

    assert (found.memory_limit, found.memory_request, found.cpu_limit) == expected


def test_nothing_given_limits_nothing():
    assert resources.of(spec(), DaemonType.MON) == UNLIMITED
    assert resources.recorded(UNLIMITED) == {}
    assert resources.environment(UNLIMITED) == {}


def test_an_osd_has_what_its_class_has_and_else_what_all_have():
    given = spec(osd={"limits": {"memory": "4Gi"}}, **{"osd-ssd": {"limits": {"cpu": 2}}})

    assert resources.of_osd(given, None, "hdd").memory_limit == 4 * GIB
    assert resources.of_osd(given, None, "").memory_limit == 4 * GIB
    assert resources.of_osd(given, None, "ssd") == DaemonResources(cpu_limit=2000)
    assert resources.osd_classes(given) == ("ssd",)


def test_a_node_has_its_own_and_takes_what_it_lacks_from_all():
    node = Node.model_validate({"name": "a", "resources": {"limits": {"memory": "8Gi"}}})
    given = spec(osd={"limits": {"memory": "4Gi", "cpu": 2}, "requests": {"memory": "3Gi"}})

    found = resources.of_osd(given, node, "")

    assert found == DaemonResources(memory_limit=8 * GIB, memory_request=3 * GIB, cpu_limit=2000)


def test_an_osd_is_told_as_rook_tells_it():
    found = resources.environment(DaemonResources(memory_limit=4 * GIB, memory_request=3 * GIB))

    assert found == {"POD_MEMORY_LIMIT": "4294967296", "POD_MEMORY_REQUEST": "3221225472"}


def test_a_limit_below_rooks_minimum_is_said():
    given = spec(
        osd={"limits": {"memory": "1Gi"}},
        mon={"limits": {"memory": "1Gi"}},
        mgr={"requests": {"memory": "1Mi"}},
        **{"osd-ssd": {"limits": {"memory": "512Mi"}}},
    )

    assert [reason.message for reason in resources.notices(given)] == [
        (
            "spec.resources.osd allows 1024 MiB of memory, and one needs 2048 MiB; "
            "raise limits.memory"
        ),
        (
            "spec.resources.osd-ssd allows 512 MiB of memory, and one needs 2048 MiB; "
            "raise limits.memory"
        ),
    ]
