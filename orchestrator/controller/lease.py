"""One writer for each operator: the Lease, by the kubernetes client's own leader election.

The election's rules are the client's (`try_acquire_or_renew`); its loops are not used, because they
can be neither stopped nor made to hand the Lease over. A holder that slept longer than it may, be
it stopped or starved, does not work on: it asks the clock, and before each step the Lease itself
(CASES C49).
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from kubernetes import client
from kubernetes.client.exceptions import ApiException
from kubernetes.leaderelection.electionconfig import Config
from kubernetes.leaderelection.leaderelection import LeaderElection
from kubernetes.leaderelection.leaderelectionrecord import LeaderElectionRecord
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
from urllib3.exceptions import HTTPError

from orchestrator.controller.logs import log
from orchestrator.stores.kubernetes.connection import LEASE, Connection

NAME = "ceph-orchestrator"
DURATION_SECONDS, DEADLINE_SECONDS, RETRY_SECONDS = 30, 20, 3
"""Others wait so long, the holder gives up after, and tries so often.

Twice client-go's: a run that prepares disks is not cut off because an API server restarts.
"""

LEAST_SECONDS = 5.0
"""What an answer may take on a server that is busy."""

NO_ANSWER = (ApiException, HTTPError, OSError)
NO_LEASE = (AttributeError, KeyError, TypeError, ValueError)
"""What the client raises where the server says nothing, and where something else answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds: how long others respect the Lease, when its holder gives up, how often it renews."""

    duration: int = DURATION_SECONDS
    deadline: int = DEADLINE_SECONDS
    retry: int = RETRY_SECONDS


def boot_time() -> float:
    """Seconds that go on while the process is stopped and while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(slots=True)
class Lease:
    """The Lease of an operator, as one candidate sees it. Thread-safe."""

    connection: Connection
    namespace: str
    identity: str
    times: Times = field(default_factory=Times)
    clock: Callable[[], float] = boot_time
    _election: LeaderElection = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _renewed: float | None = None

    def __post_init__(self) -> None:
        lock = LeaseLock(NAME, self.namespace, self.identity)
        lock.api_instance = _prompt(client.CoordinationV1Api(self.connection.api), self.times)
        nothing: Callable[[], None] = lambda: None  # noqa: E731 - the election asks for two
        self._election = LeaderElection(
            Config(
                lock,
                self.times.duration,
                self.times.deadline,
                self.times.retry,
                onstarted_leading=nothing,
                onstopped_leading=nothing,
            )
        )

    @property
    def held(self) -> bool:
        """Whether it was renewed so lately that nobody else can have taken it."""
        renewed = self._renewed
        return renewed is not None and self.clock() - renewed < self.times.deadline

    def confirm(self) -> bool:
        """Take or renew it now; False when it is somebody else's, or cannot be asked for.

        A holder that could not renew it still holds it until its deadline.
        """
        with self._lock:
            asked = self.clock()
            if self._tried():
                self._renewed = asked
            return self.held

    def release(self) -> None:
        """Hand it over at once, if it is held: who waits need not wait for its end."""
        with self._lock:
            if not self.held:
                return
            self._renewed = None
            lock = self._election.election_config.lock
            try:
                found, record = lock.get(lock.name, lock.namespace)
                if found and record.holder_identity == self.identity:
                    lock.update(lock.name, lock.namespace, self._nobody(record))
            except (*NO_ANSWER, *NO_LEASE):
                return

    def holder(self) -> str:
        """Who holds it by the Lease itself; empty when nobody does."""
        found = self.connection.get(LEASE, self.namespace, NAME) or {}
        return str((found.get("spec") or {}).get("holderIdentity") or "")

    def _tried(self) -> bool:
        """One attempt; whatever the transport raises counts as a failed one.

        So does an answer that is no Lease, as something in front of the server may give: the client
        looks into it all the same.
        """
        try:
            return bool(self._election.try_acquire_or_renew())
        except NO_ANSWER:
            return False
        except NO_LEASE as error:
            log.warning("the Lease is not understood", why=str(error).partition("\n")[0])
            return False

    def _nobody(self, record: Any) -> LeaderElectionRecord:  # noqa: ANN401 - has no types
        """As client-go releases: no holder, and one second to wait."""
        return LeaderElectionRecord("", "1", record.acquire_time, record.renew_time)


def _prompt(api: client.CoordinationV1Api, times: Times) -> SimpleNamespace:
    """What the election asks, answered so soon that a holder may ask twice before its deadline."""
    seconds = max(LEAST_SECONDS, times.deadline / 2)
    asked = ("read_namespaced_lease", "create_namespaced_lease", "replace_namespaced_lease")
    return SimpleNamespace(
        **{name: partial(getattr(api, name), _request_timeout=seconds) for name in asked}
    )
