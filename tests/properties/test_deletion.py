"""A deletion that is cut anywhere goes on to its end, and takes nothing that is not its own."""

import copy
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.converge import converge
from orchestrator.reconcile import World
from tests.fakes.clusters import cluster, room
from tests.fakes.machines import Disk, Machines, Unit
from tests.fakes.stores import Specs, world
from tests.properties.test_convergence import PATIENCE, settled

OTHER = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
WORDS = {"confirmation": "yes-really-destroy-data"}
SPEC = {"mon": {"count": 3}, "mgr": {"count": 2}}


def made() -> tuple[Machines, World]:
    """A cluster, with another one's disk and stopped OSD on one of its hosts.

    A mon was taken off another host before, and a daemon crashed.
    """
    machines = room(4, 2)
    machines.machines["store-2"].disks.append(
        Disk("sdx", "ceph_bluestore", {"id": 7, "uuid": "u7", "fsid": OTHER})
    )
    machines.machines["store-2"].units["osd.7"] = Unit("osd", "7", OTHER, enabled=False)
    machines.machines["store-4"].put_aside.append({"type": "mon", "id": "x", "fsid": OTHER})
    the_world = world(cluster(**SPEC), machines)
    settled(the_world)
    (fsid,) = machines.fsids
    machines.machines["store-4"].put_aside.append({"type": "mon", "id": "d", "fsid": fsid})
    machines.machines["store-1"].crash_dumps = 3
    return machines, the_world


def turned(the_world: World, *, deleting: bool, **spec: object) -> None:
    wanted = replace(cluster(**{**SPEC, **spec}), deleting=deleting)
    assert isinstance(the_world.specs, Specs)
    the_world.specs.cluster = wanted
    the_world.facts.clear()


def deleted(machines: Machines, the_world: World, cuts: list[int]) -> None:
    for cut in cuts:
        machines.cut_after = cut
        converge(the_world.specs.cluster.key, the_world, PATIENCE)  # type: ignore[attr-defined]
        the_world.facts.clear()
    machines.cut_after = None
    assert settled(the_world).plan.converged
    assert the_world.identities.remembered(the_world.specs.cluster.key) is None  # type: ignore[attr-defined]


def theirs(machines: Machines) -> tuple[Disk, Unit]:
    machine = machines.machines["store-2"]
    return copy.deepcopy((machine.disks[-1], machine.units["osd.7"]))


@settings(max_examples=40)
@given(cuts=st.lists(st.integers(0, 25), max_size=3))
def test_what_was_deleted_without_the_words_comes_back_as_it_was(cuts: list[int]) -> None:
    machines, the_world = made()
    before, other = copy.deepcopy(machines.osds), theirs(machines)
    turned(the_world, deleting=True)
    deleted(machines, the_world, cuts)
    units = [unit for one in machines.machines.values() for unit in one.units.values()]
    assert not any(unit.active == "active" or unit.enabled or unit.record for unit in units)
    assert not any(machine.conf for machine in machines.machines.values())
    turned(the_world, deleting=False)
    assert settled(the_world).plan.converged
    assert (len(machines.fsids), machines.osds, theirs(machines)) == (1, before, other)
    assert len(machines.quorum()) == 3


@settings(max_examples=40)
@given(cuts=st.lists(st.integers(0, 25), max_size=3))
def test_with_the_words_nothing_is_left_and_the_next_cluster_is_another(cuts: list[int]) -> None:
    machines, the_world = made()
    other = theirs(machines)
    turned(the_world, deleting=True, cleanupPolicy=WORDS)
    deleted(machines, the_world, cuts)
    assert [unit for one in machines.machines.values() for unit in one.units] == ["osd.7"]
    held = [disk.name for one in machines.machines.values() for disk in one.disks if disk.osd]
    assert held == ["sdx"]
    assert [one["fsid"] for one in machines.machines["store-4"].put_aside] == [OTHER]
    assert machines.machines["store-1"].crash_dumps == 0
    assert theirs(machines) == other


@settings(max_examples=20)
@given(silent=st.integers(1, 3))
def test_a_silent_host_keeps_the_identity(silent: int) -> None:
    machines, the_world = made()
    machines.machines[f"store-{silent}"].reachable = False
    turned(the_world, deleting=True, cleanupPolicy=WORDS)
    key = the_world.specs.cluster.key  # type: ignore[attr-defined]
    result = converge(key, the_world, PATIENCE)
    assert [one.host for one in result.plan.blocked] == [f"store-{silent}"]
    assert the_world.identities.remembered(key) is not None
    status = the_world.statuses.get(key)
    assert (status["phase"], f"store-{silent}" in status["message"]) == ("Deleting", True)
    machines.machines[f"store-{silent}"].reachable = True
    the_world.facts.clear()
    deleted(machines, the_world, [])
