"""From any start and after any cut, passes end in an empty plan, and nothing is lost on the way."""

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.converge import Patience, converge
from orchestrator.reconcile import Result, World, reconcile
from tests.fakes.clusters import cluster, room
from tests.fakes.stores import world

if TYPE_CHECKING:
    from tests.fakes.machines import Machines

PATIENCE = Patience(seconds=4, sleep=lambda _seconds: None)
ROOMS = st.tuples(st.integers(1, 6), st.integers(0, 3))


def settled(the_world: World) -> Result:
    """Passes as an admin would make them: again after each failure, a bounded number of times."""
    key = the_world.specs.cluster.key  # type: ignore[attr-defined]
    for _ in range(20):
        result = converge(key, the_world, PATIENCE)
        if not result.failed:
            return result
    raise AssertionError("twenty runs did not converge")


@settings(max_examples=120)
@given(size=ROOMS, cuts=st.lists(st.integers(0, 30), max_size=4), mons=st.integers(1, 5))
def test_any_cut_of_a_creation_is_mended(size: tuple[int, int], cuts: list[int], mons: int) -> None:
    hosts, disks = size
    machines = room(hosts, disks)
    the_world = world(cluster(mon={"count": min(mons, hosts)}, mgr={"count": 1}), machines)
    for cut in cuts:
        machines.cut_after = cut
        converge(the_world.specs.cluster.key, the_world, PATIENCE)  # type: ignore[attr-defined]
    machines.cut_after = None
    result = settled(the_world)
    assert result.plan.converged, result.plan
    assert len(machines.fsids) == 1
    assert len(machines.quorum()) == min(mons, hosts)
    assert len(machines.osds) == hosts * disks


@settings(max_examples=120)
@given(
    data=st.data(),
    damage=st.lists(st.sampled_from(["stop", "disable", "drift", "keyring", "record"]), max_size=6),
)
def test_any_damage_is_mended_and_the_majority_kept(data: st.DataObject, damage: list[str]) -> None:
    machines = room(3, 2)
    the_world = world(cluster(mon={"count": 3}, mgr={"count": 2}), machines)
    settled(the_world)
    units = [unit for machine in machines.machines.values() for unit in machine.units.values()]
    for kind in damage:
        unit = data.draw(st.sampled_from(units))
        harm(unit, kind)
    the_world.facts.clear()
    machines.lowest_quorum.clear()
    had_quorum = bool(machines.quorum())
    result = settled(the_world)
    assert result.plan.converged, result.plan
    assert all(unit.active == "active" and unit.enabled and not unit.drifted for unit in units)
    if had_quorum and "stop" not in damage:
        assert "lost" not in machines.lowest_quorum


def harm(unit: object, kind: str) -> None:
    changes = {
        "stop": ("active", "inactive"),
        "disable": ("enabled", False),
        "drift": ("drifted", ["/etc/systemd/system/x.conf: missing"]),
        "keyring": ("keyring", False),
        "record": ("record", "0000"),
    }
    name, value = changes[kind]
    setattr(unit, name, value)


@settings(max_examples=80)
@given(contents=st.lists(st.sampled_from(["", "ext4", "LVM2_member"]), min_size=3, max_size=3))
def test_a_disk_that_holds_anything_is_never_prepared(contents: list[str]) -> None:
    machines = room(3, 1)
    for machine, content in zip(machines.machines.values(), contents, strict=True):
        machine.disks[0].content = content
    the_world = world(cluster(mon={"count": 3}), machines)
    result = settled(the_world)
    assert result.plan.converged
    held = [machine.disks[0].osd is not None for machine in machines.machines.values()]
    assert held == [content == "" for content in contents]


