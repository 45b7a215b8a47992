"""ansible-runner's stream of events, folded into progress lines and one Outcome (pure).

Only what is needed is kept: a report a host and the failures. A result that lost its content is
"no answer" and never an empty answer (CASES C53).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.ansible.differences import differences, hidden
from orchestrator.model.facts import Lock
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Difference, Failure, Outcome

FACTS_MODULE = "ceph_host_info"
LOCK_MODULE = "ceph_lock"
LONGEST_MESSAGE = 2000
ARGUMENT_CHECK = "Validating arguments against arg spec"
"""Ansible's own task at the start of each role: of interest only when it fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One thing that a watcher may want to see: a task that began, or a host's result of it."""

    run: str
    playbook: str
    kind: str
    task: str = ""
    host: str = ""
    changed: bool = False
    message: str = ""
    seconds: float = 0.0


KINDS = {
    "playbook_on_task_start": "task",
    "runner_on_start": "start",
    "runner_on_ok": "ok",
    "runner_on_failed": "failed",
    "runner_on_unreachable": "unreachable",
}


@dataclass(slots=True, kw_only=True)
class Fold:
    """The state of one run. Feed it every event, then ask for the outcome."""

    run: str
    playbook: str
    check: bool = False
    reports: dict[HostName, Mapping[str, Any]] = field(default_factory=dict)
    failures: dict[HostName, Failure] = field(default_factory=dict)
    changed: int = 0
    lost: frozenset[str] = frozenset()
    holder: Lock | None = None
    differences: list[Difference] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)

    def feed(self, event: Mapping[str, Any]) -> Progress | None:
        """Take one event in; give what is worth showing of it."""
        data = event.get("event_data") or {}
        kind = KINDS.get(str(event.get("event")))
        if event.get("event") == "playbook_on_stats":
            self._count(data)
        if kind is None or data.get("ignore_errors"):
            return None
        if kind != "failed" and str(data.get("task", "")).startswith(ARGUMENT_CHECK):
            return None
        self._remember(kind, data)
        met = kind == "failed" and self.holder is not None
        return None if met else self._progress(kind, data)

    def _count(self, data: Mapping[str, Any]) -> None:
        """Ansible's own sums: of changes they also have those whose results were hidden."""
        self.lost = frozenset({*data.get("failures", {}), *data.get("dark", {})})
        for host, changes in data.get("changed", {}).items() if self.check else ():
            if changes > self.told[host]:
                self.differences.append(hidden(HostName(host), changes - self.told[host]))

    def _remember(self, kind: str, data: Mapping[str, Any]) -> None:
        result = data.get("res") or {}
        host = HostName(str(data.get("host", "")))
        module = str(data.get("task_action", "")).rpartition(".")[2]
        if module == LOCK_MODULE and result.get("holder"):
            self.holder = _lock(result["holder"])
        if kind == "ok":
            self.changed += bool(result.get("changed"))
            if self.check and result.get("changed"):
                self.told[host] += 1
                self.differences.extend(differences(data))
            if module == FACTS_MODULE:
                self._report(host, data, result)
        elif kind in {"failed", "unreachable"}:
            self._failure(host, kind, data, result)

    def _report(self, host: HostName, data: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        if isinstance(result.get("host"), Mapping):
            self.reports[host] = {"host": result["host"], "cluster": result.get("cluster")}
        else:
            self.reports.pop(host, None)
            text = f"no answer from {host}: the result of its facts was lost on the way"
            self.failures[host] = Failure(host=host, task=str(data.get("task", "")), message=text)

    def _failure(
        self, host: HostName, kind: str, data: Mapping[str, Any], result: Mapping[str, Any]
    ) -> None:
        if "censored" in result and host in self.failures:
            return
        self.failures[host] = Failure(
            host=host,
            task=str(data.get("task", "")),
            message=message_of(result),
            unreachable=kind == "unreachable",
        )

    def _progress(self, kind: str, data: Mapping[str, Any]) -> Progress:
        result = data.get("res") or {}
        return Progress(
            run=self.run,
            playbook=self.playbook,
            kind=kind,
            task=str(data.get("task", "")),
            host=str(data.get("host", "")),
            changed=bool(result.get("changed")),
            message=message_of(result) if kind in {"failed", "unreachable"} else "",
            seconds=float(data.get("duration") or 0.0),
        )

    def outcome(self, *, rc: int, canceled: bool, seconds: float, output: str) -> Outcome:
        """The end; `output` is Ansible's own text, used when it ended before any host was asked."""
        failures = [
            failure
            for host, failure in self.failures.items()
            if host in self.lost or host not in self.reports
        ]
        if rc != 0 and not canceled and not failures:
            failures.append(Failure(host=HostName("localhost"), task="", message=_tail(output)))
        return Outcome(
            ok=rc == 0 and not canceled and not failures,
            run=self.run,
            playbook=self.playbook,
            failures=tuple(failures),
            canceled=canceled,
            changed=self.changed,
            seconds=seconds,
            reports=dict(self.reports),
            holder=self.holder,
            differences=tuple(self.differences),
        )


def _lock(raw: Mapping[str, Any]) -> Lock:
    return Lock(owner=str(raw["owner"]), id=str(raw["id"]), seconds_left=float(raw["seconds_left"]))


def message_of(result: Mapping[str, Any]) -> str:
    """The most telling text of a failed result: its message, else what the command said.

    Of a loop it is the text of the items that failed, for its own says only that some did.
    """
    items = [item for item in result.get("results") or () if _failed(item)]
    if items:
        return "; ".join(dict.fromkeys(message_of(item) for item in items))[:LONGEST_MESSAGE]
    for name in ("msg", "stderr", "module_stderr", "stdout", "censored"):
        text = str(result.get(name) or "").strip()
        if text:
            return text[:LONGEST_MESSAGE]
    return "failed without a message"


def _failed(item: object) -> bool:
    return isinstance(item, Mapping) and bool(item.get("failed") or item.get("unreachable"))


def _tail(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return "\n".join(lines[-12:])[-LONGEST_MESSAGE:] or "ansible-playbook ended without a word"
