"""Caps of the entities that are ours, compared as maps (C31).

`ceph auth get-or-create` fails when a key exists with other caps, so a daemon made later would not
start. They are repaired in place: the key stays, and no daemon is restarted for it.
"""

from collections.abc import Iterator, Mapping

from orchestrator.model.facts import DaemonType, Facts
from orchestrator.model.plan import Action, Change, User

ADMIN = "client.admin"
CAPS: Mapping[str, Mapping[str, str]] = {
    ADMIN: dict.fromkeys(("mds", "mgr", "mon", "osd"), "allow *"),
    "mgr": {"mds": "allow *", "mon": "allow profile mgr", "osd": "allow *"},
    "osd": {"mgr": "allow profile osd", "mon": "allow profile osd", "osd": "allow *"},
}
"""Today's caps by entity or kind of daemon, as Rook gives them (ROOK-COMPAT section 1)."""


def drifted(facts: Facts) -> Iterator[tuple[Change, User]]:
    """Users of this cluster whose caps are not what they must be."""
    if facts.cluster is None:
        return
    ours = _ours(facts)
    for one in facts.cluster.auth:
        wanted = ours.get(one.entity)
        if wanted and _normal(one.caps) != _normal(wanted):
            yield _change(one.entity, one.caps, wanted), User(entity=one.entity, caps=dict(wanted))


def _ours(facts: Facts) -> dict[str, Mapping[str, str]]:
    """The admin, and the daemons that the hosts hold."""
    daemons: dict[str, Mapping[str, str]] = {
        daemon.name: CAPS[kind]
        for kind in (DaemonType.MGR, DaemonType.OSD)
        for _, daemon in facts.daemons(kind)
        if daemon.data or daemon.running
    }
    return {ADMIN: CAPS[ADMIN], **daemons}


def _normal(caps: Mapping[str, str]) -> dict[str, str]:
    """Ceph takes `profile osd` and `allow profile osd` for the same."""
    found = {service: cap.strip() for service, cap in caps.items() if cap.strip()}
    return {
        service: cap.removeprefix("allow ") if "," not in cap and " profile " in f" {cap}" else cap
        for service, cap in found.items()
    }


def _change(entity: str, caps: Mapping[str, str], wanted: Mapping[str, str]) -> Change:
    services = sorted({*caps, *wanted})
    parts = [
        f"{service} has {caps.get(service) or 'nothing'} instead of "
        f"{wanted.get(service) or 'nothing'}"
        for service in services
        if _normal(caps).get(service) != _normal(wanted).get(service)
    ]
    reason = f"its caps differ: {', '.join(parts)}; its key stays"
    return Change(action=Action.REPAIR, subject=f"user {entity}", reason=reason)
