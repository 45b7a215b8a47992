"""How one playbook run ended, and what its hosts reported."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.model.facts import Lock
from orchestrator.model.names import HostName


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A host's failed task with Ceph's or Ansible's own words, already without secrets."""

    host: HostName
    task: str
    message: str
    unreachable: bool = False

    def __str__(self) -> str:
        where = f'{self.host}: task "{self.task}"' if self.task else str(self.host)
        return f"{where}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a task would write: two texts of one thing, already without secrets."""

    host: HostName
    task: str
    subject: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a run. `reports` holds the raw answers of `ceph_host_info` by host.

    `holder` is the lock of somebody else that was met, before which nothing was done; or one that
    was taken over, for which the run was cut off: then it is `canceled` as well. A check has
    `differences`, which a real run does not keep.
    """

    ok: bool
    run: str
    playbook: str
    failures: tuple[Failure, ...] = ()
    canceled: bool = False
    changed: int = 0
    seconds: float = 0.0
    reports: Mapping[HostName, Mapping[str, Any]] = field(default_factory=dict)
    holder: Lock | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def unreachable(self) -> tuple[Failure, ...]:
        return tuple(failure for failure in self.failures if failure.unreachable)
