"""The verdicts on devices as plain values, for `orchestrator devices` and for the status.

A status has to stay small: Kubernetes keeps 1.5 MB of an object, and a large cluster has tens of
thousands of devices. What people act on comes first, the rest is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.model.decisions import Decision, State
from orchestrator.model.plan import Reason

MOST = 500
MOST_OF_A_HOST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All that `orchestrator devices` tells.

    `aside` are hosts of which nothing can be said, `unmatched` what the manifest asks for and no
    host has.
    """

    devices: tuple[Decision, ...]
    aside: tuple[Reason, ...] = ()
    unmatched: tuple[Reason, ...] = ()


def entry(decision: Decision) -> dict[str, Any]:
    """One device; `device` is the name by which it is found again after a reboot."""
    return {
        "host": str(decision.host),
        "device": decision.disk.stable_path,
        "path": decision.disk.path,
        "size": decision.disk.size,
        "model": decision.disk.model,
        "state": decision.standing,
        "code": decision.code,
        "reason": decision.reason,
    }


def bounded(decisions: Sequence[Decision]) -> dict[str, Any]:
    """Numbers of all devices by state, and the devices that most need to be seen."""
    shown = _chosen(decisions)
    omitted = len(decisions) - len(shown)
    return {
        "deviceCounts": {
            str(state): sum(one.state is state for one in decisions) for state in State
        },
        "devices": [entry(one) for one in shown],
        **({"devicesOmitted": omitted} if omitted else {}),
    }


def _chosen(decisions: Sequence[Decision]) -> list[Decision]:
    """The most telling ones, then in the order of hosts again."""
    ranked = sorted(range(len(decisions)), key=lambda index: (_rank(decisions[index]), index))
    taken: dict[str, int] = {}
    kept = []
    for index in ranked:
        host = decisions[index].host
        taken[host] = taken.get(host, 0) + 1
        if taken[host] <= MOST_OF_A_HOST:
            kept.append(index)
    return [decisions[index] for index in sorted(kept[:MOST])]


def _rank(decision: Decision) -> int:
    """Selected ones, then those that somebody would miss, then OSDs, then all others."""
    if decision.state is State.SELECTED:
        return 0
    if decision.missed or decision.mistaken:
        return 1
    return 2 if decision.state is State.OSD else 3
