"""What each signal asks for."""

import os
import signal

import pytest

from orchestrator.watching.signals import Signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_end_is_noted_with_its_number(number):
    signals = Signals()
    with signals.noticed():
        os.kill(os.getpid(), number)
    assert (signals.ended, signals.again) == (number, False)


def test_sighup_asks_for_another_look():
    signals = Signals()
    with signals.noticed():
        os.kill(os.getpid(), signal.SIGHUP)
    assert (signals.ended, signals.again) == (0, True)


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGHUP)
    with Signals().noticed():
        assert signal.getsignal(signal.SIGHUP) != before
    assert signal.getsignal(signal.SIGHUP) is before
