"""What is asked of pods and not built yet is refused, and never quietly built otherwise."""

from dataclasses import replace

import pytest

from orchestrator import planning
from orchestrator.planning import unbuilt
from tests.fakes import facts

CLAIM = {"metadata": {"name": "data"}, "spec": {"storageClassName": "fast"}}
SET = {"name": "set1", "count": 3, "volumeClaimTemplates": [CLAIM]}
ZONES = [{"name": name, "arbiter": name == "a"} for name in "abc"]


def in_pods():
    found = facts.healthy()
    return facts.changed(found, *(replace(host, pods=True) for host in found.hosts.values()))


ASKED = [
    ({"mon": {"count": 3, "volumeClaimTemplate": CLAIM}}, "spec.mon.volumeClaimTemplate"),
    ({"mon": {"count": 3, "stretchCluster": {"zones": ZONES}}}, "spec.mon.stretchCluster"),
    ({"mon": {"count": 3, "zones": ZONES}}, "spec.mon.zones"),
    ({"storage": {"storageClassDeviceSets": [SET]}}, "spec.storage.storageClassDeviceSets"),
    ({"storage": {"volumeClaimTemplates": [CLAIM]}}, "spec.storage.volumeClaimTemplates"),
    (
        {"storage": {"nodes": [{"name": "x", "volumeClaimTemplates": [CLAIM]}]}},
        "spec.storage.nodes[].volumeClaimTemplates",
    ),
    (
        {"network": {"provider": "multus", "selectors": {"public": "a/b"}}},
        "spec.network.provider: multus",
    ),
]


@pytest.mark.parametrize(("asked", "field"), ASKED)
def test_nothing_is_done_of_what_would_be_built_otherwise(asked, field):
    plan = planning.plan(facts.spec(**asked), in_pods())

    (reason,) = plan.blocked
    assert (plan.steps, reason.code) == ((), "NotBuiltYet")
    assert reason.message.startswith(f"{field} is not acted on yet, so nothing is done: ")


@pytest.mark.parametrize(("asked", "_field"), ASKED)
def test_on_bare_hosts_it_is_a_warning_like_any_other(asked, _field):
    assert list(unbuilt.refused(facts.spec(**asked), facts.healthy())) == []


def test_what_is_built_is_not_refused():
    spec = facts.spec(mon={"count": 3}, network={"provider": "host"})
    assert list(unbuilt.refused(spec, in_pods())) == []


def test_a_cluster_that_goes_is_not_held_by_it():
    spec = facts.spec(storage={"storageClassDeviceSets": [SET]})
    plan = planning.plan(spec, in_pods(), deleting=True)
    assert "NotBuiltYet" not in [one.code for one in plan.blocked]
