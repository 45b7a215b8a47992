"""Why each host was chosen for a kind of daemon or not, for people and as a document."""

from collections.abc import Sequence
from typing import Any

from orchestrator.model.placements import HostVerdict


def placements_text(verdicts: Sequence[HostVerdict]) -> str:
    """A line for each kind of daemon and host, after an empty one."""
    width = max((len(one.host) for one in verdicts), default=0)
    lines = [
        f"  {one.daemon:<3}  {one.host:<{width}}  {one.standing:<8}  {one.reason}".rstrip()
        for one in verdicts
    ]
    return "\n".join(["", "placement:", *lines])


def placements_document(verdicts: Sequence[HostVerdict]) -> dict[str, Any]:
    """`{placement: [{daemon, host, standing, reason}]}`, enumerations as their words."""
    return {
        "placement": [
            {
                "daemon": str(one.daemon),
                "host": str(one.host),
                "standing": str(one.standing),
                "reason": one.reason,
            }
            for one in verdicts
        ]
    }
