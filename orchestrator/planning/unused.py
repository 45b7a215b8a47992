"""Why a disk or a host that the manifest asks for holds no OSD: never in silence."""

from collections.abc import Iterator, Sequence

from orchestrator.model.facts import DaemonType, Host
from orchestrator.model.plan import Reason
from orchestrator.planning import placement, selection
from orchestrator.planning.context import Context

SHOWN = 8
"""Reasons or names that one message lists; a host can have hundreds of devices."""


def unknown_nodes(context: Context) -> Iterator[Reason]:
    """A name in storage.nodes that no host answers to (CASES C13)."""
    storage = context.spec.storage
    if storage.use_all_nodes:
        return
    candidates = placement.eligible(context.facts, DaemonType.OSD)
    for node in storage.nodes:
        if not any(selection.is_host(node.name, host) for host in candidates):
            known = ", ".join(str(host.name) for host in candidates[:SHOWN])
            more = f" and {len(candidates) - SHOWN} more" if len(candidates) > SHOWN else ""
            text = f"storage.nodes names {node.name}, and the inventory has no such host for OSDs"
            yield Reason(code="UnknownNode", message=f"{text}; it has {known}{more}")


def devices(host: Host, decisions: Sequence[selection.Decision]) -> Iterator[Reason]:
    """One notice for a host: that none of its devices is used, or which asked-for ones are not."""
    missed = [one for one in decisions if one.missed]
    if all(one.state is selection.State.SKIPPED for one in decisions):
        why = _reasons(decisions) or "it has no block devices"
        text = f"no device of this host is used: {why}"
        yield Reason(code="NoDevices", host=host.name, message=text)
    elif missed:
        text = f"not used: {_reasons(missed)}"
        yield Reason(code="DevicesSkipped", host=host.name, message=text)


def _reasons(decisions: Sequence[selection.Decision]) -> str:
    why = "; ".join(f"{one.disk.path}: {one.reason}" for one in decisions[:SHOWN])
    more = f"; and {len(decisions) - SHOWN} more" if len(decisions) > SHOWN else ""
    return f"{why}{more}"
