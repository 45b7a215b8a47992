"""A mgr that runs and is not listed yet is worth a wait, and holds nothing up."""

from orchestrator import planning
from orchestrator.reconcile import reconcile
from tests.fakes.clusters import cluster, room
from tests.fakes.stores import world


def test_a_mgr_that_ceph_does_not_list_yet_is_waited_for() -> None:
    machines = room(3, 0)
    the_world = world(cluster(mgr={"count": 2}), machines)
    machines.unlisted_mgrs = {"b"}
    for _ in range(3):
        result = reconcile(the_world.specs.cluster.key, the_world)  # type: ignore[attr-defined]
    assert [(reason.code, reason.transient) for reason in result.plan.blocked] == [
        ("MgrStarting", True)
    ]
    assert "mgr.b on store-2" in result.plan.blocked[0].message
    machines.unlisted_mgrs = set()
    the_world.facts.clear()
    result = reconcile(the_world.specs.cluster.key, the_world)  # type: ignore[attr-defined]
    assert planning.plan(cluster(mgr={"count": 2}).spec, result.facts).converged  # type: ignore[arg-type]
