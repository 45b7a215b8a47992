"""The arrow (spec, facts, plan, outcome) → status, in the schema of Rook's CephCluster (pure).

What Ceph prints is read through one table of jmespath expressions, so that a section that a build
of Ceph prints oddly costs its own field alone (CASES C41). Conditions follow Rook's rules
(ROOK-COMPAT section 5): Progressing is transient, Ready stays once reached.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from orchestrator.model import device_report, mgr_report, outages
from orchestrator.model.decisions import Decision
from orchestrator.model.facts import Cluster, Facts
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import (
    AbsentStep,
    CleanupStep,
    ConfigStep,
    HostStep,
    MgrStep,
    MonStep,
    OsdStep,
    Plan,
    Reason,
    Step,
)
from orchestrator.model.spec import CephCluster

EXPRESSIONS = {
    "health": "status.health.status",
    "checks": "status.health.checks",
    "bytesTotal": "df.total_bytes || status.pgmap.bytes_total",
    "bytesUsed": "df.total_used_raw_bytes || status.pgmap.bytes_used",
    "bytesAvailable": "df.total_avail_bytes || status.pgmap.bytes_avail",
    "versions": "versions",
    "mon_version": "keys(versions.mon)[0]",
}
"""Field of the status → where it stands in the `cluster` result of `ceph_host_info`."""

_COMPILED = {name: jmespath.compile(text) for name, text in EXPRESSIONS.items()}

VERSION_KEYS = ("mon", "mgr", "osd", "rgw", "mds", "rbd-mirror", "cephfs-mirror", "overall")
LONGEST_TEXT = 2000
MOST_CHECKS = 50

MESSAGES: Mapping[type[Step], str] = {
    MonStep: "Configuring Ceph Mons",
    ConfigStep: "Configuring the Ceph cluster",
    MgrStep: "Configuring Ceph Mgr(s)",
    OsdStep: "Configuring Ceph OSDs",
    AbsentStep: "Removing Ceph daemons",
    HostStep: "Configuring the services of the hosts",
    CleanupStep: "Deleting the CephCluster",
}
"""Rook's own words for where a reconcile is; it has none for removals."""

