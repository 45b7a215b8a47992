"""Hosts that hold something of another cluster are set aside, and our own cluster goes on (C25).

Only where it is beyond doubt which cluster is ours: its mons have quorum, or its identity is stored
and nothing of the other cluster runs. In every other case planning.identity refuses all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from orchestrator.model.facts import Facts, Host
from orchestrator.model.names import Fsid, HostName
from orchestrator.model.plan import Reason
from orchestrator.planning.identity import Claim, claims_of, listed

Foreign = Mapping[HostName, Sequence[Claim]]


def set_aside(facts: Facts) -> tuple[Facts, tuple[Reason, ...]]:
    """Facts in which strangers are out of reach, and why."""
    ours = _ours(facts)
    found = _foreign(facts, ours) if ours else {}
    if not found or (facts.cluster is None and _alive(found)):
        return facts, ()
    hosts = {name: _without(host) if name in found else host for name, host in facts.hosts.items()}
    reasons = (_reason(name, ours, claims) for name, claims in found.items())
    return replace(facts, hosts=MappingProxyType(hosts)), tuple(reasons)


def _ours(facts: Facts) -> Fsid:
    """The cluster that is ours beyond doubt, or nothing."""
    seen = facts.cluster.fsid if facts.cluster else Fsid("")
    stored = facts.identity.fsid if facts.identity else Fsid("")
    return Fsid("") if seen and stored and seen != stored else seen or stored


def _foreign(facts: Facts, ours: Fsid) -> Foreign:
    claims = {
        host.name: tuple(claim for claim in claims_of(host) if claim.fsid != ours)
        for host in facts.hosts.values()
    }
    return {name: found for name, found in claims.items() if found}


def _alive(found: Foreign) -> bool:
    return any(claim.alive for claims in found.values() for claim in claims)


def _without(host: Host) -> Host:
    return Host(
        name=host.name, groups=host.groups, reachable=False, error="holds another Ceph cluster"
    )


def _reason(name: HostName, ours: Fsid, claims: Sequence[Claim]) -> Reason:
    theirs = ", ".join(dict.fromkeys(claim.fsid for claim in claims))
    places = listed([claim.where for claim in claims])
    return Reason(
        code="FsidMismatch",
        host=name,
        message=f"holds the Ceph cluster {theirs} ({places}) and this cluster is {ours}; nothing "
        "was changed on this host. Remove those remains if nobody needs them, or leave the host "
        "out of the inventory",
    )
