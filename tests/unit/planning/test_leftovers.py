"""Users of a preparation that was cut off are removed, and nobody else's."""

import pytest

from orchestrator.converge import Patience, converge
from orchestrator.reconcile import reconcile
from tests.fakes.clusters import cluster, room
from tests.fakes.stores import world

BOOTSTRAP = "client.bootstrap-osd"
OURS = "client.ceph-orchestrator-osd"
PATIENCE = Patience(seconds=0, sleep=lambda _seconds: None)


@pytest.mark.parametrize(
    ("users", "left"),
    [
        ({BOOTSTRAP, OURS, "client.admin"}, {"client.admin"}),
        ({OURS}, set()),
        ({BOOTSTRAP}, {BOOTSTRAP}),
        (set(), set()),
    ],
    ids=["both", "ours", "somebody's bootstrap key", "none"],
)
def test_only_what_we_made_is_removed(users: set[str], left: set[str]) -> None:
    machines = room(3, 1)
    the_world = world(cluster(), machines)
    key = the_world.specs.cluster.key  # type: ignore[attr-defined]
    converge(key, the_world, PATIENCE)
    machines.users = set(users)
    the_world.facts.clear()
    machines.runs.clear()
    result = converge(key, the_world, PATIENCE)
    assert result.plan.converged
    assert machines.users == left
    assert machines.runs == (["facts.yml", "config.yml"] if OURS in users else ["facts.yml"])


def test_a_step_that_makes_osds_removes_them_itself() -> None:
    machines = room(3, 1)
    the_world = world(cluster(storage={"useAllNodes": True}), machines)
    key = the_world.specs.cluster.key  # type: ignore[attr-defined]
    converge(key, the_world, PATIENCE)
    machines.users = {BOOTSTRAP, OURS}
    the_world.facts.clear()
    the_world.specs.cluster = cluster()  # type: ignore[attr-defined]
    reconcile(key, the_world)
    assert machines.runs[-1] == "osd.yml"
