"""Conditions as Kubernetes has them: one of a type, and each says since when it is so (pure).

Rook's own (Progressing, Ready, Deleting) say where a reconcile is. Two more say how things are:
Healthy, whether Ceph itself is content, and UpToDate, whether the hosts are as the manifest says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from orchestrator.model import wording
from orchestrator.model.names import ClusterKey

SURVIVING_REASONS = frozenset({"ClusterCreated", "ClusterConnected"})
DELETION_IS_BLOCKED = "DeletionIsBlocked"
SURVIVING_TYPES = frozenset({"Deleting", DELETION_IS_BLOCKED, "Healthy", "UpToDate"})
LONGEST_TEXT = 2000
MOST_CODES = 20


class Cause(StrEnum):
    """Why the hosts are, or are not, as the manifest says: the reason of UpToDate."""

    AS_DESCRIBED = "AsDescribed"
    CHANGES_PENDING = "ChangesPending"
    WAITING = "Waiting"
    BLOCKED = "Blocked"
    RUN_FAILED = "RunFailed"
    MANIFEST_INVALID = "ManifestInvalid"
    DELETING = "ClusterDeleting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One of Rook's, with what the status' phase, state and message become by it."""

    type: str
    status: bool
    reason: str
    message: str
    phase: str
    state: str
    cause: Cause


def applied(condition: Condition, previous: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The fields of the status that a condition moves."""
    before = previous.get("conditions") or ()
    return {
        "phase": condition.phase,
        "state": condition.state,
        "message": condition.message,
        "conditions": [*_kept(condition, before), *_entries(condition, before, now)],
    }


def _kept(new: Condition, before: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of the earlier ones only those that Rook keeps, and the last word on the health."""
    return [
        dict(one)
        for one in before
        if one.get("type") not in {new.type, "UpToDate"}
        and (one.get("reason") in SURVIVING_REASONS or one.get("type") in SURVIVING_TYPES)
    ]


def _entries(
    new: Condition, before: Sequence[Mapping[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    current = new.cause is Cause.AS_DESCRIBED
    text = "the hosts are as the manifest says" if current else new.message
    up_to_date = _entry("UpToDate", str(current), new.cause, text)
    rook = _entry(new.type, str(new.status), new.reason, new.message)
    return [_stamped(entry, before, now) for entry in (up_to_date, rook)]


def with_health(
    conditions: Sequence[Mapping[str, Any]], ceph: Mapping[str, Any], now: datetime
) -> list[dict[str, Any]]:
    """The conditions with Healthy, from the section `ceph` of the status.

    Its message names checks and not their texts: numbers in those move with every look, and each
    move would be a transition.
    """
    others = [dict(one) for one in conditions if one.get("type") != "Healthy"]
    return [_stamped(_healthy(ceph), conditions, now), *others]


def _healthy(ceph: Mapping[str, Any]) -> dict[str, str]:
    health, details = str(ceph.get("health", "")), ceph.get("details") or {}
    if "error" in details:
        text = str(details["error"].get("message", ""))
        return _entry("Healthy", "Unknown", "NotAnswered", text)
    codes = sorted(details)
    named = f"{health}: {wording.some(codes, MOST_CODES)}" if codes else health
    reasons = {"HEALTH_OK": "HealthOk", "HEALTH_WARN": "HealthWarning", "HEALTH_ERR": "HealthError"}
    return _entry("Healthy", str(health == "HEALTH_OK"), reasons.get(health, "HealthOther"), named)


def deletion_blocked(key: ClusterKey, dependents: Mapping[str, Sequence[str]]) -> Condition:
    """Something still stands on the cluster; by Rook's words, names by the plural of their kind."""
    listed = ", ".join(f"{kind}: [{' '.join(names)}]" for kind, names in dependents.items())
    text = f'CephCluster "{key}" will not be deleted until all dependents are removed: {listed}'
    return _deletion_is_blocked(blocked=True, reason="ObjectHasDependents", text=text)


def deletion_free(key: ClusterKey) -> Condition:
    """Nothing stands on the cluster any more."""
    text = f'CephCluster "{key}" has no dependent custom resources blocking deletion'
    return _deletion_is_blocked(blocked=False, reason="ObjectHasNoDependents", text=text)


def _deletion_is_blocked(*, blocked: bool, reason: str, text: str) -> Condition:
    return Condition(
        type=DELETION_IS_BLOCKED,
        status=blocked,
        reason=reason,
        message=text[:LONGEST_TEXT],
        phase="Deleting",
        state="Deleting",
        cause=Cause.DELETING,
    )


def found(status: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """The condition of a type, or nothing."""
    known = status.get("conditions") or ()
    return next((one for one in known if one.get("type") == kind), {})


def said(condition: Condition, status: Mapping[str, Any]) -> bool:
    """Whether the status says so already: then it need not be written again."""
    known = found(status, condition.type)
    same = (str(condition.status), condition.message)
    return (known.get("status"), known.get("message")) == same


def _entry(kind: str, status: str, reason: str, message: str) -> dict[str, str]:
    return {
        "type": kind,
        "status": status,
        "reason": str(reason),
        "message": message[:LONGEST_TEXT],
    }


def _stamped(
    entry: Mapping[str, str], before: Sequence[Mapping[str, Any]], now: datetime
) -> dict[str, Any]:
    """With its times: a transition is another status or another message."""
    stamp = timestamp(now)
    same = next((one for one in before if one.get("type") == entry["type"]), {})
    unchanged = bool(same) and all(same.get(name) == entry[name] for name in ("status", "message"))
    since = str(same.get("lastTransitionTime", stamp)) if unchanged else stamp
    return {**entry, "lastHeartbeatTime": stamp, "lastTransitionTime": since}


def timestamp(now: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")
