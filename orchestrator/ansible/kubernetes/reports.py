"""What looks at nodes tell, as reports and failures of hosts (pure)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orchestrator.ansible.kubernetes import nodes
from orchestrator.ansible.kubernetes.disks import NOTED
from orchestrator.ansible.kubernetes.grounds import NO_NOTE, Note
from orchestrator.model.names import HostName
from orchestrator.model.outcome import Failure, Outcome

LOOK = "facts.yml"
"""The playbook whose reports these are, also where no Ansible ran for them."""

REACHING = "Reach the disks of the node"
"""What failed, in the words of a task, where there was none yet."""

Raw = Mapping[str, Any]


def ready(found: Sequence[nodes.Node]) -> list[nodes.Node]:
    return [node for node in found if not node.trouble]


def told(found: Sequence[nodes.Node], answer: Raw, notes: Mapping[HostName, Note]) -> Outcome:
    """Reports of all nodes, with what is noted of their disks; the first has Ceph's view."""
    up = ready(found)
    reports = {
        HostName(name): {
            "host": {
                **host,
                **_known(notes.get(HostName(name), NO_NOTE)),
                "secrets": answer["digests"],
            },
            "cluster": answer["cluster"] if name == up[0].member.name else None,
        }
        for name, host in answer["hosts"].items()
    }
    failures = nodes.failures(found)
    return Outcome(ok=not failures, run="", playbook=LOOK, reports=reports, failures=failures)


def _known(note: Note) -> dict[str, Any]:
    return {name: note.report.get(name) or [] for name in NOTED}


def unseen(names: Sequence[HostName], outcome: Outcome) -> tuple[Failure, ...]:
    """Why each of those is not known that gave no report; what failed as a whole failed for all."""
    said = {failure.host: failure.message for failure in outcome.failures}
    whole = "; ".join(text for host, text in said.items() if host not in names)
    return tuple(
        Failure(host=name, task=REACHING, message=said.get(name) or whole or "no answer")
        for name in names
        if name not in outcome.reports
    )


def with_doubts(outcome: Outcome, failures: Sequence[Failure]) -> Outcome:
    """Nothing is done on hosts whose disks nobody could look into: those are no blank ones."""
    doubtful = {
        failure.host: _doubtful(outcome.reports[failure.host], failure)
        for failure in failures
        if failure.host in outcome.reports
    }
    said = (*outcome.failures, *failures)
    reports = {**outcome.reports, **doubtful}
    return replace(outcome, ok=not said, failures=said, reports=reports)


def _doubtful(report: Raw, failure: Failure) -> dict[str, Any]:
    refused = {
        "reachable": False,
        "error": f"its disks are not known: {failure.message}",
        "refusal": "HostFailed",
    }
    return {**report, "host": {**report["host"], **refused}}


def podless(playbook: str, names: Iterable[HostName], *, canceled: bool) -> Outcome:
    """Each such node fails by itself, so that the others are brought on without it."""
    text = "no pod came up to look into the disks; see the events of the node's Job"
    failures = tuple(Failure(host=name, task=REACHING, message=text) for name in names)
    return Outcome(ok=False, run="", playbook=playbook, failures=failures, canceled=canceled)


def lost(playbook: str, message: str) -> Outcome:
    """A run of which nothing is known but why."""
    failure = Failure(host=HostName("localhost"), task="", message=message)
    return Outcome(ok=False, run="", playbook=playbook, failures=(failure,))
