"""The arrow (spec, facts, plan, outcome) → status, in the schema of Rook's CephCluster (pure).

What Ceph prints is read through one table of jmespath expressions, so that a section that a build
of Ceph prints oddly costs its own field alone (CASES C41). Conditions follow Rook's rules
(ROOK-COMPAT section 5): Progressing is transient, Ready stays once reached.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from orchestrator import conditions
from orchestrator.conditions import LONGEST_TEXT, Cause, Condition
from orchestrator.model import device_report, mgr_report, outages
from orchestrator.model.decisions import Decision
from orchestrator.model.facts import Cluster, Facts
from orchestrator.model.outcome import Outcome
from orchestrator.model.plan import (
    AbsentStep,
    CleanupStep,
    ConfigStep,
    CreationStep,
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
MOST_CHECKS = 50
MOST_NAMES = 100
LONGEST_NAME = 200

MESSAGES: Mapping[type[Step], str] = {
    MonStep: "Configuring Ceph Mons",
    ConfigStep: "Configuring the Ceph cluster",
    MgrStep: "Configuring Ceph Mgr(s)",
    OsdStep: "Configuring Ceph OSDs",
    CreationStep: "Configuring the Ceph cluster",
    AbsentStep: "Removing Ceph daemons",
    HostStep: "Configuring the services of the hosts",
    CleanupStep: "Deleting the CephCluster",
}
"""Rook's own words for where a reconcile is; it has none for removals."""

DELETING = "Deleting the CephCluster"
PROCESSING = "Processing OSD"


def working(step: Step, *, deleting: bool = False) -> Condition:
    """A step is about to run."""
    return being_deleted() if deleting else _progressing(_at_work(step)[:LONGEST_TEXT])


def _at_work(step: Step) -> str:
    """Rook's words, which of OSDs that restart name each one."""
    hosts = step.hosts if isinstance(step, OsdStep) else ()
    named = [f'{PROCESSING} {osd} on node "{one.host}"' for one in hosts for osd in one.restarts]
    return ", ".join(named) or MESSAGES[type(step)]


def detecting() -> Condition:
    """An image is asked which Ceph it holds."""
    return _progressing("Detecting Ceph version")


def being_deleted(why: str = "") -> Condition:
    """Rook's words, and after them what still holds the deletion up."""
    return Condition(
        type="Deleting",
        status=True,
        reason="ClusterDeleting",
        message=f"{DELETING}: {why}"[:LONGEST_TEXT] if why else DELETING,
        phase="Deleting",
        state="Deleting",
        cause=Cause.DELETING,
    )


def _progressing(message: str, cause: Cause = Cause.CHANGES_PENDING) -> Condition:
    return Condition(
        type="Progressing",
        status=True,
        reason="ClusterProgressing",
        message=message,
        phase="Progressing",
        state="Creating",
        cause=cause,
    )


def ended(plan: Plan, outcome: Outcome | None, *, deleting: bool = False) -> Condition:
    """A pass is over: converged, failed, blocked, or with steps left.

    What passes by itself, such as an election, is progress and no error. A deletion stays one.
    """
    failed = bool(outcome and not outcome.ok)
    failures = "; ".join(str(one) for one in outcome.failures) if outcome else ""
    if deleting:
        blocked = "; ".join(sentence(reason) for reason in plan.blocked)
        return being_deleted((failures or "canceled") if failed else "" if plan.steps else blocked)
    if failed:
        return _stopped(failures or "canceled", Cause.RUN_FAILED)
    if plan.steps:
        return working(plan.steps[0])
    if plan.blocked:
        text = "; ".join(sentence(reason) for reason in plan.blocked)
        passing = all(reason.transient for reason in plan.blocked)
        if passing:
            return _progressing(text[:LONGEST_TEXT], Cause.WAITING)
        return _stopped(text, Cause.BLOCKED)
    return Condition(
        type="Ready",
        status=True,
        reason="ClusterCreated",
        message="Cluster created successfully",
        phase="Ready",
        state="Created",
        cause=Cause.AS_DESCRIBED,
    )


