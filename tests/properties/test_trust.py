"""What the plan lists is what the run does: the same changes, hosts and order."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator import planning
from orchestrator.converge import Patience, converge
from orchestrator.model.names import ClusterKey
from orchestrator.model.plan import Plan, Step
from orchestrator.reconcile import World, observed
from tests.fakes.clusters import cluster, room
from tests.fakes.stores import world

KEY = ClusterKey("rook-ceph", "test")
PATIENCE = Patience(seconds=4, sleep=lambda _seconds: None)
HOSTS, DISKS = 4, 3

OPTIONS = st.dictionaries(
    st.sampled_from(["global", "mon", "osd", "mgr"]),
    st.dictionaries(
        st.sampled_from(["debug_ms", "osd_max_backfills", "mon_data_avail_warn"]),
        st.sampled_from(["1", "2", "3"]),
        max_size=2,
    ),
    max_size=3,
)
MODULES = st.lists(st.sampled_from(["prometheus", "alerts", "stats"]), unique=True, max_size=3)
DEVICES = st.one_of(
    st.just({"useAllDevices": True}),
    st.sampled_from(["^sda$", "^sd[ab]$", "^sd[a-c]$"]).map(lambda text: {"deviceFilter": text}),
    st.lists(st.sampled_from(["sda", "sdb", "sdc"]), unique=True, max_size=3).map(
        lambda names: {"devices": [{"name": name} for name in names]}
    ),
)


@st.composite
def manifests(draw: st.DrawFn) -> dict[str, Any]:
    """A whole spec; from one to the next any number of its parts changes."""
    modules = draw(MODULES)
    return {
        "mon": {"count": draw(st.sampled_from([1, 3]))},
        "mgr": {
            "count": draw(st.integers(1, 2)),
            "modules": [{"name": name, "enabled": draw(st.booleans())} for name in modules],
        },
        "cephConfig": draw(OPTIONS),
        "storage": {"useAllNodes": True, **draw(DEVICES)},
    }


def lines(steps: tuple[Step, ...]) -> list[tuple[str, str, str, str | None]]:
    return [
        (type(step).__name__, str(change.action), change.subject, change.host)
        for step in steps
        for change in step.changes
    ]


def planned(the_world: World) -> Plan:
    the_world.facts.clear()
    asked = the_world.specs.cluster  # type: ignore[attr-defined]
    facts, _ = observed(KEY, the_world, asked)
    return planning.plan(asked.spec, facts)


@settings(max_examples=30)
@given(specs=st.lists(manifests(), min_size=2, max_size=3))
def test_a_run_does_what_the_plan_lists_and_nothing_else(specs: list[dict[str, Any]]) -> None:
    the_world = world(cluster(**specs[0]), room(HOSTS, DISKS))
    for spec in specs:
        the_world.specs.cluster = cluster(**spec)  # type: ignore[attr-defined]
        announced = planned(the_world)
        done: list[Step] = []
        the_world.on_step = lambda _plan, step, done=done: done.append(step)  # type: ignore[misc]
        the_world.facts.clear()
        result = converge(KEY, the_world, PATIENCE)
        assert not result.failed
        assert lines(tuple(done)) == lines(announced.steps)
        assert planned(the_world).steps == ()
