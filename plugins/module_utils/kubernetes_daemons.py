"""The daemons of each node, from the objects of their namespace: pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_desired,
    kubernetes_drift,
    kubernetes_identity,
    kubernetes_mgr,
    kubernetes_mon,
    kubernetes_pod,
    letters,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    Object = dict[str, Any]

KINDS = ("mon", "mgr", "osd")
MISSING = "inactive"
STALE = "stale"
"""Stands behind the dot of an OSD's record when only new pods bring in what is to be changed."""


@dataclass(frozen=True)
class Known:
    """All that was read; `members` are those of the monmap, as Ceph's view has them.

    `monitors` is None where the server has none. `maps` names the ConfigMaps of the cluster's own
    that are there, `overrides` those that single nodes have for ceph.conf. `monmap_age` is in
    seconds, and -1 where nobody told; `now` is by the clock of whoever looked.
    """

    cluster: kubernetes_cluster.Cluster
    identity: kubernetes_identity.Identity
    mons: kubernetes_identity.MonMap
    deployments: Sequence[Mapping[str, Any]] = ()
    pods: Sequence[Mapping[str, Any]] = ()
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    budgets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    maps: frozenset[str] = frozenset((kubernetes_identity.ENDPOINTS, kubernetes_identity.OVERRIDE))
    overrides: frozenset[str] = frozenset()
    csi: Mapping[str, Any] | None = None
    drains: Mapping[str, Any] | None = None
    pruner: Mapping[str, Any] | None = None
    monitors: Sequence[Mapping[str, Any]] | None = None
    slices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    keyrings: frozenset[str] = frozenset()
    members: Sequence[Mapping[str, Any]] = ()
    quorum: Sequence[str] = ()
    monmap_age: float = -1.0
    now: float = 0.0
    version: str = ""
    programs: Sequence[str] | None = None

    @property
    def formed(self) -> bool:
        """Say whether the cluster ever had a quorum: mgrs and OSDs come after the first one."""
        later = any(kind_of(one) in ("mgr", "osd") for one in self.deployments)
        return self.mons.formed or later or bool(self.members)


def kind_of(deployment: Mapping[str, Any]) -> str:
    labels = deployment["metadata"].get("labels") or {}
    found = str(labels.get("app", "")).replace("rook-ceph-", "", 1)
    return found if found in KINDS else ""


def id_of(deployment: Mapping[str, Any]) -> str:
    labels = deployment["metadata"].get("labels") or {}
    return str(labels.get("ceph-osd-id") or labels.get("ceph_daemon_id") or "")


def of_node(known: Known, node: str, *, first: bool) -> list[Object]:
    """List the daemons of a node; those that have none yet count as of the `first`."""
    found = [
        _daemon(known, kind, one)
        for one in known.deployments
        for kind in [kind_of(one)]
        if kind and (_node(known, one, kind) or (node if first else "")) == node
    ]
    there = {(one["type"], one["id"]) for one in found}
    found += [one for one in _lost_mons(known, node) if ("mon", one["id"]) not in there]
    return sorted(found, key=lambda one: (one["type"], len(one["id"]), one["id"]))


def stranded(known: Known, nodes: Collection[str]) -> list[Object]:
    """List the OSDs that are pinned to nodes other than `nodes`, which are all that tell."""
    found = [one for one in known.deployments if kind_of(one) == "osd"]
    return [_daemon(known, "osd", one) for one in found if _node(known, one, "osd") not in nodes]


def data_dirs(known: Known) -> list[str]:
    """List the folders of nodes below which mons have their stores, as their Deployments say."""
    found = set()
    for one in known.deployments:
        end = f"/mon-{id_of(one)}/data"
        volumes = (_pod_spec(one).get("volumes") or []) if kind_of(one) == "mon" else []
        paths = [str((volume.get("hostPath") or {}).get("path") or "") for volume in volumes]
        found |= {path[: -len(end)] for path in paths if path.endswith(end)}
    return sorted(found)


def _node(known: Known, deployment: Mapping[str, Any], kind: str) -> str:
    """Mons and OSDs belong where they are pinned, a mgr where its pod is."""
    pinned = kubernetes_cluster.pinned(_pod_spec(deployment))
    if pinned:
        return pinned
    if kind == "mon":
        mon = known.mons.mons.get(id_of(deployment))
        return mon.node if mon else ""
    wanted = deployment["spec"]["selector"]["matchLabels"]
    placed = [one for one in known.pods if _matches(one, wanted) and _placed(one)]
    running = sorted(placed, key=_is_going)
    notes = deployment["metadata"].get("annotations") or {}
    return _placed(running[0]) if running else str(notes.get(kubernetes_cluster.HOST) or "")


def _is_going(pod: Mapping[str, Any]) -> bool:
    """Say whether it was asked to end: on a lost node it stays so, while another has its place."""
    return "deletionTimestamp" in pod["metadata"]


def _placed(pod: Mapping[str, Any]) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


