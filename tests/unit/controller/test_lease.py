"""The Lease, where what answers is no API server, or nobody."""

from types import SimpleNamespace

import pytest
from kubernetes.client.exceptions import ApiException

from orchestrator.controller.lease import Lease


@pytest.fixture
def lease():
    return Lease(SimpleNamespace(api=None), "ns", "me", clock=lambda: 100.0)


def raising(error):
    def tried(*_arguments):
        raise error

    return tried


ERRORS = [
    AttributeError("'str' object has no attribute 'spec'"),
    ValueError("Failed to parse time string"),
    ApiException(status=503),
    OSError("refused"),
]


@pytest.mark.parametrize("error", ERRORS)
def test_an_attempt_that_gave_no_lease_has_failed_and_the_next_one_is_made(lease, error):
    lease._election.try_acquire_or_renew = raising(error)
    assert lease.confirm() is False

    lease._election.try_acquire_or_renew = lambda: True
    assert lease.confirm() is True


@pytest.mark.parametrize("error", ERRORS)
def test_one_that_cannot_be_handed_over_is_held_no_more(lease, error):
    lease._election.try_acquire_or_renew = lambda: True
    assert lease.confirm() is True
    lease._election.election_config.lock.get = raising(error)
    lease.release()

    assert lease.held is False
