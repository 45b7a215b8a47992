"""When a running OSD may be stopped: placement groups first, then Ceph's own ok-to-stop.

Pure decisions from what Ceph answered (CASES C37, C39). An answer that is not understood is a no,
and never becomes a yes for more OSDs than were asked about.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.model.names import OsdId
from orchestrator.model.spec import CephClusterSpec, patterns

HEALTHY_PGS = (
    r"^(active\+clean|active\+clean\+scrubbing|active\+clean\+scrubbing\+deep"
    r"|active\+clean\+snaptrim|active\+clean\+snaptrim_wait)$"
)
"""Rook's default: scrubbing and trimming are no reason to wait."""

SHOWN_STATES = 5
NOT_UNDERSTOOD = "Ceph's answer to ok-to-stop is not understood"


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
    """Why no OSD may be restarted now; "" when one may.

    `upgradeOSDRequiresHealthyPGs` is stronger than going on in spite of bad health, as in Rook.
    """
    if spec.skip_upgrade_checks or clean(pgmap, spec.disruption_management.pg_healthy_regex):
        return ""
    insists = spec.upgrade_osd_requires_healthy_pgs
    if spec.continue_upgrade_after_checks_even_if_not_healthy and not insists:
        return ""
    return f"placement groups are not clean ({_states(pgmap)})"


def _states(pgmap: Mapping[str, Any]) -> str:
    if not isinstance(pgmap.get("num_pgs"), int):
        return "Ceph did not tell their states"
    states = [_state(entry) for entry in pgmap.get("pgs_by_state") or ()]
    listed = ", ".join(f"{count} {name}" for name, count in states[:SHOWN_STATES] if name)
    return f"{listed or 'no state known'}, of {pgmap['num_pgs']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What `ceph osd ok-to-stop` said of one OSD; `osds` may be stopped together with it."""

    ok: bool
    osds: tuple[OsdId, ...] = ()
    reason: str = ""


def answer(asked: OsdId, code: int, output: str) -> Answer:
    """Read exit code and output; what is not understood is a no."""
    try:
        found = json.loads(output)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return Answer(ok=False, reason=NOT_UNDERSTOOD)
    osds = tuple(OsdId(one) for one in found.get("osds") or () if isinstance(one, int))
    if code == 0 and found.get("ok_to_stop") is True and asked in osds:
        return Answer(ok=True, osds=osds)
    return Answer(ok=False, reason=_objection(found))


def _objection(found: Mapping[str, Any]) -> str:
    for key, value in found.items():
        if key.startswith("bad_") and isinstance(value, list) and value:
            pgs = ", ".join(map(str, value[:SHOWN_STATES]))
            return f"pg {pgs} would {key.removeprefix('bad_').replace('_', ' ')}"
    return "Ceph says that it is not ok to stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """OSDs that wait for their restart, in order; `refused` says why some were put back."""

    waiting: tuple[OsdId, ...]
    done: tuple[OsdId, ...] = ()
    refused: Mapping[OsdId, str] | None = None

    @property
    def progress(self) -> str:
        return f"{len(self.done)} of {len(self.done) + len(self.waiting)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What comes next: restart `osds`, or ask about `ask`, or, with neither, give up for now."""

    queue: Queue
    osds: tuple[OsdId, ...] = ()
    ask: OsdId | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        refused = self.queue.refused or {}
        return tuple(f"osd.{osd}: {refused[osd]}" for osd in self.queue.waiting if osd in refused)


def next_batch(
    queue: Queue, answers: Mapping[OsdId, Answer], *, most: int = 20, regardless: bool = False
) -> Batch:
    """Take the first OSD that may stop, with those that may stop together with it.

    Every OSD is asked about at most once in a round: one that may not stop goes to the back, and
    when all have been refused the round is over. `regardless` takes it anyway, alone.
    """
    for osd in queue.waiting:
        if osd in (queue.refused or {}):
            continue
        if osd not in answers:
            return Batch(queue=queue, ask=osd)
        found = answers[osd]
        if found.ok:
            return Batch(queue=queue, osds=_together(osd, found.osds, queue.waiting, most))
        if regardless:
            return Batch(queue=queue, osds=(osd,))
        queue = _put_back(queue, osd, found.reason)
    return Batch(queue=queue)


def _together(
    asked: OsdId, allowed: Sequence[OsdId], waiting: Sequence[OsdId], most: int
) -> tuple[OsdId, ...]:
    others = (osd for osd in waiting if osd in allowed and osd != asked)
    return (asked, *others)[: max(1, most)]


def _put_back(queue: Queue, osd: OsdId, reason: str) -> Queue:
    rest = tuple(one for one in queue.waiting if one != osd)
    refused = {**(queue.refused or {}), osd: reason}
    return replace(queue, waiting=(*rest, osd), refused=refused)


def finished(queue: Queue, osds: Sequence[OsdId]) -> Queue:
    """The queue after a batch: what was refused may be asked about again, for much has changed."""
    waiting = tuple(one for one in queue.waiting if one not in osds)
    return Queue(waiting=waiting, done=(*queue.done, *osds))
