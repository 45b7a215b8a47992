"""A cluster's identity in Kubernetes: Rook's Secrets and its map of mons: pure."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    keyring,
    kubernetes_cluster,
    kubernetes_csi,
    kubernetes_mon,
    letters,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

MON = "rook-ceph-mon"
ADMIN_KEYRING = "rook-ceph-admin-keyring"
CREDENTIALS = "rook-ceph-operator-creds"
CONFIG = "rook-ceph-config"
ENDPOINTS = "rook-ceph-mon-endpoints"
OVERRIDE = "rook-config-override"
PROTECTION = "ceph.rook.io/disaster-protection"
ADMIN = "client.admin"

_ADDRESS = "--public-addr="
_CLIENT = "client."
_SECRET_NAMES = {
    "client.crash": "rook-ceph-crash-collector-keyring",
    "client.ceph-exporter": "rook-ceph-exporter-keyring",
}
_ADMIN_CAPS = dict.fromkeys(("mds", "mgr", "mon", "osd"), "allow *")


@dataclass(frozen=True)
class Mon:
    """A mon as the map has it; `node` is empty where Rook does not pin it."""

    name: str
    address: str
    port: int = kubernetes_mon.MSGR1
    node: str = ""
    node_address: str = ""
    zone: str = ""

    @property
    def addrs(self) -> str:
        """Give all its addresses in Ceph's form; port 3300 tells that it has no old messenger."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        new = f"v2:{host}:{kubernetes_mon.MSGR2}"
        only = self.port == kubernetes_mon.MSGR2
        return f"[{new}]" if only else f"[{new},v1:{host}:{self.port}]"


@dataclass(frozen=True)
class MonMap:
    """The ConfigMap of the mons; `highest` is the index of the last id that was ever in quorum."""

    mons: Mapping[str, Mon] = field(default_factory=dict)
    highest: int = letters.NO_PLACE
    out: tuple[str, ...] = ()
    external: tuple[str, ...] = ()

    @property
    def formed(self) -> bool:
        """Say whether the cluster ever had a quorum."""
        return self.highest > letters.NO_PLACE

    def without(self, names: Sequence[str]) -> MonMap:
        kept = {name: mon for name, mon in self.mons.items() if name not in names}
        return replace(self, mons=kept)


def read_map(data: Mapping[str, str] | None) -> MonMap:
    """Read the ConfigMap's data, Rook's own or ours."""
    given = data or {}
    nodes = _nodes(given.get("mapping") or "")
    mons = {}
    for entry in (given.get("data") or "").split(","):
        name, _sign, endpoint = entry.strip().partition("=")
        host, _colon, port = endpoint.rpartition(":")
        if name and host and port.isdigit():
            where = nodes.get(name) or {}
            mons[name] = Mon(
                name=name,
                address=host.strip("[]"),
                port=int(port),
                node=str(where.get("Hostname") or where.get("Name") or ""),
                node_address=str(where.get("Address") or ""),
                zone=str(where.get("zone") or ""),
            )
    return MonMap(
        mons=mons,
        highest=_number(given.get("maxMonId")),
        out=_listed(given.get("outOfQuorum")),
        external=_listed(given.get("externalMons")),
    )


def recovered(deployments: Sequence[Mapping[str, Any]]) -> MonMap:
    """Give the map as the Deployments of the mons tell it, for when its ConfigMap was lost.

    The highest id that ever was is lost with it: that of the mons that are left takes its place.
    """
    found = (_deployed(one) for one in deployments)
    mons = {mon.name: mon for mon in found if mon.name and mon.address}
    return MonMap(mons=mons, highest=max(map(letters.place, mons), default=letters.NO_PLACE))


def _deployed(deployment: Mapping[str, Any]) -> Mon:
    pod = deployment["spec"]["template"]["spec"]
    own = (one for one in pod["containers"] if one["name"] == "mon")
    container: Mapping[str, Any] = next(own, {})
    words = container.get("args") or []
    told = [word[len(_ADDRESS) :] for word in words if word.startswith(_ADDRESS)]
    old = [one for one in container.get("ports") or [] if one["name"] == "tcp-msgr1"]
    return Mon(
        name=str((deployment["metadata"].get("labels") or {}).get("mon") or ""),
        address=told[0] if told else "",
        port=kubernetes_mon.MSGR1 if old else kubernetes_mon.MSGR2,
        node=kubernetes_cluster.pinned(pod),
    )


def _nodes(text: str) -> Mapping[str, Mapping[str, Any]]:
    try:
        found = (json.loads(text) or {}).get("node")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _number(text: str | None) -> int:
    try:
        return int(text or letters.NO_PLACE)
    except ValueError:
        return letters.NO_PLACE


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(word for word in (text or "").split(",") if word)


def endpoints(cluster: Cluster, found: MonMap) -> Object:
    """Give the ConfigMap of the mons; the order of its lists says nothing, so it is kept sorted."""
    mons = _ordered(found)
    listed = mon_endpoints(found)
    places = {mon.name: _place(mon) for mon in mons}
    metadata = cluster.metadata(ENDPOINTS)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**metadata, "finalizers": [PROTECTION]},
        "data": {
            "data": ",".join(f"{mon.name}={one}" for mon, one in zip(mons, listed)),
            "mapping": json.dumps({"node": places}, separators=(",", ":")),
            "maxMonId": str(found.highest),
            "outOfQuorum": ",".join(found.out),
            "externalMons": ",".join(found.external),
            kubernetes_csi.KEY: kubernetes_csi.entries(cluster, listed),
        },
    }


