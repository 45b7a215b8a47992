"""A daemon that runs and has not reported yet is worth a wait, and holds nothing up."""

from orchestrator import planning
from orchestrator.converge import Patience, converge
from orchestrator.model.names import ClusterKey
from orchestrator.reconcile import World, reconcile
from tests.fakes.clusters import cluster, room
from tests.fakes.machines import Machines
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


def with_an_osd_that_boots() -> tuple[Machines, World, ClusterKey]:
    """A cluster that was converged, and whose osd.1 is not up any more."""
    machines = room(2, 1)
    the_world = world(cluster(mon={"count": 1}), machines)
    key = the_world.specs.cluster.key  # type: ignore[attr-defined]
    converge(key, the_world, Patience(seconds=0, sleep=lambda _seconds: None))
    machines.osds[1]["up"] = False
    the_world.facts.clear()
    return machines, the_world, key


def test_an_osd_that_boots_is_waited_for() -> None:
    _, the_world, key = with_an_osd_that_boots()
    result = reconcile(key, the_world)
    assert not result.plan.steps
    assert [(reason.code, reason.transient) for reason in result.plan.blocked] == [
        ("OsdStarting", True)
    ]
    assert result.plan.blocked[0].message == (
        "running, and not up in Ceph's view: osd.1 on store-2"
    )


def test_a_run_ends_when_the_osd_is_up() -> None:
    machines, the_world, key = with_an_osd_that_boots()

    def boot(_seconds: float) -> None:
        machines.osds[1]["up"] = True

    result = converge(key, the_world, Patience(seconds=10, sleep=boot))
    assert result.plan.converged
