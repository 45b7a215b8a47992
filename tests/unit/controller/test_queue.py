"""The queue: each key once, one at work, none forgotten, and no way round a pause."""

import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from orchestrator.controller.queue import NUDGE_SECONDS, Backoff, WorkQueue
from orchestrator.model.names import ClusterKey

A, B, C = (ClusterKey("ns", name) for name in "abc")


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(clock):
    return WorkQueue(clock=clock)


def test_a_key_that_was_added_twice_comes_once(queue):
    queue.add(A)
    queue.add(A)

    assert queue.get(0) == A
    assert queue.get(0) is None


def test_keys_come_in_the_order_in_which_they_are_due(queue, clock):
    queue.nudge(B, 2)
    queue.add(A)
    assert queue.get(0) == A
    assert queue.get(0) is None

    clock.now += 2
    assert queue.get(0) == B


def test_a_key_at_work_does_not_come_again_before_it_is_done(queue):
    queue.add(A)
    queue.get(0)
    queue.add(A)
    assert queue.get(0) is None

    queue.done(A, again=300)

    assert queue.get(0) == A


def test_what_is_added_during_work_comes_before_the_pause_that_the_pass_asked_for(queue):
    queue.add(A)
    queue.get(0)
    queue.add(A)
    queue.done(A, again=300)

    assert queue.get(0) == A
    queue.done(A)
    assert queue.get(0) is None


def test_a_nudge_during_work_does_not_shorten_the_pause_after_a_failure(queue, clock):
    queue.add(A)
    queue.get(0)
    queue.nudge(A)
    queue.done(A, again=60, hold=True)

    clock.now += 59
    assert queue.get(0) is None
    clock.now += 1
    assert queue.get(0) == A


def test_a_nudge_during_work_makes_one_more_pass_when_none_was_asked_for(queue, clock):
    queue.add(A)
    queue.get(0)
    queue.nudge(A)
    queue.nudge(A)
    queue.done(A)

    assert queue.get(0) is None
    clock.now += NUDGE_SECONDS
    assert queue.get(0) == A
    queue.done(A)
    clock.now += 1000
    assert queue.get(0) is None


def test_what_is_no_echo_comes_before_a_pause_after_a_failure_that_has_begun(queue, clock):
    queue.add(A)
    queue.get(0)
    queue.done(A, again=300, hold=True)
    queue.wake(A, 2)

    assert queue.get(0) is None
    clock.now += 2
    assert queue.get(0) == A


def test_what_is_no_echo_and_comes_during_work_comes_before_the_pause_of_its_failure(queue):
    queue.add(A)
    queue.get(0)
    queue.wake(A, 2)
    assert queue.get(0) is None
    queue.done(A, again=300, hold=True)

    assert queue.get(0) == A


def test_an_edit_comes_before_a_pause_that_has_begun(queue, clock):
    queue.add(A)
    queue.get(0)
    queue.done(A, again=300)
    queue.add(A)

    assert queue.get(0) == A
    queue.done(A)
    clock.now += 300
    assert queue.get(0) is None


def test_a_nudge_does_not_shorten_a_pause_after_a_failure_that_has_begun(queue, clock):
    queue.add(A)
    queue.get(0)
    queue.done(A, again=300, hold=True)
    queue.nudge(A)

    clock.now += 299
    assert queue.get(0) is None
    clock.now += 1
    assert queue.get(0) == A
    queue.done(A)
    queue.nudge(A)
    clock.now += NUDGE_SECONDS
    assert queue.get(0) == A


@pytest.mark.parametrize("during", [True, False])
def test_a_nudge_comes_before_the_next_look_that_was_due_anyway(queue, clock, during):
    queue.add(A)
    queue.get(0)
    if during:
        queue.nudge(A)
    queue.done(A, again=600)
    if not during:
        queue.nudge(A)

    clock.now += NUDGE_SECONDS
    assert queue.get(0) == A
    queue.done(A)
    clock.now += 600
    assert queue.get(0) is None