SURVIVING_REASONS = frozenset({"ClusterCreated", "ClusterConnected"})
SURVIVING_TYPES = frozenset({"Deleting", "DeletionIsBlocked"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition with what the status' phase, state and message become by it."""

    type: str
    status: bool
    reason: str
    message: str
    phase: str
    state: str


DELETING = "Deleting the CephCluster"


def working(step: Step, *, deleting: bool = False) -> Condition:
    """A step is about to run."""
    return _deleting() if deleting else _progressing(MESSAGES[type(step)])


def _deleting(why: str = "") -> Condition:
    """Rook's words, and after them what still holds the deletion up."""
    return Condition(
        type="Deleting",
        status=True,
        reason="ClusterDeleting",
        message=f"{DELETING}: {why}"[:LONGEST_TEXT] if why else DELETING,
        phase="Deleting",
        state="Deleting",
    )


def _progressing(message: str) -> Condition:
    return Condition(
        type="Progressing",
        status=True,
        reason="ClusterProgressing",
        message=message,
        phase="Progressing",
        state="Creating",
    )


def ended(plan: Plan, outcome: Outcome | None, *, deleting: bool = False) -> Condition:
    """A pass is over: converged, failed, blocked, or with steps left.

    What passes by itself, such as an election, is progress and no error. A deletion stays one.
    """
    failed = bool(outcome and not outcome.ok)
    failures = "; ".join(str(one) for one in outcome.failures) if outcome else ""
    if deleting:
        blocked = "; ".join(sentence(reason) for reason in plan.blocked)
        return _deleting((failures or "canceled") if failed else "" if plan.steps else blocked)
    if failed:
        return _stopped(failures or "canceled")
    if plan.steps:
        return working(plan.steps[0])
    if plan.blocked:
        text = "; ".join(sentence(reason) for reason in plan.blocked)
        passing = all(reason.transient for reason in plan.blocked)
        return _progressing(text[:LONGEST_TEXT]) if passing else _stopped(text)
    return Condition(
        type="Ready",
        status=True,
        reason="ClusterCreated",
        message="Cluster created successfully",
        phase="Ready",
        state="Created",
    )


def sentence(reason: Reason) -> str:
    """A reason as one line, with its host where it has one."""
    return f"{reason.host}: {reason.message}" if reason.host else reason.message


def _stopped(text: str) -> Condition:
    return Condition(
        type="Progressing",
        status=False,
        reason="ClusterProgressing",
        message=text[:LONGEST_TEXT],
        phase="Progressing",
        state="Error",
    )


def invalid(message: str, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The status of a manifest that cannot be understood; what runs is left as it is known."""
    return {**previous, **_applied(_stopped(message), previous, now)}


def unattended(previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The status while no run is at work: what it says to be configured, nobody configures."""
    message = str(previous.get("message", ""))
    if previous.get("phase") != "Progressing" or message not in MESSAGES.values():
        return dict(previous)
    text = f"no run is at work; `orchestrator run` goes on with this: {message}"
    return {**previous, **_applied(_stopped(text), previous, now)}


def summarise(
    cluster: CephCluster,
    facts: Facts | None,
    condition: Condition,
    previous: Mapping[str, Any],
    now: datetime,
) -> dict[str, Any]:
    """The whole status, from the `previous` one and what is known now.

    Without facts only the condition moves: a step that has just begun has seen nothing new.
    """
    final = cluster.deleting or previous.get("phase") == "Deleting"
    if final and condition.type != "Deleting":
        condition = _deleting()
    status: dict[str, Any] = {**previous, **_applied(condition, previous, now)}
    if condition.type == "Ready":
        status["observedGeneration"] = cluster.generation
    if facts is None:
        return status
    ceph = _ceph(facts.cluster, previous.get("ceph") or {}, now)
    if ceph:
        status["ceph"] = ceph
    mgr = mgr_report.report(facts, previous.get("mgr") or {})
    if mgr:
        status["mgr"] = mgr
    if facts.cluster:
        status["storage"] = {**(previous.get("storage") or {}), **_storage(facts.cluster)}
        status["version"] = _version(cluster, facts.cluster, previous.get("version") or {})
        status = {name: value for name, value in status.items() if name != "mon"}
        status |= {"mon": note} if (note := outages.note(facts.outages, now)) else {}
    return status


def with_devices(status: Mapping[str, Any], devices: Sequence[Decision]) -> dict[str, Any]:
    """The status with the verdicts on devices; the last ones stay while none could be made."""
    if not devices:
        return dict(status)
    storage = status.get("storage") or {}
    kept = {name: value for name, value in storage.items() if name != "devicesOmitted"}
    return {**status, "storage": {**kept, **device_report.bounded(devices)}}


def _applied(condition: Condition, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    return {
        "phase": condition.phase,
        "state": condition.state,
        "message": condition.message,
        "conditions": _conditions(condition, previous.get("conditions") or (), now),
    }


def _conditions(
    new: Condition, previous: Sequence[Mapping[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """At most one of a type; of the earlier ones only those that Rook keeps."""
    stamp = timestamp(now)
    before = {str(one.get("type")): one for one in previous}
    same = before.pop(new.type, {})
    entry = {
        "type": new.type,
        "status": str(new.status),
        "reason": new.reason,
        "message": new.message,
        "lastHeartbeatTime": stamp,
    }
    unchanged = all(same.get(name) == entry[name] for name in ("status", "message"))
    entry["lastTransitionTime"] = str(same["lastTransitionTime"]) if unchanged and same else stamp
    kept = [
        dict(one)
        for one in before.values()
        if one.get("reason") in SURVIVING_REASONS or one.get("type") in SURVIVING_TYPES
    ]
    return [*kept, entry]


def timestamp(now: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def _ceph(cluster: Cluster | None, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    if cluster is None:
        return _unseen(previous, now) if previous else {}
    raw = {"status": cluster.status, "versions": cluster.versions, "df": cluster.df}
    found = {name: _search(name, raw) for name in _COMPILED}
    health = found["health"]
    if not isinstance(health, str):
        text = "the output of `ceph status` has no readable health.status"
        return _sick(text, {**previous, "fsid": cluster.fsid}, now)
    return {
        **_health(health, previous, now),
        "details": _details(found["checks"]),
        "capacity": _capacity(found, previous.get("capacity") or {}, now),
        "versions": _versions(found["versions"]) or previous.get("versions") or {},
        "fsid": cluster.fsid,
    }


def _search(name: str, raw: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever Ceph printed
    try:
        return _COMPILED[name].search(raw)
    except JMESPathError:
        return None


def _health(health: str, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    stamp = timestamp(now)
    before = previous.get("health")
    entry = {"health": health, "lastChecked": stamp}
    if before and before != health:
        return {**entry, "previousHealth": before, "lastChanged": stamp}
    kept = ("previousHealth", "lastChanged")
    return {**entry, **{name: previous[name] for name in kept if name in previous}}


def _unseen(previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    return _sick("no mon in quorum answered", previous, now)


def _sick(text: str, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Rook's form of a failed health check; capacity, versions and fsid are kept."""
    details = {"error": {"severity": "Urgent", "message": text}}
    return {**previous, **_health("HEALTH_ERR", previous, now), "details": details}


def _details(checks: object) -> dict[str, dict[str, str]]:
    if not isinstance(checks, Mapping):
        return {}
    return {
        str(code): {
            "severity": str(check.get("severity", "")),
            "message": str((check.get("summary") or {}).get("message", ""))[:LONGEST_TEXT],
        }
        for code, check in list(checks.items())[:MOST_CHECKS]
        if isinstance(check, Mapping) and not check.get("muted")
    }


def _capacity(
    found: Mapping[str, Any], previous: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """The last capacity stays while Ceph reports none, as it does before OSDs are up."""
    names = ("bytesTotal", "bytesUsed", "bytesAvailable")
    values = {name: int(found[name]) for name in names if isinstance(found[name], int | float)}
    if not values.get("bytesTotal"):
        return dict(previous)
    return {**values, "lastUpdated": timestamp(now)}


def _versions(raw: object) -> dict[str, dict[str, int]]:
    """By kind of daemon; Ceph 16 lists kinds without daemons, which Rook's status leaves out."""
    if not isinstance(raw, Mapping):
        return {}
    kinds = ((name, raw.get(name)) for name in VERSION_KEYS)
    return {name: dict(found) for name, found in kinds if isinstance(found, Mapping) and found}


def _storage(cluster: Cluster) -> dict[str, Any]:
    classes = sorted({osd.device_class for osd in cluster.osds if osd.device_class})
    return {
        "deviceClasses": [{"name": name} for name in classes],
        "osd": {"storeType": {"bluestore": len(cluster.osds)} if cluster.osds else {}},
    }


def _version(spec: CephCluster, cluster: Cluster, previous: Mapping[str, Any]) -> dict[str, Any]:
    text = str(_search("mon_version", {"versions": cluster.versions}) or "")
    found = re.search(r"ceph version (\d+\.\d+\.\d+)(?:-(\d+))?", text)
    version = f"{found[1]}-{found[2] or 0}" if found else previous.get("version", "")
    image = spec.spec.ceph_version.image
    return {**({"image": image} if image else {}), "version": version}
