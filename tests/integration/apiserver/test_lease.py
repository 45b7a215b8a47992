"""One writer: who holds the Lease, how it is handed over, and what a sleeper may do (CASES C49)."""

from dataclasses import dataclass

import pytest

from orchestrator.controller.lease import NAME, Lease, Times
from orchestrator.stores.kubernetes.connection import LEASE
from tests.integration.apiserver.site import BRISK, Site
from tests.waiting import eventually

LONG = Times(duration=600, deadline=500, retry=2)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def lease(site: Site, identity: str, clock: Clock | None = None, times: Times = LONG) -> Lease:
    return Lease(site.connection, site.namespace, identity, times=times, clock=clock or Clock())


def test_the_first_takes_it_and_the_second_waits(site: Site) -> None:
    first, second = lease(site, "a"), lease(site, "b")

    assert first.confirm()
    assert not second.confirm()
    assert (first.held, second.held) == (True, False)
    assert second.holder() == "a"


def test_what_is_released_is_taken_at_once(site: Site) -> None:
    first, second = lease(site, "a"), lease(site, "b")
    first.confirm()
    second.confirm()
    first.release()

    assert not first.held
    assert first.holder() == ""
    assert second.confirm()
    assert second.holder() == "b"


def test_nobody_releases_what_is_somebody_elses(site: Site) -> None:
    first, second = lease(site, "a"), lease(site, "b")
    first.confirm()
    second.release()

    assert first.holder() == "a"


def test_who_slept_too_long_holds_it_no_more_and_does_not_take_it_back(site: Site) -> None:
    clock = Clock()
    sleeper = lease(site, "a", clock, BRISK)
    assert sleeper.confirm()
    other = lease(site, "b", times=BRISK)
    eventually(other.confirm)
    clock.now += 40

    assert not sleeper.held
    assert not sleeper.confirm()
    assert other.holder() == "b"
    sleeper.release()
    assert other.confirm()


def test_who_cannot_renew_it_holds_it_until_its_deadline(site: Site) -> None:
    clock = Clock()
    one = lease(site, "a", clock, Times(duration=30, deadline=20, retry=2))
    one.confirm()
    one._election.election_config.lock.api_instance = Away()
    clock.now += 19
    assert one.confirm()
    clock.now += 2
    assert not one.confirm()
    assert not one.held


class Away:
    """An API server that does not answer."""

    def __getattr__(self, name: str) -> object:
        raise OSError("connection refused")


def test_a_holder_that_is_renewed_goes_on_holding_it(site: Site) -> None:
    clock = Clock()
    one = lease(site, "a", clock)
    one.confirm()
    clock.now += 400
    assert one.confirm()
    clock.now += 400

    assert one.held


@pytest.mark.parametrize("identity", ["pod-1", "host_3f2"])
def test_the_lease_is_one_that_kubectl_understands(site: Site, identity: str) -> None:
    lease(site, identity).confirm()
    found = site.connection.get(LEASE, site.namespace, NAME)

    assert found is not None
    assert found["spec"]["holderIdentity"] == identity
    assert found["spec"]["leaseDurationSeconds"] == 600
    assert found["spec"]["renewTime"]