def test_a_key_that_is_forgotten_does_not_come(queue):
    queue.add(A)
    queue.add(B)
    queue.forget(A)

    assert queue.get(0) == B
    assert queue.get(0) is None


def test_only_what_is_due_counts_as_depth(queue, clock):
    queue.add(A)
    queue.add(B)
    queue.nudge(C, 10)
    assert queue.depth() == 2

    queue.get(0)
    assert queue.depth() == 1
    clock.now += 10
    assert queue.depth() == 2


def test_closing_lets_those_who_wait_go():
    queue = WorkQueue()
    found = []
    waiting = threading.Thread(target=lambda: found.append(queue.get()))
    waiting.start()

    queue.close()
    waiting.join(10)

    assert found == [None]


def test_who_waits_gets_what_is_added_later():
    queue = WorkQueue()
    found = []
    waiting = threading.Thread(target=lambda: found.append(queue.get()))
    waiting.start()

    queue.add(A)
    waiting.join(10)

    assert found == [A]


def test_each_key_comes_to_one_of_many_takers():
    queue = WorkQueue()
    keys = [ClusterKey("ns", str(number)) for number in range(200)]
    at_work: Counter[ClusterKey] = Counter()
    seen: list[ClusterKey] = []

    def take():
        while (key := queue.get()) is not None:
            at_work[key] += 1
            assert at_work[key] == 1
            seen.append(key)
            at_work[key] -= 1
            queue.done(key)
            if len(seen) >= len(keys):
                queue.close()

    takers = [threading.Thread(target=take) for _ in range(8)]
    for taker in takers:
        taker.start()
    for key in keys:
        queue.add(key)
    for taker in takers:
        taker.join(30)

    assert sorted(seen) == sorted(keys)


class Life(RuleBasedStateMachine):
    """A model beside the queue: what must come, and what is at work."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.queue = WorkQueue(clock=self.clock)
        self.at_work: set[ClusterKey] = set()
        self.asked: set[ClusterKey] = set()

    @rule(key=st.sampled_from([A, B, C]))
    def add(self, key):
        self.queue.add(key)
        self.asked.add(key)

    @rule(key=st.sampled_from([A, B, C]), seconds=st.floats(0, 50))
    def nudge(self, key, seconds):
        self.queue.nudge(key, seconds)

    @rule(seconds=st.floats(0, 100))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule()
    def get(self):
        key = self.queue.get(0)
        if key is not None:
            assert key not in self.at_work
            self.at_work.add(key)
            self.asked.discard(key)

    @precondition(lambda self: self.at_work)
    @rule(data=st.data(), again=st.none() | st.floats(0, 500), hold=st.booleans())
    def done(self, data, again, hold):
        key = data.draw(st.sampled_from(sorted(self.at_work)))
        self.at_work.discard(key)
        self.queue.done(key, again, hold=hold and again is not None)

    @invariant()
    def what_was_asked_for_is_due_or_follows_the_pass_at_work(self):
        due = {key for key, when in self.queue._due.items() if when <= self.clock.now}
        assert self.asked <= due | self.at_work

    def teardown(self):
        for key in sorted(self.at_work):
            self.queue.done(key)
        self.clock.now += 1000
        left = set()
        while (key := self.queue.get(0)) is not None:
            assert key not in left
            left.add(key)
        assert self.asked <= left


TestLife = Life.TestCase


def test_pauses_double_up_to_a_ceiling_and_begin_anew_after_success():
    backoff = Backoff(first=2.0, ceiling=20.0)

    assert [backoff.failed(A) for _ in range(6)] == [2.0, 4.0, 8.0, 16.0, 20.0, 20.0]
    assert backoff.failed(B) == 2.0

    backoff.succeeded(A)
    assert backoff.failed(A) == 2.0


@given(st.integers(1, 3000))
def test_no_number_of_failures_breaks_the_ceiling(count):
    backoff = Backoff()
    pauses = [backoff.failed(A) for _ in range(count)]

    assert pauses == sorted(pauses)
    assert pauses[-1] <= 300.0