def _matches(pod: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    labels = pod["metadata"].get("labels") or {}
    return all(labels.get(key) == value for key, value in wanted.items())


def _pod_spec(deployment: Mapping[str, Any]) -> Mapping[str, Any]:
    found = (deployment["spec"].get("template") or {}).get("spec") or {}
    return found if isinstance(found, dict) else {}


def _lost_mons(known: Known, node: str) -> Iterator[Object]:
    """Mons of the node whose Deployment is gone: their place and their store are there.

    Those that never had a quorum are only planned, but a cluster that goes may have their stores.
    """
    made = {id_of(one) for one in known.deployments if kind_of(one) == "mon"}
    for mon in known.mons.mons.values():
        counted = known.cluster.deleting or _has_been(known, mon.name)
        if mon.node == node and mon.name not in made and counted:
            yield _mon({**_empty("mon", mon.name), "data": True, "active": MISSING}, known)


def _has_been(known: Known, mon: str) -> bool:
    """Whether it was ever in quorum: places are given to all mons before the first of them is made.

    While nobody answers and nothing was noted, any of a cluster that was formed may have been.
    """
    if _is_member(known, mon) or letters.place(mon) <= known.mons.highest:
        return True
    return known.formed and not known.members and not known.mons.formed


def _is_member(known: Known, mon: str) -> bool:
    return any(one["name"] == mon for one in known.members)


def _unnoted(known: Known, mon: str) -> list[str]:
    """A run that was cut off before it noted the quorum has left its name to be given again."""
    noted = letters.place(mon) <= known.mons.highest
    if noted or not _is_member(known, mon):
        return []
    return [f"ConfigMap {kubernetes_identity.ENDPOINTS}: mon.{mon} is above maxMonId"]


def _daemon(known: Known, kind: str, deployment: Mapping[str, Any]) -> Object:
    name = id_of(deployment)
    notes = deployment["metadata"].get("annotations") or {}
    edited = kubernetes_drift.edited(deployment)
    settings = notes.get(kubernetes_cluster.SETTINGS)
    wanted = kubernetes_pod.settings(known.cluster, kind)
    outdated = settings is not None and settings != wanted
    found = {
        **_empty(kind, name),
        "data": True,
        "keyring": _keyring(known, kind, name),
        "active": "active",
        "enabled": True,
        "record": kubernetes_cluster.record(deployment),
        "drifted": [*_told(deployment, edited), *_shared(known, kind, name)],
        "left_alone": kubernetes_cluster.is_left_alone(deployment),
        "running_seconds": _running_seconds(known, kind, deployment),
        "made_seconds": _made_seconds(known, deployment),
    }
    if kind == "mon":
        return _mon(_restarting(found, outdated=outdated), known)
    if kind == "osd":
        stale = outdated or _inside(edited) or _other_conf(known, deployment)
        return _osd(found, known, deployment, stale=stale)
    return _restarting(found, outdated=outdated)


def _empty(kind: str, name: str) -> Object:
    return {
        "type": kind,
        "id": name,
        "data": False,
        "keyring": True,
        "active": "",
        "enabled": False,
        "record": "",
        "drifted": [],
        "fsid": "",
        "osd_uuid": "",
    }


def _restarting(found: Object, *, outdated: bool) -> Object:
    """The manifest shapes the pods otherwise now: that is a change of the description."""
    return {**found, "record": f"{found['record']}.{STALE}"} if outdated else found


def _mon(found: Object, known: Known) -> Object:
    return {
        **found,
        "fsid": known.identity.fsid,
        "mon_state": _mon_state(
            known, str(found["id"]), runs=found.get("running_seconds", -1) >= 0
        ),
        "monmap_age": known.monmap_age,
        "monmap_epoch": 1 if _may_have_joined(known, str(found["id"])) else 0,
        "monmap": _monmap(known),
    }


def _may_have_joined(known: Known, mon: str) -> bool:
    """Only those in quorum can tell that a mon was never one of them."""
    return known.formed and (not known.members or _has_been(known, mon))


def _mon_state(known: Known, name: str, *, runs: bool) -> str:
    """Ceph's word for it, as far as those in quorum let it be told."""
    if name in known.quorum:
        return "leader" if name == known.quorum[0] else "peon"
    return "probing" if known.quorum and runs else ""


def _running_seconds(known: Known, kind: str, deployment: Mapping[str, Any]) -> float:
    """Give how long the daemon's process has run, -1 where it does not."""
    wanted = deployment["spec"]["selector"]["matchLabels"]
    pods = (one for one in known.pods if _matches(one, wanted) and not _is_going(one))
    statuses = (
        one for pod in pods for one in (pod.get("status") or {}).get("containerStatuses") or []
    )
    begun = [
        ((one.get("state") or {}).get("running") or {}).get("startedAt")
        for one in statuses
        if one.get("name") == kind
    ]
    moments = filter(None, map(kubernetes_cluster.moment, begun))
    ages = [known.now - seconds for seconds in moments]
    return max(0.0, min(ages)) if ages else -1.0


def _made_seconds(known: Known, deployment: Mapping[str, Any]) -> float:
    """Give how long ago the Deployment was made, -1 where it does not tell."""
    made = kubernetes_cluster.moment(deployment["metadata"].get("creationTimestamp"))
    return max(0.0, known.now - made) if made else -1.0


def _monmap(known: Known) -> list[Object]:
    """The map as Ceph has it, or else as it was last noted."""
    if known.members:
        return [
            {
                "name": str(one["name"]),
                "addr": _bare(one["addrs"]),
                "addrs": list(one["addrs"]),
            }
            for one in known.members
        ]
    return [
        {"name": mon.name, "addr": mon.address, "addrs": mon.addrs.strip("[]").split(",")}
        for mon in known.mons.mons.values()
    ]


def _bare(addrs: Sequence[str]) -> str:
    text = str(addrs[0]) if addrs else ""
    return text.split(":", 1)[-1].rpartition(":")[0].strip("[]")


def _osd(found: Object, known: Known, deployment: Mapping[str, Any], *, stale: bool) -> Object:
    """Its own word of the record stays in front of the dot, so that only a restart is asked for."""
    environment = environment_of(deployment)
    record = found["record"]
    return {
        **found,
        "record": f"{record.partition('.')[0]}.{STALE}" if stale and record else record,
        "drifted": [] if stale else found["drifted"],
        "fsid": known.identity.fsid,
        "osd_uuid": environment.get("ROOK_OSD_UUID", ""),
    }


def environment_of(deployment: Mapping[str, Any]) -> dict[str, str]:
    """Give the plain variables of the first container."""
    containers = _pod_spec(deployment).get("containers") or [{}]
    listed = containers[0].get("env") or []
    return {str(one["name"]): str(one["value"]) for one in listed if "value" in one}


def _other_conf(known: Known, deployment: Mapping[str, Any]) -> bool:
    """Say whether its node was given a ceph.conf of its own since it started, or has lost it."""
    pod = _pod_spec(deployment)
    node, mounted = kubernetes_cluster.pinned(pod), kubernetes_pod.mounted_conf(pod)
    return bool(mounted and node) and mounted != kubernetes_pod.conf_map(node, known.overrides)


def _inside(edited: Sequence[str]) -> bool:
    return any(path.startswith(".spec.template") for path in edited)


def _told(deployment: Mapping[str, Any], edited: list[str]) -> list[str]:
    name = f"Deployment {deployment['metadata']['name']}"
    return [f"{name} was edited: {kubernetes_drift.told(edited)}"] if edited else []


def _keyring(known: Known, kind: str, name: str) -> bool:
    needed = {
        "mon": [kubernetes_mon.KEYRING, kubernetes_identity.ADMIN_KEYRING],
        "mgr": [kubernetes_mgr.keyring(name)],
    }
    return all(one in known.keyrings for one in needed.get(kind, []))


def _shared(known: Known, kind: str, name: str) -> list[str]:
    """Objects that belong to a daemon, or to all of its kind, and are gone or edited."""
    wanted: list[str] = []
    noted = _unnoted(known, name) if kind == "mon" else []
    if kind == "mon" and not known.cluster.host_network:
        mon = known.mons.mons.get(name)
        own = kubernetes_cluster.deployment_name("mon", name)
        wanted = [own] if mon and mon.address != mon.node_address else []
    if kind == "mgr":
        wanted = [one["metadata"]["name"] for one in kubernetes_mgr.services(known.cluster)]
    found = [*noted, *kubernetes_drift.complaints("Service", wanted, known.services)]
    if name != _first(known, kind):
        return found
    budgets = kubernetes_desired.budgets(known.cluster, {kind}, "")
    names = [one["metadata"]["name"] for one in budgets]
    wrong = kubernetes_drift.complaints(kubernetes_cluster.BUDGET, names, known.budgets)
    return [*found, *wrong, *_lost(known, kind)]


def _first(known: Known, kind: str) -> str:
    """The daemon that tells of what all of its kind share; none that is left alone is asked."""
    kept = (one for one in known.deployments if not kubernetes_cluster.is_left_alone(one))
    ids = [id_of(one) for one in kept if kind_of(one) == kind]
    return min(ids, key=lambda one: (len(one), one), default="")


def _lost(known: Known, kind: str) -> list[str]:
    """The mons' step makes the ConfigMaps that no daemon starts without."""
    needed = (kubernetes_identity.ENDPOINTS, kubernetes_identity.OVERRIDE)
    lost = [name for name in needed if name not in known.maps] if kind == "mon" else []
    return [f"ConfigMap {name}: missing" for name in lost]


def put_aside(known: Known) -> list[Object]:
    """Name the mons that were, by the highest id that ever was: none is used again."""
    ids = [letters.letter(place) for place in range(known.mons.highest + 1)]
    gone = [name for name in ids if name not in known.mons.mons]
    return [{"type": "mon", "id": name} for name in gone]
