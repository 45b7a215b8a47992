"""A lock is renewed for as long as its step runs, and not a moment longer."""

import threading

import pytest

from orchestrator.ansible import renewal
from orchestrator.ansible.variables import Variables


def step(hosts, seconds):
    extra = {"lock_renewal_hosts": hosts, "lock_seconds": seconds}
    return Variables(playbook="osd.yml", targets=(), hosts={}, extra=extra)


def test_a_long_step_renews_its_lock_again_and_again():
    renewed = threading.Semaphore(0)
    seen = []

    def renew(variables, ended):
        seen.append((variables.playbook, ended()))
        renewed.release()

    with renewal.while_running(renew, step(["a"], 0.03), check=False):
        assert all(renewed.acquire(timeout=10) for _ in range(3))
    count = len(seen)
    assert not renewed.acquire(timeout=0.1) or len(seen) == count
    assert set(seen) <= {("osd.yml", False), ("osd.yml", True)}


@pytest.mark.parametrize(("hosts", "check"), [(["a"], True), ([], False)])
def test_without_a_lock_nothing_is_renewed(hosts, check):
    def renew(_variables, _ended):
        raise AssertionError("renewed")

    before = threading.active_count()
    with renewal.while_running(renew, step(hosts, 0.01), check=check):
        assert threading.active_count() == before


def test_an_error_of_the_step_comes_through():
    with (
        pytest.raises(ValueError, match="of the step"),
        renewal.while_running(
            lambda _variables, _ended: None,
            step(["a"], 60),
            check=False,
        ),
    ):
        raise ValueError("of the step")
