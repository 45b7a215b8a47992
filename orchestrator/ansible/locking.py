"""The lock around a step's run: where it lies, who takes it and when it is let go (pure)."""

from dataclasses import replace

from orchestrator.ansible.variables import Variables
from orchestrator.model.facts import Facts
from orchestrator.model.names import HostName
from orchestrator.model.owner import Owner

MAY_LOSE_THE_QUORUM = frozenset({"mon.yml", "site.yml", "absent.yml", "cleanup.yml"})
"""Playbooks after whose cut the mons' store may not answer: their lock is on the hosts as well."""


def places(found: Variables, facts: Facts) -> tuple[HostName, ...]:
    """Where the lock lies beside the mons' store.

    Without a quorum, or where it may be lost, there is no other place than the hosts themselves.
    """
    mons = found.playbook in MAY_LOSE_THE_QUORUM or facts.cluster is None
    admin = HostName(found.extra["ceph_admin_host"])
    holding = map(HostName, found.extra.get("mon_targets", found.targets))
    return tuple(dict.fromkeys((admin, *(holding if mons else ()))))


def locked(
    found: Variables, facts: Facts, owner: Owner, *, last: bool, kept: bool = False
) -> Variables:
    """`found` for one writer at a time: the run takes the lock first, and the `last` releases it.

    One that is `kept` from the run before need not be taken; it is only renewed in a long run.
    """
    holding = places(found, facts)
    ours = (name for name, host in facts.hosts.items() if host.lock and host.lock.id == owner.id)
    released = tuple(dict.fromkeys((*holding, *ours))) if last else ()
    return replace(
        found,
        hosts={**{key: {} for key in (*found.hosts, *holding, *released)}, **found.hosts},
        extra={
            **found.extra,
            "lock_hosts": [] if kept else [str(name) for name in holding],
            "lock_renewal_hosts": [str(name) for name in holding],
            "lock_release_hosts": [str(name) for name in released],
            "lock_owner": owner.name,
            "lock_id": owner.id,
            "lock_seconds": owner.seconds,
            "lock_in_cluster": facts.cluster is not None,
        },
    )


def held(found: Variables, before: Variables | None) -> Variables:
    """`found` with the places where `before` took the lock as well: all that is to be let go."""
    if before is None:
        return found
    holding = (*found.extra["lock_renewal_hosts"], *before.extra["lock_renewal_hosts"])
    stored = found.extra["lock_in_cluster"] or before.extra["lock_in_cluster"]
    both = {"lock_renewal_hosts": list(dict.fromkeys(holding)), "lock_in_cluster": stored}
    hosts = {**before.hosts, **found.hosts}
    return replace(found, hosts=hosts, extra={**found.extra, **both})


def unlocked(found: Variables) -> Variables:
    """A run that does nothing but let go of the lock of `found` on all its hosts."""
    hosts = found.extra["lock_renewal_hosts"]
    extra = {**found.extra, "lock_hosts": [], "lock_release_hosts": hosts}
    return replace(found, playbook="unlock.yml", extra={**extra, "lock_renewal_hosts": []})
