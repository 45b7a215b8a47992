"""Terms of leadership: what /healthz hears of them."""

import threading
from types import SimpleNamespace

import pytest

from orchestrator.controller.lease import Times
from orchestrator.controller.metrics import Metrics
from orchestrator.controller.signals import Signals
from orchestrator.controller.terms import Terms
from tests.waiting import eventually


def terms(confirm):
    lease = SimpleNamespace(
        held=False, confirm=confirm, release=lambda: None, times=Times(retry=0), identity="me"
    )
    return Terms(lease=lease, make=None, signals=Signals(), metrics=Metrics())


def serving(one):
    thread = threading.Thread(target=one.serve, daemon=True)
    thread.start()
    return thread


def ended(one, thread):
    one.signals.ending = True
    one.signals.woken.set()
    thread.join(20)
    return not thread.is_alive()


def test_who_waits_for_the_lease_is_well_before_and_after():
    one = terms(lambda: False)
    assert one.trouble() == ""
    thread = serving(one)
    assert eventually(lambda: one._renewing)
    assert one.trouble() == ""
    assert ended(one, thread)

    assert one.trouble() == ""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_when_nobody_asks_for_the_lease_any_more_the_probe_fails():
    def broken():
        raise RuntimeError

    one = terms(broken)
    thread = serving(one)

    assert "neither asked for nor renewed" in eventually(one.trouble)
    assert ended(one, thread)
