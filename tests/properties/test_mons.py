"""Whatever counts are asked for and whichever hosts come and go: the majority stays."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator import planning
from orchestrator.converge import Patience, converge
from orchestrator.reconcile import Result, World, observed
from tests.fakes.clusters import cluster, room
from tests.fakes.machines import Machines
from tests.fakes.stores import NOW, world

PATIENCE = Patience(seconds=2, sleep=lambda _seconds: None)
HOSTS = 6
NAMES = st.sampled_from([f"store-{number}" for number in range(1, HOSTS + 1)])


@dataclass
class Room:
    """Six hosts, what is asked of them, and the passes that an admin would make."""

    machines: Machines
    world: World
    count: int = 3

    def ask(self, count: int, **network: Any) -> None:
        self.count = count
        wanted = cluster(mon={"count": count}, mgr={"count": 1}, network=network)
        self.world.specs.cluster = wanted  # type: ignore[attr-defined]

    def run(self) -> Result:
        self.world.facts.clear()
        return converge(self.world.specs.cluster.key, self.world, PATIENCE)  # type: ignore[attr-defined]

    def settled(self) -> Result:
        for _ in range(20):
            result = self.run()
            if not result.failed:
                return result
        raise AssertionError(f"twenty runs did not converge: {result.plan}")

    def steady(self) -> bool:
        """All mons are there, so that one of their hosts may go without harm."""
        return len(self.machines.quorum()) == len(self.machines.members_in_map) > 2


def begun() -> Room:
    machines = room(HOSTS, 0)
    the_world = world(cluster(mon={"count": 3}, mgr={"count": 1}), machines)
    the_world.now = lambda: NOW + timedelta(seconds=machines.clock)
    found = Room(machines=machines, world=the_world)
    found.settled()
    return found


COUNTS = st.tuples(st.just("count"), st.integers(1, 5))
TROUBLES = st.tuples(st.sampled_from(["away", "back", "leave", "join"]), NAMES)
CUTS = st.tuples(st.just("cut"), st.integers(0, 12))
HOURS = st.tuples(st.just("hours"), st.integers(1, 3))
EVENTS = st.lists(st.one_of(COUNTS, TROUBLES, CUTS, HOURS), max_size=8)


def happen(found: Room, kind: str, value: object) -> None:
    machine = found.machines.machines.get(str(value))
    match kind, value:
        case "count", int():
            found.ask(value)
        case "cut", int():
            found.machines.cut_after = value
        case "hours", int():
            found.machines.clock += 3600 * value
        case "away", _ if machine and found.steady():
            machine.reachable = False
        case "back", _ if machine:
            machine.reachable = True
        case "leave" | "join", _ if machine:
            machine.listed = kind == "join"


@settings(max_examples=40)
@given(events=EVENTS)
def test_c27_c29_no_sequence_of_counts_hosts_and_cuts_loses_the_majority(
    events: list[tuple[str, object]],
) -> None:
    found = begun()
    for kind, value in events:
        happen(found, kind, value)
        found.run()
        assert "lost" not in found.machines.lowest_quorum
        assert found.machines.quorum()
        assert len(found.machines.members_in_map) >= 2
    assert_all_is_well_in_the_end(found)


def assert_all_is_well_in_the_end(found: Room) -> None:
    """With every host back, exactly the wanted mons are there, and nothing of others is left."""
    machines = found.machines
    machines.cut_after = None
    for machine in machines.machines.values():
        machine.reachable = machine.listed = True
    result = found.settled()
    assert result.plan.converged, result.plan
    members = machines.members_in_map
    assert sorted(machines.quorum()) == sorted(members)
    assert len(members) == max(2, found.count)
    held = sorted(unit.id for _, unit in machines.units("mon"))
    assert held == sorted(members)


@settings(max_examples=25)
@given(first=st.integers(1, 5), second=st.integers(1, 5), third=st.integers(1, 5))
def test_counts_are_reached_one_mon_at_a_time_and_no_id_is_used_twice(
    first: int, second: int, third: int
) -> None:
    found = begun()
    seen: set[str] = set()
    for count in (first, second, third):
        found.ask(count)
        members = set(found.machines.members_in_map)
        found.settled()
        after = found.machines.members_in_map
        assert len(after) == max(count, 2)
        assert abs(len(after) - len(members)) <= sum(
            run in {"mon.yml", "absent.yml"} for run in found.machines.runs
        )
        found.machines.runs.clear()
        assert not seen & (set(after) - members)
        seen |= members | set(after)


def test_c29_hours_without_a_look_and_then_one_failover() -> None:
    found = begun()
    found.machines.machines["store-3"].reachable = False
    found.run()
    assert set(found.machines.members_in_map) == {"a", "b", "c"}
    found.machines.clock += 7200
    found.run()
    assert set(found.machines.members_in_map) == {"a", "b", "d"}
    found.machines.machines["store-3"].reachable = True
    assert found.settled().plan.converged
    assert "mon.c" not in found.machines.machines["store-3"].units


MSGR2 = {"connections": {"requireMsgr2": True}}


@settings(max_examples=30)
@given(
    count=st.sampled_from([2, 3, 4, 5]),
    grudging=st.sets(st.sampled_from("abcde")),
    old=st.booleans(),
)
def test_peers_that_keep_a_mon_out_start_again_once_for_each_change_and_all_get_theirs(
    *, count: int, grudging: set[str], old: bool
) -> None:
    found = begun()
    found.ask(count, **(MSGR2 if old else {}))
    assert found.settled().plan.converged
    machines = found.machines
    machines.clock += 3600
    machines.grudging = set(grudging)
    found.ask(count, **({} if old else MSGR2))

    def sleep(seconds: float) -> None:
        machines.clock += seconds

    found.world.facts.clear()
    key = found.world.specs.cluster.key  # type: ignore[attr-defined]
    result = converge(key, found.world, Patience(seconds=200, sleep=sleep, clock=machines.time))

    assert result.plan.converged, result.plan
    members = machines.members_in_map
    assert sorted(machines.quorum()) == sorted(members)
    assert {addrs.count("v1:") for addrs in members.values()} == {1 if old else 0}
    assert len(machines.restarted_mons) == len(set(machines.restarted_mons))
    assert {name for name, _ in machines.restarted_mons} <= set(members)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((3, {}), (5, {})),
        ((5, {}), (3, {})),
        ((5, {}), (2, {})),
        ((3, {}), (1, {})),
        ((3, {}), (3, MSGR2)),
        ((3, MSGR2), (3, {})),
        ((5, {}), (3, MSGR2)),
    ],
)
def test_what_the_plan_lists_is_what_the_run_does(
    first: tuple[int, dict[str, Any]], second: tuple[int, dict[str, Any]]
) -> None:
    found = begun()
    found.ask(first[0], **first[1])
    assert found.settled().plan.converged
    found.ask(second[0], **second[1])
    found.world.facts.clear()
    asked = found.world.specs.cluster  # type: ignore[attr-defined]
    facts, _ = observed(asked.key, found.world, asked)
    plan = planning.plan(asked.spec, facts)
    done: list[tuple[str, str]] = []
    found.world.on_step = lambda _plan, step: done.extend(
        (str(one.action), one.subject) for one in step.changes
    )

    assert found.settled().plan.converged
    assert done == [(str(one.action), one.subject) for one in plan.changes]