def connecting() -> Condition:
    """A cluster made elsewhere is being asked for the first time."""
    return Condition(
        type="Connecting",
        status=True,
        reason="ClusterConnecting",
        message="Attempting to connect to an external Ceph cluster",
        phase="Connecting",
        state="Connecting",
        cause=Cause.CHANGES_PENDING,
    )


def connected() -> Condition:
    """A cluster made elsewhere has answered."""
    return Condition(
        type="Connected",
        status=True,
        reason="ClusterConnected",
        message="Cluster connected successfully",
        phase="Connected",
        state="Connected",
        cause=Cause.AS_DESCRIBED,
    )


def unreached(why: str) -> Condition:
    """A cluster made elsewhere has not answered."""
    return _stopped(why, Cause.BLOCKED)


def sentence(reason: Reason) -> str:
    """A reason as one line, with its host where it has one."""
    return f"{reason.host}: {reason.message}" if reason.host else reason.message


def _stopped(text: str, cause: Cause) -> Condition:
    return Condition(
        type="Progressing",
        status=False,
        reason="ClusterProgressing",
        message=text[:LONGEST_TEXT],
        phase="Progressing",
        state="Error",
        cause=cause,
    )


def invalid(message: str, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The status of a manifest that cannot be understood; what runs is left as it is known."""
    return {
        **previous,
        **conditions.applied(_stopped(message, Cause.MANIFEST_INVALID), previous, now),
    }


def unattended(previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The status while no run is at work: what it says to be configured, nobody configures."""
    message = str(previous.get("message", ""))
    begun = message in MESSAGES.values() or message.startswith(PROCESSING)
    if previous.get("phase") != "Progressing" or not begun:
        return dict(previous)
    text = f"no run is at work; `orchestrator run` goes on with this: {message}"
    return {**previous, **conditions.applied(_stopped(text, Cause.CHANGES_PENDING), previous, now)}


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
        condition = being_deleted()
    status: dict[str, Any] = {**previous, **conditions.applied(condition, previous, now)}
    if condition.type in {"Ready", "Connected"}:
        status["observedGeneration"] = cluster.generation
    if facts is None:
        return status
    ceph = _ceph(facts.cluster, previous.get("ceph") or {}, now)
    if ceph:
        status["ceph"] = ceph
        status["conditions"] = conditions.with_health(status["conditions"], ceph, now)
    mgr = mgr_report.report(facts, previous.get("mgr") or {})
    if mgr:
        status["mgr"] = mgr
    if facts.cluster:
        status["storage"] = {**(previous.get("storage") or {}), **_storage(facts.cluster)}
        status["version"] = _version(cluster, facts.cluster, previous.get("version") or {})
        status = {name: value for name, value in status.items() if name != "mon"}
        status |= {"mon": note} if (note := outages.note(facts.outages, now)) else {}
    return status


def checked(
    cluster: Cluster | None, previous: Mapping[str, Any], now: datetime, why: str = ""
) -> dict[str, Any]:
    """The status after a health check beside a pass: only Ceph's health moves (CASES C43).

    `why` tells why there is no answer; phase, message and all else stay what a pass has written.
    """
    before = previous.get("ceph") or {}
    ceph = _sick(why[:LONGEST_TEXT], before, now) if why else _ceph(cluster, before, now)
    if not ceph:
        return dict(previous)
    known = previous.get("conditions") or ()
    return {**previous, "ceph": ceph, "conditions": conditions.with_health(known, ceph, now)}


def with_devices(status: Mapping[str, Any], devices: Sequence[Decision]) -> dict[str, Any]:
    """The status with the verdicts on devices; the last ones stay while none could be made."""
    if not devices:
        return dict(status)
    storage = status.get("storage") or {}
    kept = {name: value for name, value in storage.items() if name != "devicesOmitted"}
    return {**status, "storage": {**kept, **device_report.bounded(devices)}}


def _ceph(cluster: Cluster | None, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    if cluster is None:
        return _unseen(previous, now) if previous else {}
    raw = {"status": cluster.status, "versions": cluster.versions, "df": cluster.df}
    found = {name: _search(name, raw) for name in _COMPILED}
    readable = {
        "capacity": _capacity(found, previous.get("capacity") or {}, now),
        "versions": _versions(found["versions"]) or previous.get("versions") or {},
        "fsid": cluster.fsid,
    }
    health = found["health"]
    if not isinstance(health, str):
        return {**_sick(_unreadable(cluster), previous, now), **readable}
    return {
        **_health(health[:LONGEST_NAME], previous, now),
        "details": _details(found["checks"]),
        **readable,
    }


def _unreadable(cluster: Cluster) -> str:
    why = f" ({'; '.join(cluster.errors)})" if cluster.errors and not cluster.status else ""
    return f"the output of `ceph status` has no readable health.status{why}"[:LONGEST_TEXT]


def _search(name: str, raw: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever Ceph printed
    try:
        return _COMPILED[name].search(raw)
    except JMESPathError:
        return None


def _health(health: str, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    stamp = conditions.timestamp(now)
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
        str(code)[:LONGEST_NAME]: {
            "severity": str(check.get("severity", ""))[:LONGEST_NAME],
            "message": _text(check.get("summary"))[:LONGEST_TEXT],
        }
        for code, check in list(checks.items())[:MOST_CHECKS]
        if isinstance(check, Mapping) and not check.get("muted")
    }


def _text(summary: object) -> str:
    return str(summary.get("message", "")) if isinstance(summary, Mapping) else ""


def _capacity(
    found: Mapping[str, Any], previous: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """The last capacity stays while Ceph reports none, as it does before OSDs are up."""
    names = ("bytesTotal", "bytesUsed", "bytesAvailable")
    values = {name: _bytes(found[name]) for name in names if _bytes(found[name]) is not None}
    if not values.get("bytesTotal"):
        return dict(previous)
    return {**values, "lastUpdated": conditions.timestamp(now)}


def _bytes(value: object) -> int | None:
    """A number of bytes; JSON has numbers that are none, such as 1e999."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value)


def _versions(raw: object) -> dict[str, dict[str, int]]:
    """By kind of daemon; Ceph 16 lists kinds without daemons, which Rook's status leaves out."""
    if not isinstance(raw, Mapping):
        return {}
    kinds = ((name, raw.get(name)) for name in VERSION_KEYS)
    counted = ((name, _counted(found)) for name, found in kinds if isinstance(found, Mapping))
    return {name: found for name, found in counted if found}


def _counted(found: Mapping[str, object]) -> dict[str, int]:
    """The first versions with their numbers of daemons: there are a few, unless Ceph is odd."""
    counts = {str(key)[:LONGEST_NAME]: value for key, value in list(found.items())[:MOST_NAMES]}
    return {key: value for key, value in counts.items() if type(value) is int}


def _storage(cluster: Cluster) -> dict[str, Any]:
    classes = sorted({osd.device_class for osd in cluster.osds if osd.device_class})
    return {
        "deviceClasses": [{"name": name[:LONGEST_NAME]} for name in classes[:MOST_NAMES]],
        "osd": {"storeType": {"bluestore": len(cluster.osds)} if cluster.osds else {}},
    }


def _version(spec: CephCluster, cluster: Cluster, previous: Mapping[str, Any]) -> dict[str, Any]:
    text = str(_search("mon_version", {"versions": cluster.versions}) or "")
    found = re.search(r"ceph version (\d+\.\d+\.\d+)(?:-(\d+))?", text)
    version = f"{found[1]}-{found[2] or 0}" if found else previous.get("version", "")
    image = spec.spec.ceph_version.image
    return {**({"image": image} if image else {}), "version": version}