def mon_endpoints(found: MonMap) -> list[str]:
    """Give the mons as `host:port`, in the order of their ids."""
    return [f"{_bracketed(mon.address)}:{mon.port}" for mon in _ordered(found)]


def _ordered(found: MonMap) -> list[Mon]:
    return [found.mons[name] for name in sorted(found.mons, key=lambda one: (len(one), one))]


def _place(mon: Mon) -> Object | None:
    if not mon.node:
        return None
    zone = {"zone": mon.zone} if mon.zone else {}
    return {"Name": mon.node, "Hostname": mon.node, "Address": mon.node_address, **zone}


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def mon_host(found: MonMap) -> str:
    return ",".join(mon.addrs for name, mon in sorted(found.mons.items()) if name not in found.out)


def config(cluster: Cluster, found: MonMap) -> Object:
    members = [name for name in sorted(found.mons) if name not in found.out]
    values = {"mon_host": mon_host(found), "mon_initial_members": ",".join(members)}
    return secret(cluster, CONFIG, values)


def same_config(held: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Compare two of those Secrets: Rook writes their lists in any order."""
    return all(
        sorted(str(held.get(key, "")).replace("],[", "]\n[").split("\n"))
        == sorted(str(value).replace("],[", "]\n[").split("\n"))
        if key == "mon_host"
        else sorted(str(held.get(key, "")).split(",")) == sorted(str(value).split(","))
        for key, value in wanted.items()
    )


def override(cluster: Cluster) -> Object:
    """Give the user's own ceph.conf, empty: it is only made, and never written again."""
    metadata = cluster.metadata(OVERRIDE)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"config": ""}}


def identity(cluster: Cluster, fsid: str, mon_key: str, admin_key: str) -> list[Object]:
    """Give the Secrets of a new cluster, the one that tells of a cluster first."""
    admin = keyring.render(ADMIN, admin_key, _ADMIN_CAPS)
    mons = keyring.render("mon.", mon_key, {"mon": "allow *"}) + admin
    own = {
        "fsid": fsid,
        "mon-secret": mon_key,
        "ceph-username": ADMIN,
        "ceph-secret": admin_key,
    }
    first = secret(cluster, MON, own)
    first["metadata"]["finalizers"] = [PROTECTION]
    return [
        first,
        keyring_secret(cluster, kubernetes_mon.KEYRING, mons),
        keyring_secret(cluster, ADMIN_KEYRING, admin),
    ]


def keyring_secret(cluster: Cluster, name: str, text: str) -> Object:
    built = secret(cluster, name, {"keyring": text})
    built["metadata"]["annotations"] = {"cephx-keyring": ""}
    return built


def keyring_name(entity: str) -> str:
    """Give the name of the Secret that holds an entity's keyring."""
    if entity == "mon.":
        return kubernetes_mon.KEYRING
    if entity == ADMIN:
        return ADMIN_KEYRING
    known = _SECRET_NAMES.get(entity) or kubernetes_csi.secret_name(entity)
    return known or f"rook-ceph-{entity.replace('.', '-')}-keyring"


def secret(cluster: Cluster, name: str, values: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": cluster.metadata(name),
        "type": kubernetes_cluster.SECRET_TYPE,
        "data": {key: _encoded(value) for key, value in values.items()},
    }


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def values(stored: Mapping[str, Any] | None) -> dict[str, str]:
    """Read a Secret's values."""
    data = (stored or {}).get("data") or {}
    return {
        key: base64.b64decode(value or "").decode("utf-8", "replace") for key, value in data.items()
    }


@dataclass(frozen=True)
class Identity:
    """Who the cluster is, as the Secrets say; the keys never get into a text of it."""

    fsid: str = ""
    mon_key: str = field(default="", repr=False)
    user: str = ADMIN
    user_key: str = field(default="", repr=False)

    @property
    def admin_key(self) -> str:
        return self.user_key if self.user == ADMIN else ""


def read_identity(stored: Mapping[str, Any] | None) -> Identity:
    """Read Rook's Secret, also the old form, which has the admin's key alone."""
    held = values(stored)
    old = held.get("admin-secret", "")
    key = held.get("ceph-secret") or ("" if old == "admin-secret" else old)
    mon_key = held.get("mon-secret", "")
    return Identity(
        fsid=held.get("fsid", "").lower(),
        mon_key="" if mon_key == "mon-secret" else mon_key,
        user=held.get("ceph-username") or ADMIN,
        user_key=key,
    )


def with_credentials(held: Identity, stored: Mapping[str, Any] | None) -> Identity:
    """Complete an identity without a key by the Secret that older imports have for it."""
    given = values(stored)
    user, key = given.get("userID", ""), given.get("userKey", "")
    if held.user_key or not (user and key):
        return held
    return replace(held, user=user if user.startswith(_CLIENT) else _CLIENT + user, user_key=key)


def conf(fsid: str, hosts: str, keyring_path: str) -> str:
    """Give the ceph.conf by which the operator's own clients find the cluster."""
    lines = [f"fsid = {fsid}", f"mon_host = {hosts}", f"keyring = {keyring_path}"]
    return "[global]\n" + "".join(f"{line}\n" for line in lines)
