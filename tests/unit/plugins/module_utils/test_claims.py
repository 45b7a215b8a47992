"""Rivals for one lock, step by step in every order that hypothesis thinks of: never two holders."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import claims
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.claims import Claim
from hypothesis import given, settings
from hypothesis import strategies as st

SECONDS = 300.0


def claim(owner="a", *, expires=SECONDS, held=True, seconds=SECONDS):
    return Claim(f"root@{owner}", owner, seconds, expires, held)


@dataclass
class Memory:
    """A store as Ceph's: what was written is seen by all who read later."""

    stored: dict[str, Claim] = field(default_factory=dict)
    turn: Callable[[], None] = lambda: None
    log: list[str] = field(default_factory=list)

    def claims(self):
        self.turn()
        return dict(self.stored)

    def put(self, one):
        self.turn()
        self.log.append(f"put {one.id} {'held' if one.held else 'asking'}")
        self.stored[one.id] = one

    def remove(self, claim_id):
        self.turn()
        self.log.append(f"remove {claim_id}")
        self.stored.pop(claim_id, None)


def take(store, mine, now=0.0):
    return claims.take(store, mine, lambda: now, lambda _seconds: None)


def test_a_free_lock_is_asked_for_and_then_held():
    store = Memory()

    assert take(store, claim("a")) is None
    assert store.log == ["put a asking", "put a held"]
    assert store.stored["a"].expires == SECONDS


def test_a_lock_of_another_is_left_alone_and_named():
    store = Memory({"b": claim("b")})

    assert take(store, claim("a"), now=10.0) == claim("b")
    assert store.log == []


def test_our_own_lock_is_taken_for_longer_at_once():
    store = Memory({"a": claim("a")})

    assert take(store, claim("a"), now=100.0) is None
    assert store.log == ["put a held"]
    assert store.stored["a"].expires == 400.0


def test_a_lock_that_ended_is_taken_over_and_swept_away():
    store = Memory({"b": claim("b")})

    assert take(store, claim("a"), now=303.0) is None
    assert set(store.stored) == {"a"}


def test_others_wait_a_little_longer_than_the_owner_may_go_on():
    assert claims.seconds_left(claim("b"), 301.0) == pytest.approx(1.0)
    assert claims.seconds_left(claim("b"), 302.0) == 0.0


def test_a_clock_that_was_set_back_locks_nobody_out():
    assert claims.seconds_left(claim("b", expires=90_000.0), 0.0) == 0.0


def test_a_rival_that_only_asks_is_not_waited_for_long():
    store = Memory({"b": claim("b", held=False, seconds=10.0, expires=10.0)})

    assert take(store, claim("a"), now=1.0).id == "b"
    assert take(store, claim("a"), now=13.0) is None


def test_who_asks_does_not_stop_the_owner():
    store = Memory({"a": claim("a"), "b": claim("b", held=False, seconds=10.0, expires=110.0)})

    assert take(store, claim("a"), now=100.0) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"owner": "x"}', '{"expires": "soon"}'])
def test_what_is_no_claim_is_nobodys(text):
    assert claims.parsed(text) is None


def test_a_claim_survives_its_text():
    assert claims.parsed(claim("a").text()) == claim("a")


class Turns:
    """Lets one of the threads do one operation at a time, in the order given."""

    def __init__(self, order):
        self.order = list(order)
        self.ready = {}
        self.changed = threading.Condition()
        self.turn = None

    def wait(self, name):
        with self.changed:
            self.ready[name] = True
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.turn == name)
            self.turn = None
            self.ready[name] = False
            self.changed.notify_all()

    def run(self, names, alive):
        while alive():
            with self.changed:
                self.changed.wait_for(
                    lambda: (
                        all(self.ready.get(one) or one not in alive() for one in names)
                        and self.turn is None
                    )
                )
                waiting = [one for one in names if one in alive() and self.ready.get(one)]
                if not waiting:
                    continue
                pick = self.order.pop(0) % len(waiting) if self.order else 0
                self.turn = waiting[pick]
                self.ready[self.turn] = False
                self.changed.notify_all()


@settings(max_examples=60)
@given(
    order=st.lists(st.integers(0, 2), max_size=60),
    earlier=st.sampled_from(["none", "ended", "own", "ended own"]),
)
def test_two_never_hold_whatever_the_order(order, earlier):
    before = {
        "none": {},
        "ended": {"old": claim("old", expires=-5.0)},
        "own": {"a": claim("a", expires=50.0)},
        "ended own": {"a": claim("a", expires=-5.0)},
    }[earlier]
    names, ended, results = ["a", "b", "c"], set(), {}
    turns, memory = Turns(order), Memory(dict(before))

    def contend(name):
        store = replace(memory, turn=lambda: turns.wait(name))
        results[name] = claims.take(store, claim(name), lambda: 0.0, lambda _seconds: None)
        with turns.changed:
            ended.add(name)
            turns.changed.notify_all()

    threads = [threading.Thread(target=contend, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    turns.run(names, lambda: [one for one in names if one not in ended])
    holders = [name for name in names if results[name] is None]
    assert len(holders) <= 1
    assert [one.id for one in memory.stored.values() if one.held and one.id in names] == holders
    if earlier == "own":
        assert holders == ["a"]
