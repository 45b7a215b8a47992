"""What is noted of a run while it goes, beside Ansible's artifacts (frozen values, pure).

The artifacts tell which task took how long on which host. Why a change was made, how it all ended
and what was seen of the hosts stands in no artifact, so it is noted here. Nothing in it is more
than what `plan`, `run` and `status` print.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestrator.model.facts import Daemon, DaemonType, Facts, Host
from orchestrator.model.outcome import Failure
from orchestrator.model.plan import Change, Reason
from orchestrator.reconcile import Result


class Ending(StrEnum):
    """How a run ended; OPEN while it goes on, and for ever when it was killed."""

    OPEN = "open"
    CONVERGED = "converged"
    BLOCKED = "blocked"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybookRun:
    """One run of a playbook: the name of its artifacts, and the planned changes that it made."""

    run: str
    playbook: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDaemon:
    """A daemon on its host: what systemd and, after it, Ceph say of it."""

    name: str
    running: bool
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHost:
    """A host as the last look saw it; `error` says why nothing is known of it."""

    name: str
    address: str = ""
    groups: tuple[str, ...] = ()
    ceph_version: str = ""
    error: str = ""
    daemons: tuple[SeenDaemon, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One call of `orchestrator run`. Times are ISO 8601; `left` is what remains to be done."""

    namespace: str
    name: str
    generation: int
    version: str
    started: str
    ended: str = ""
    ending: Ending = Ending.OPEN
    runs: tuple[PlaybookRun, ...] = ()
    left: tuple[Change, ...] = ()
    blocked: tuple[Reason, ...] = ()
    notices: tuple[Reason, ...] = ()
    failures: tuple[Failure, ...] = ()
    hosts: tuple[SeenHost, ...] = ()


_RECORD = TypeAdapter(Record)


def document(record: Record) -> dict[str, Any]:
    """The record as plain values."""
    found: dict[str, Any] = _RECORD.dump_python(record, mode="json")
    return found


def parse(document: dict[str, Any]) -> Record | None:
    """The record again; None when another version wrote it in another form."""
    try:
        return _RECORD.validate_python(document)
    except ValidationError:
        return None


def with_end(record: Record, result: Result, ended: str) -> Record:
    """The record of a run that is over."""
    outcome = result.outcome
    known = {run.run for run in record.runs}
    unseen = outcome is not None and outcome.run not in known
    extra = (PlaybookRun(run=outcome.run, playbook=outcome.playbook),) if outcome and unseen else ()
    return replace(
        record,
        ended=ended,
        ending=_ending(result),
        runs=(*record.runs, *extra),
        left=result.plan.changes,
        blocked=result.plan.blocked,
        notices=result.plan.notices,
        failures=outcome.failures if outcome else (),
        hosts=seen_hosts(result.facts) if result.facts else record.hosts,
    )


def _ending(result: Result) -> Ending:
    if result.outcome and result.outcome.canceled:
        return Ending.INTERRUPTED
    if result.failed:
        return Ending.FAILED
    return Ending.BLOCKED if result.plan.blocked else Ending.CONVERGED


def seen_hosts(facts: Facts) -> tuple[SeenHost, ...]:
    """Every host of the inventory with its daemons."""
    return tuple(_seen(host, facts) for host in facts.hosts.values())


def _seen(host: Host, facts: Facts) -> SeenHost:
    return SeenHost(
        name=host.name,
        address=host.address or next((one.split("/")[0] for one in host.addresses), ""),
        groups=tuple(group for group in host.groups if group != "ungrouped"),
        ceph_version=host.ceph_version,
        error="" if host.reachable else host.error or host.refusal,
        daemons=tuple(
            SeenDaemon(name=one.name, running=one.running, state=_state(one, facts))
            for one in host.daemons
        ),
    )


def _state(daemon: Daemon, facts: Facts) -> str:
    """`running, in quorum`: the unit's word first, then Ceph's."""
    unit = "running" if daemon.running else daemon.active or "stopped"
    return ", ".join(word for word in (unit, _word(daemon, facts)) if word)


def _word(daemon: Daemon, facts: Facts) -> str:
    """What Ceph says of a daemon; nothing where Ceph was not heard or does not know it."""
    cluster = facts.cluster
    if cluster is None:
        return ""
    match daemon.type:
        case DaemonType.MON:
            return "in quorum" if daemon.id in cluster.quorum_names else "not in quorum"
        case DaemonType.MGR:
            standby = "standby" if daemon.id in cluster.mgr.standbys else ""
            return "active" if daemon.id == cluster.mgr.active else standby
        case DaemonType.OSD:
            known = {str(osd.id): osd for osd in cluster.osds}
            osd = known.get(daemon.id)
            if osd is None:
                return ""
            return f"{'up' if osd.up else 'down'} and {'in' if osd.in_ else 'out'}"
    return ""
