"""Bars on an axis: in order, in bounds, and few enough to be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.report.tasks import TaskResult, TaskState
from orchestrator.report.timeline import (
    AXIS,
    MOST_BARS,
    MOST_LANES,
    MOST_TICKS,
    Bar,
    Span,
    duration,
    ticks,
    timeline,
)

RUN = Span(name="mon", start=100.0, end=110.0)


def task(host="store-1", start=100.0, seconds=1.0, state=TaskState.OK, name="Do it"):
    return TaskResult(
        run="1", role="mon", task=name, host=host, start=start, seconds=seconds, state=state
    )


def test_bars_are_thousandths_of_the_whole_time():
    facts = Span(name="facts", start=95.0, end=100.0)
    found = timeline([facts, RUN], [task(start=102.5, seconds=3.0, state=TaskState.CHANGED)])

    assert found.seconds == 15.0
    assert found.runs == (
        Bar(x=0.0, width=333.3, kind="run", title="facts: 5.0 s"),
        Bar(x=333.3, width=666.7, kind="run", title="mon: 10 s"),
    )
    assert found.lanes[0].bars == (
        Bar(x=500.0, width=200.0, kind="changed", title="Do it: changed, 3.0 s"),
    )


def test_a_lane_says_in_words_what_it_shows():
    states = (TaskState.OK, TaskState.CHANGED, TaskState.FAILED, TaskState.UNREACHABLE)
    found = timeline([RUN], [task(state=state) for state in states])

    assert found.lanes[0].label == "store-1: 4 tasks, 1 changed, 2 failed, 4.0 s of work"


def test_hosts_that_failed_and_the_busiest_are_drawn_and_the_rest_counted():
    many = [task(f"store-{n}", seconds=n / 100) for n in range(MOST_LANES + 40)]
    failed = task("store-0", seconds=0.0, state=TaskState.FAILED)

    found = timeline([RUN], [*many, failed])

    names = [lane.name for lane in found.lanes]
    assert (len(names), found.omitted) == (MOST_LANES, 40)
    assert names[0] == "store-0"
    assert names[1:] == [f"store-{n}" for n in range(41, MOST_LANES + 40)]


def test_of_a_crowded_lane_what_tells_most_is_drawn():
    short = [task(start=100 + n / 1000, seconds=0.001) for n in range(MOST_BARS + 50)]
    marked = [
        task(start=101, state=state, seconds=0.0) for state in (TaskState.FAILED, TaskState.CHANGED)
    ]

    (lane,) = timeline([RUN], [*short, *marked]).lanes

    assert (len(lane.bars), lane.omitted) == (MOST_BARS, 52)
    assert {"failed", "changed"} <= {bar.kind for bar in lane.bars}


@given(
    st.lists(
        st.tuples(st.floats(-50, 500), st.floats(0, 500), st.sampled_from(list(TaskState))),
        max_size=30,
    )
)
def test_no_bar_leaves_the_axis_or_is_too_thin_to_see(times):
    tasks = [task(start=start, seconds=seconds, state=state) for start, seconds, state in times]
    found = timeline([RUN], tasks)

    for bar in (bar for lane in found.lanes for bar in lane.bars):
        assert bar.width >= 1.5
        assert bar.x >= 0
        assert bar.x + bar.width <= AXIS + 0.11


def test_nothing_at_all_is_a_timeline_too():
    found = timeline([], [])

    assert (found.runs, found.lanes, found.omitted) == ((), (), 0)


@given(st.floats(0.001, 1_000_000))
def test_marks_are_few_and_fit(seconds):
    found = ticks(seconds)

    assert 1 <= len(found) <= MOST_TICKS + 1
    assert (found[0].at, found[0].text) == (0, "0")
    assert all(tick.at <= 92 for tick in found)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0.0 s"), (0.44, "0.4 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s")],
)
def test_durations_are_as_exact_as_helps(seconds, expected):
    assert duration(seconds) == expected
