"""Listeners are told in order, and never waited for while the run goes on."""

import threading
import time

from orchestrator.ansible import telling
from orchestrator.ansible.events import Progress


def progress(number):
    return Progress(run="7", playbook="x.yml", kind="ok", task=str(number))


def test_all_is_told_in_order_before_the_end():
    told = []

    with telling.queued(lambda one: told.append(one.task)) as tell:
        for number in range(1000):
            tell(progress(number))

    assert told == [str(number) for number in range(1000)]


def test_c53_a_slow_listener_holds_nothing_up(monkeypatch):
    monkeypatch.setattr(telling, "LAST_WORDS_SECONDS", 0.1)
    gate = threading.Event()
    begun = time.monotonic()

    with telling.queued(lambda _one: gate.wait(60)) as tell:
        for number in range(100):
            tell(progress(number))

    assert time.monotonic() - begun < 30
    gate.set()


def test_c53_what_waits_is_bounded(monkeypatch):
    monkeypatch.setattr(telling, "MOST_WAITING", 10)
    monkeypatch.setattr(telling, "LAST_WORDS_SECONDS", 0.1)
    gate, told = threading.Event(), []

    def listen(one):
        gate.wait(60)
        told.append(one)

    with telling.queued(listen) as tell:
        for number in range(10_000):
            tell(progress(number))
    gate.set()

    assert len(told) <= 11
