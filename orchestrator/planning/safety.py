"""When a running OSD may be stopped: Ceph's own ok-to-stop, and the placement groups if asked for.

Pure decisions from what Ceph answered (CASES C37, C39). No answer is a no, and an answer never
becomes a yes for more OSDs than wait.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from orchestrator.model.facts import Cluster, StopAnswer
from orchestrator.model.names import OsdId
from orchestrator.model.spec import CephClusterSpec, patterns

HEALTHY_PGS = (
    r"^(active\+clean|active\+clean\+scrubbing|active\+clean\+scrubbing\+deep"
    r"|active\+clean\+snaptrim|active\+clean\+snaptrim_wait)$"
)
"""Rook's default: scrubbing and trimming are no reason to wait."""

SHOWN_STATES = 5

FEW = 3
"""With fewer OSDs Ceph can hardly ever say yes, and Rook does not ask."""


def pgmap(cluster: Cluster | None) -> Mapping[str, Any]:
    """What Ceph's status says of placement groups; nothing while that is not known."""
    found = cluster.status.get("pgmap") if cluster else None
    return found if isinstance(found, Mapping) else {}


def clean(pgmap: Mapping[str, Any], pattern: str = "") -> bool:
    """Whether every placement group is in a state that `pattern` takes for healthy."""
    total = pgmap.get("num_pgs")
    if not isinstance(total, int):
        return False
    states = [_state(entry) for entry in pgmap.get("pgs_by_state") or ()]
    healthy = sum(n for name, n in states if patterns.search(pattern or HEALTHY_PGS, name))
    return healthy == total


def _state(entry: object) -> tuple[str, int]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("count"), int):
        return "", 0
    return str(entry.get("state_name", "")), int(entry["count"])


def restarts_wait(spec: CephClusterSpec, pgmap: Mapping[str, Any]) -> str:
    """Why no OSD may be restarted now, whatever Ceph would say of it; "" when one may.

    Only with `upgradeOSDRequiresHealthyPGs`, as in Rook: a placement group that is not clean is no
    danger as long as it keeps enough copies, and ok-to-stop looks at that.
    """
    if spec.skip_upgrade_checks or not spec.upgrade_osd_requires_healthy_pgs:
        return ""
    if clean(pgmap, spec.disruption_management.pg_healthy_regex):
        return ""
    return f"placement groups are not clean ({_states(pgmap)})"


def _states(pgmap: Mapping[str, Any]) -> str:
    if not isinstance(pgmap.get("num_pgs"), int):
        return "Ceph did not tell their states"
    states = [_state(entry) for entry in pgmap.get("pgs_by_state") or ()]
    listed = ", ".join(f"{count} {name}" for name, count in states[:SHOWN_STATES] if name)
    return f"{listed or 'no state known'}, of {pgmap['num_pgs']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """How far Ceph is heard: not at all, or in the end to no avail. `most` restart at once.

    `patience` are the seconds for which a no counts before it goes on regardless; None: for ever.
    """

    asked: bool = True
    patience: float | None = None
    most: int = 1


def consent(spec: CephClusterSpec, osds: int | None) -> Consent:
    """What the manifest wants; `osds` is how many the cluster has, None where that is not known."""
    few = osds is not None and osds < FEW
    going_on = spec.continue_upgrade_after_checks_even_if_not_healthy
    return Consent(
        asked=not (spec.skip_upgrade_checks or few),
        patience=60.0 * spec.wait_timeout_for_healthy_osd_in_minutes if going_on else None,
        most=spec.storage.osd_max_updates_in_parallel,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Restart `osds` now, with Ceph's consent or without; or, with `asks`, ask Ceph first.

    `refused` says of which Ceph said no, and why.
    """

    osds: tuple[OsdId, ...] = ()
    consented: bool = False
    asks: bool = False
    refused: Mapping[OsdId, str] = field(default_factory=lambda: MappingProxyType({}))


NOBODY = Batch()


def next_batch(
    waiting: Sequence[OsdId],
    answers: Sequence[StopAnswer] | None,
    how: Consent,
    refused_seconds: float = 0.0,
) -> Batch:
    """The first OSD that may stop, with those that may stop together with it.

    Whoever may not stop keeps nobody waiting: when all were refused there is no batch, unless that
    was so for long enough and the manifest goes on regardless, one OSD at a time.
    """
    if not waiting or not how.asked:
        return Batch(osds=tuple(waiting[:1]))
    found = [one for one in answers or () if one.osd in waiting]
    if not found:
        return Batch(asks=True)
    refused = {one.osd: one.reason for one in found if not one.ok}
    allowed = next((one for one in found if one.ok), None)
    if allowed:
        osds = _together(allowed, waiting, how.most)
        return Batch(osds=osds, consented=True, refused=refused)
    over = how.patience is not None and refused_seconds >= how.patience
    alone = (found[0].osd,) if over else ()
    return Batch(osds=alone, refused=refused)


def _together(allowed: StopAnswer, waiting: Sequence[OsdId], most: int) -> tuple[OsdId, ...]:
    others = (osd for osd in waiting if osd in allowed.osds and osd != allowed.osd)
    return (allowed.osd, *others)[: max(1, most)]


def asking_order(waiting: Sequence[OsdId], answers: Sequence[StopAnswer] | None) -> list[OsdId]:
    """In which order Ceph is asked next: whoever was refused goes to the back of the queue."""
    refused = {one.osd for one in answers or () if not one.ok}
    return sorted(waiting, key=lambda osd: osd in refused)
