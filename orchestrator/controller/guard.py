"""The check before each phase: a pass that may not go on starts no further playbook."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from orchestrator.ansible.facts import Member
from orchestrator.ansible.variables import Variables
from orchestrator.model.facts import NO_RESTARTS, Restarts
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Outcome
from orchestrator.reconcile import Ansible
from orchestrator.stores import StatusSink


class ClusterAnsible(Ansible, Protocol):
    """What the operator needs of Ansible, and what it asks Ceph beside a pass."""

    def at_work(self) -> AbstractContextManager[None]:
        """Around a pass: what one step needed, the next finds there; nothing stays behind."""

    def health(self) -> Mapping[str, Any] | None:
        """Ceph's own view, as `ceph_host_info` gives `cluster`; None while there is no cluster.

        Bounded in time, safe beside a pass, and it starts no Job. Raises StoreError, OSError or
        ValueError when Ceph does not answer.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Ansible, but each run asks first whether it still may.

    `may` raises CanceledError when the token was cancelled; `sure`, which is asked before what
    changes anything, also when the Lease cannot be confirmed. `told` hears of each run's end.
    """

    inner: ClusterAnsible
    may: Callable[[], None]
    sure: Callable[[], None]
    told: Callable[[Outcome], None]

    def members(self) -> tuple[Member, ...]:
        return self.inner.members()

    def observe(self, restarts: Restarts = NO_RESTARTS) -> Outcome:
        self.may()
        return self._seen(self.inner.observe(restarts))

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome:
        self.may()
        self.sure()
        return self._seen(self.inner.apply(variables, check=check))

    def release(self, variables: Variables) -> Outcome:
        """Letting go of a lock is always allowed."""
        return self.inner.release(variables)

    def _seen(self, outcome: Outcome) -> Outcome:
        self.told(outcome)
        return outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class UntilCanceled:
    """The status, written as long as the pass may go on.

    That a run was cancelled is no state of the cluster: the next pass says where it stands.
    """

    inner: StatusSink
    canceled: Callable[[], bool]

    def get(self, key: ClusterKey) -> dict[str, Any]:
        return self.inner.get(key)

    def put(self, key: ClusterKey, status: dict[str, Any]) -> None:
        if not self.canceled():
            self.inner.put(key, status)

    def forget(self, key: ClusterKey) -> None:
        self.inner.forget(key)
