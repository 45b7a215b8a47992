"""Whether OSDs may be stopped: Ceph's own ok-to-stop, asked and read.

A no, an answer that is not understood and no answer at all are the same: the OSD keeps running.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
    CephError,
    decoded,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import (
        CephClient,
    )

_COMMAND = "osd ok-to-stop"
_SHOWN = 5
_NOT_UNDERSTOOD = "Ceph's answer to ok-to-stop is not understood"
_OBJECTIONS = {
    "unknown": "of unknown state",
    "bad_no_pool": "without a pool",
    "bad_already_inactive": "already inactive",
    "bad_become_inactive": "would become inactive",
}
"""How the lists of placement groups begin that speak against it, and what they say."""


@dataclass(frozen=True)
class Answer:
    """What Ceph said of the OSD that was asked about; `osds` may be stopped together with it."""

    osd: int
    ok: bool
    osds: tuple[int, ...] = ()
    reason: str = ""

    def result(self) -> dict[str, Any]:
        return {**asdict(self), "osds": list(self.osds)}


def first(
    client: CephClient, waiting: Sequence[int], most: int, seconds: float
) -> list[dict[str, Any]]:
    """Ask about one after the other until one may be stopped; gives every answer.

    Those after it, or after the time is up, are not asked about.
    """
    answers: list[dict[str, Any]] = []
    until = time.monotonic() + seconds
    for osd in waiting:
        found = ask(client, [osd], most)
        answers.append(found.result())
        if found.ok or time.monotonic() > until:
            break
    return answers


def ask(client: CephClient, osds: Sequence[int], most: int = 0) -> Answer:
    """Ask whether all of `osds` may be stopped together; with `most`, which others besides."""
    more: dict[str, Any] = {"max": most} if most > 1 else {}
    try:
        found = client.command(_COMMAND, target="mgr", ids=[str(osd) for osd in osds], **more)
    except CephError as error:
        return Answer(osds[0], ok=False, reason=_refusal(error))
    return answer(osds, found)


def _refusal(error: CephError) -> str:
    found = decoded(error.output.encode())
    return _objection(found) if isinstance(found, dict) else error.message


def answer(asked: Sequence[int], found: object) -> Answer:
    """Read an answer that came without an error."""
    if not isinstance(found, dict):
        return Answer(asked[0], ok=False, reason=_NOT_UNDERSTOOD)
    listed = found.get("osds")
    osds = tuple(one for one in listed if isinstance(one, int)) if isinstance(listed, list) else ()
    if found.get("ok_to_stop") is True and set(asked) <= set(osds):
        return Answer(asked[0], ok=True, osds=osds)
    return Answer(asked[0], ok=False, reason=_objection(found))


def _objection(found: Mapping[str, Any]) -> str:
    for name, pgs in found.items():
        said = next((text for kind, text in _OBJECTIONS.items() if name.startswith(kind)), "")
        if said and isinstance(pgs, list) and pgs:
            more = f" and {len(pgs) - _SHOWN} more" if len(pgs) > _SHOWN else ""
            return f"pg {', '.join(map(str, pgs[:_SHOWN]))}{more} {said}"
    return "Ceph says that it is not ok to stop"
