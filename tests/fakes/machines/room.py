"""The machine room: hosts and a Ceph behind the `Ansible` protocol of the reconcile pass."""

from dataclasses import dataclass, field
from typing import Any

from orchestrator.ansible.facts import Member
from orchestrator.ansible.variables import Variables, asking
from orchestrator.model.facts import NO_RESTARTS, Lock, Restarts
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure, Outcome
from tests.fakes.machines import playbooks
from tests.fakes.machines.ceph import Ceph


class CutError(Exception):
    """The simulated run is interrupted here."""


@dataclass(slots=True)
class Machines(Ceph):
    """The machine room. `cut_after` operations the next run fails; None lets it finish."""

    cut_after: int | None = None
    runs: list[str] = field(default_factory=list)
    lock: dict[str, Any] | None = None

    def members(self) -> tuple[Member, ...]:
        return tuple(
            Member(name=HostName(one.name), address=one.address, groups=one.groups)
            for one in self.machines.values()
            if one.listed
        )

    def observe(self, restarts: Restarts = NO_RESTARTS) -> Outcome:
        self.runs.append("facts.yml")
        self.asked = asking(restarts)
        names = [name for name, machine in self.machines.items() if machine.listed]
        return self._outcome("facts.yml", names, ())

    def release(self, variables: Variables) -> Outcome:
        self.runs.append(variables.playbook)
        if self.lock and self.lock["id"] == variables.extra["lock_id"]:
            self.lock = None
        return self._outcome(variables.playbook, [], ())

    def apply(self, variables: Variables, *, check: bool = False) -> Outcome:
        if check:
            self.runs.append(f"{variables.playbook} --check")
            return self._outcome(variables.playbook, [str(name) for name in variables.hosts], ())
        self.runs.append(variables.playbook)
        asked = variables.extra["lock_hosts"]
        if asked and self.lock and self.lock["id"] != variables.extra["lock_id"]:
            holder = Lock(**self.lock)
            return Outcome(ok=False, run="0", playbook=variables.playbook, holder=holder)
        self.lock = {
            "owner": variables.extra["lock_owner"],
            "id": variables.extra["lock_id"],
            "seconds_left": variables.extra["lock_seconds"],
        }
        self.asked = variables.extra
        failures: tuple[Failure, ...] = tuple(
            Failure(host=name, task="Prepare", message="exit code 1: no space left")
            for name in variables.targets
            if name in self.broken
        )
        try:
            for count, operation in enumerate(playbooks.operations(self, variables)):
                if self.cut_after is not None and count >= self.cut_after:
                    raise CutError  # noqa: TRY301 - the fake and its interruption are one
                had = bool(self.quorum())
                operation()
                self.settle()
                if had and not self.quorum():
                    self.lowest_quorum.append("lost")
            if variables.extra["lock_release_hosts"]:
                self.lock = None
        except CutError:
            self.cut_after = None
            failures = (Failure(host=variables.targets[0], task="cut", message="interrupted"),)
        return self._outcome(variables.playbook, [str(name) for name in variables.hosts], failures)

    def _outcome(self, playbook: str, names: list[str], failures: tuple[Failure, ...]) -> Outcome:
        silent = tuple(
            Failure(host=HostName(name), task="", message="timed out", unreachable=True)
            for name in names
            if not self.machines[name].reachable
        )
        self.settle()
        leader = self.speaker(names)
        reports = {
            HostName(name): {
                "host": {**self.report(self.machines[name]), "lock": self.lock},
                "cluster": self.view() if name == leader else None,
            }
            for name in names
            if self.machines[name].reachable
        }
        everything = (*failures, *silent)
        return Outcome(
            ok=not everything,
            run=f"{len(self.runs)}",
            playbook=playbook,
            failures=everything,
            reports={} if failures else reports,
        )
