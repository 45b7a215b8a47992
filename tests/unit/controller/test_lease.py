"""The Lease, where what answers is no API server, or nobody."""

from types import SimpleNamespace

import pytest
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from orchestrator.controller.lease import Lease, Times


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


@pytest.mark.parametrize(("deadline", "seconds"), [(20, 10), (4, 5.0)])
def test_it_is_asked_for_twice_before_a_deadline(monkeypatch, deadline, seconds):
    asked = []

    def read(_self, name, namespace, **more):
        asked.append((name, namespace, more))
        raise ApiException(status=503)

    monkeypatch.setattr(client.CoordinationV1Api, "read_namespaced_lease", read)
    times = Times(duration=30, deadline=deadline, retry=3)
    one = Lease(SimpleNamespace(api=None), "ns", "me", times=times)

    assert one.confirm() is False
    assert asked == [("ceph-orchestrator", "ns", {"_request_timeout": seconds})]
