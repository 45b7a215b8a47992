"""Caps of the entities that are ours, compared as maps (C31).

`ceph auth get-or-create` fails when a key exists with other caps, so a daemon made later would not
start. They are repaired in place: the key stays, and no daemon is restarted for it.
"""

from collections.abc import Iterator, Mapping

from orchestrator.model.facts import DaemonType, Facts
from orchestrator.model.plan import Action, Change, User

ADMIN = "client.admin"
CRASH, EXPORTER = "client.crash", "client.ceph-exporter"
CSI = ("rbd-provisioner", "rbd-node", "cephfs-provisioner", "cephfs-node")
COLLECTORS = {
    "crash": (CRASH,),
    "exporter": (EXPORTER,),
    "csi": tuple(f"client.csi-{name}" for name in CSI),
}
"""Users of what hosts run beside their daemons, by its name."""

_BLOCKLIST = "allow command 'osd blocklist'"

CAPS: Mapping[str, Mapping[str, str]] = {
    ADMIN: dict.fromkeys(("mds", "mgr", "mon", "osd"), "allow *"),
    CRASH: {"mgr": "allow rw", "mon": "allow profile crash"},
    EXPORTER: {
        "mds": "allow r",
        "mgr": "allow r",
        "mon": "allow profile ceph-exporter",
        "osd": "allow r",
    },
    "client.csi-rbd-provisioner": {
        "mgr": "allow rw",
        "mon": f"profile rbd, {_BLOCKLIST}",
        "osd": "profile rbd",
    },
    "client.csi-rbd-node": {"mgr": "allow rw", "mon": "profile rbd", "osd": "profile rbd"},
    "client.csi-cephfs-provisioner": {
        "mds": "allow *",
        "mgr": "allow rw",
        "mon": f"allow r, {_BLOCKLIST}",
        "osd": "allow rw tag cephfs metadata=*",
    },
    "client.csi-cephfs-node": {
        "mds": "allow rw",
        "mgr": "allow rw",
        "mon": "allow r",
        "osd": "allow rwx tag cephfs metadata=*, allow rw tag cephfs data=*",
    },
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
    """The admin, the daemons that the hosts hold, and the users of services that we set up."""
    daemons: dict[str, Mapping[str, str]] = {
        daemon.name: CAPS[kind]
        for kind in (DaemonType.MGR, DaemonType.OSD)
        for _, daemon in facts.daemons(kind)
        if daemon.data or daemon.running
    }
    collectors = {
        user: CAPS[user]
        for host in facts.hosts.values()
        for service in host.services
        if service.record
        for user in COLLECTORS.get(service.name, ())
    }
    return {ADMIN: CAPS[ADMIN], **collectors, **daemons}


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
