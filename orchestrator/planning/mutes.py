"""Health warnings that the manifest mutes, and those that it does so no more.

As in Rook a mute is sticky: it stays when the warning clears and comes again. Mutes of others stay.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.model.facts import Cluster
from orchestrator.model.plan import Action, Change
from orchestrator.model.spec import CephClusterSpec

FIELD = "spec.healthCheck.muteHealthWarning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutes:
    """Codes to mute, and codes to unmute."""

    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


NO_MUTES = Mutes()


def planned(spec: CephClusterSpec, cluster: Cluster | None) -> Mutes:
    """What differs; of a cluster that is yet to be made, all that is wanted."""
    policies = spec.health_check.mute_health_warning
    wanted = {code for code, mute in policies.items() if mute.policy == "mute"}
    present = {mute.code for mute in cluster.mutes} if cluster else set()
    sticky = {mute.code for mute in cluster.mutes if mute.sticky} if cluster else set()
    if cluster and (not cluster.status or "mutes" in cluster.unanswered):
        return NO_MUTES
    on = wanted - sticky
    asked = {code for code in policies if code not in wanted} & present
    left = (set(cluster.owned.mutes) if cluster else set()) - wanted
    return Mutes(
        on=tuple(sorted(on)),
        off=tuple(sorted(asked | left)),
        changes=(*_muted(on), *_unmuted(asked | left, asked, present)),
    )


def _muted(codes: set[str]) -> Iterator[Change]:
    for code in sorted(codes):
        yield Change(action=Action.MUTE, subject=f"health {code}", reason=f"{FIELD} mutes it")


def _unmuted(codes: set[str], asked: set[str], present: set[str]) -> Iterator[Change]:
    for code in sorted(codes):
        subject = f"health {code}"
        if code not in present:
            text = "it was ours, and somebody unmuted it"
            yield Change(action=Action.RELEASE, subject=subject, reason=text)
            continue
        text = "unmutes it" if code in asked else "no longer mutes it"
        yield Change(action=Action.UNMUTE, subject=subject, reason=f"{FIELD} {text}")