@settings(max_examples=60)
@given(silent=st.sets(st.integers(1, 3), min_size=1))
def test_a_silent_host_never_begins_a_second_cluster(silent: set[int]) -> None:
    machines = room(3, 1)
    the_world = world(cluster(mon={"count": 1}), machines)
    for number in silent:
        machines.machines[f"store-{number}"].reachable = False
    result = converge(the_world.specs.cluster.key, the_world, PATIENCE)  # type: ignore[attr-defined]
    assert not machines.fsids
    assert {reason.code for reason in result.plan.blocked} == {"ClusterStateUnknown"}


@settings(max_examples=40)
@given(grown=st.integers(2, 5))
def test_mons_are_added_one_at_a_time(grown: int) -> None:
    machines: Machines = room(5, 0)
    the_world = world(cluster(mon={"count": 1}), machines)
    settled(the_world)
    the_world.specs.cluster = cluster(mon={"count": grown})  # type: ignore[attr-defined]
    members = []
    for _ in range(grown - 1):
        reconcile(the_world.specs.cluster.key, the_world)  # type: ignore[attr-defined]
        members.append(len(machines.quorum()))
    assert members == list(range(2, grown + 1))


def test_an_unchanged_cluster_needs_one_look_and_no_run() -> None:
    machines = room(3, 2)
    the_world = world(cluster(), machines)
    settled(the_world)
    the_world.facts.clear()
    machines.runs.clear()
    result = settled(the_world)
    assert result.plan.converged
    assert machines.runs == ["facts.yml"]


def test_a_creation_that_was_cut_before_its_settings_gets_them_later() -> None:
    machines = room(3, 1)
    the_world = world(cluster(mon={"count": 3}), machines)
    machines.cut_after = 9
    reconcile(the_world.specs.cluster.key, the_world)  # type: ignore[attr-defined]
    assert machines.quorum()
    assert not machines.config
    settled(the_world)
    assert machines.config["global", "auth_allow_insecure_global_id_reclaim"] == "false"


@settings(max_examples=40)
@given(counts=st.tuples(st.integers(1, 3), st.integers(1, 3)), cut=st.integers(0, 8))
def test_mgrs_follow_the_count_through_any_cut(counts: tuple[int, int], cut: int) -> None:
    machines = room(3, 0)
    the_world = world(cluster(mgr={"count": counts[0], "allowMultiplePerNode": True}), machines)
    settled(the_world)
    the_world.specs.cluster = cluster(  # type: ignore[attr-defined]
        mgr={"count": counts[1], "allowMultiplePerNode": True}
    )
    machines.cut_after = cut
    converge(the_world.specs.cluster.key, the_world, PATIENCE)  # type: ignore[attr-defined]
    machines.cut_after = None
    assert settled(the_world).plan.converged
    assert len(list(machines.units("mgr"))) == counts[1]


@settings(max_examples=80)
@given(
    outdated=st.sets(st.integers(0, 5)),
    refused=st.sets(st.integers(0, 5)),
    together=st.integers(1, 4),
    cuts=st.lists(st.integers(0, 6), max_size=2),
)
def test_no_osd_is_stopped_that_ceph_wants_running(
    outdated: set[int], refused: set[int], together: int, cuts: list[int]
) -> None:
    machines = room(3, 2)
    the_world = world(cluster(mon={"count": 3}), machines)
    settled(the_world)
    units = {int(unit.id): unit for _, unit in machines.units("osd")}
    for osd in outdated:
        units[osd].record = "0000.net"
    machines.refusals = dict.fromkeys(refused, "pg 1.0 would become inactive")
    machines.together = together
    the_world.facts.clear()
    for cut in cuts:
        machines.cut_after = cut
        converge(the_world.specs.cluster.key, the_world, PATIENCE)  # type: ignore[attr-defined]
    machines.cut_after = None
    result = settled(the_world)
    stopped = {osd for batch in machines.restarted for osd in batch}
    assert stopped <= outdated - refused
    assert {osd for osd, unit in units.items() if unit.record == "0000.net"} == outdated & refused
    assert bool(result.plan.blocked) == bool(outdated & refused)
    machines.refusals.clear()
    assert settled(the_world).plan.converged
