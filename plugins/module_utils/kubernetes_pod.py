"""What the pods of all Ceph daemons have in common, as Rook makes them: pure."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_scheduling,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

KEYRING = "/etc/ceph/keyring-store/keyring"
_MEGABYTE = 1000**2
_KEYRING_STORE = "/etc/ceph/keyring-store/"
CONF_MAP = "rook-config-override"
CONF_MAP_OF_NODE = "rook-config-override-{}"
MON_HOST_SECRET = "rook-ceph-config"  # noqa: S105 - a name, no secret

_ARGUMENTS = (
    "--default-log-to-stderr=true",
    "--default-err-to-stderr=true",
    "--default-mon-cluster-log-to-stderr=true",
    "--default-log-stderr-prefix=debug ",
    "--default-mon-cluster-log-to-file=false",
    "--mon-host=$(ROOK_CEPH_MON_HOST)",
    "--mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)",
)

_ASK = (
    "import json,socket,sys\n"
    "s=socket.socket(socket.AF_UNIX);s.settimeout(4);s.connect(sys.argv[1])\n"
    "s.sendall(json.dumps({'prefix':sys.argv[2]}).encode()+b'\\0')\n"
    "sys.exit(not int.from_bytes(s.recv(4),'big'))\n"
)
"""Asks what `ceph --admin-daemon SOCKET status` asks, without half a second of CPU each time."""

_PERIODS = {"1h": "hourly", "24h": "daily", "1d": "daily", "": "daily"}
"""Rook's other words for logrotate's."""

_KEPT_LOGS = 7
_ROTATION = """set -eu
log=/var/log/ceph/ceph-$1.log; conf=/tmp/$1.conf
printf '%s {\n%s\nrotate %s\nmaxsize %s\n' "$log" "$2" "$3" "$4" >"$conf"
printf 'su ceph ceph\ncompress\nmissingok\nnotifempty\nnodateext\n' >>"$conf"
printf "postrotate\npython3 -S -c '%s' '%s' 'log reopen'\nendscript\n}\n" "$5" "$6" >>"$conf"
trap 'exit 0' TERM
while :; do
  logrotate --state "/var/log/ceph/.logrotate-$1" "$conf" || true
  sleep 900 & wait $!
done
"""
"""Whoever rotates asks the daemon for a new file by its socket: no signal crosses containers."""


def conf_map(node: str, there: Collection[str]) -> str:
    """Give the ConfigMap with ceph.conf for OSDs of a node: its own if that is `there`."""
    own = kubernetes_cluster.named(CONF_MAP_OF_NODE, node)
    return own if own in there else CONF_MAP


def mounted_conf(pod: Mapping[str, Any]) -> str:
    """Give the ConfigMap that the spec of a pod has for ceph.conf, empty where it has none."""
    for volume in pod.get("volumes") or ():
        if volume.get("name") == CONF_MAP:
            sources = (volume.get("projected") or {}).get("sources") or [volume]
            maps = [one["configMap"] for one in sources if one.get("configMap")]
            return str(maps[0]["name"]) if maps else ""
    return ""


def volumes(cluster: Cluster, keyring: str = "", conf: str = CONF_MAP) -> list[Object]:
    """Give Rook's volumes of a daemon: configuration, keyring, sockets, logs and crashes.

    The ConfigMap `conf` has the text of ceph.conf.
    """
    found = [
        {
            "name": CONF_MAP,
            "projected": {
                "defaultMode": 0o444,
                "sources": [
                    {
                        "configMap": {
                            "name": conf,
                            "items": [{"key": "config", "path": "ceph.conf", "mode": 0o444}],
                        }
                    }
                ],
            },
        },
        host_path("ceph-daemons-sock-dir", f"{cluster.data_dir}/exporter"),
        host_path("rook-ceph-log", f"{cluster.namespace_dir}/log"),
        host_path("rook-ceph-crash", f"{cluster.namespace_dir}/crash"),
    ]
    if keyring:
        found.append({"name": keyring, "secret": {"secretName": keyring}})
    return found


def host_path(name: str, path: str, kind: str = "DirectoryOrCreate") -> Object:
    return {"name": name, "hostPath": {"path": path, "type": kind}}


def mounts(keyring: str = "") -> list[Object]:
    found: list[Object] = [
        {"name": CONF_MAP, "mountPath": "/etc/ceph", "readOnly": True},
        {"name": "ceph-daemons-sock-dir", "mountPath": "/run/ceph"},
        {"name": "rook-ceph-log", "mountPath": "/var/log/ceph"},
        {"name": "rook-ceph-crash", "mountPath": "/var/lib/ceph/crash"},
    ]
    if keyring:
        found.append({"name": keyring, "mountPath": _KEYRING_STORE, "readOnly": True})
    return found


def environment(cluster: Cluster) -> list[Object]:
    """Give the variables that tell a daemon where it runs and where the mons are."""
    fields = {
        "POD_NAME": "metadata.name",
        "POD_NAMESPACE": "metadata.namespace",
        "NODE_NAME": "spec.nodeName",
        "ROOK_POD_IP": "status.podIP",
    }
    limits = {
        "POD_MEMORY_LIMIT": "limits.memory",
        "POD_MEMORY_REQUEST": "requests.memory",
        "POD_CPU_LIMIT": "limits.cpu",
        "POD_CPU_REQUEST": "requests.cpu",
    }
    secrets = {
        "ROOK_CEPH_MON_HOST": "mon_host",
        "ROOK_CEPH_MON_INITIAL_MEMBERS": "mon_initial_members",
    }
    return [
        {"name": "CONTAINER_IMAGE", "value": cluster.image},
        *({"name": name, "valueFrom": _field(path)} for name, path in fields.items()),
        *({"name": name, "valueFrom": _resource(path)} for name, path in limits.items()),
        {"name": "CEPH_USE_RANDOM_NONCE", "value": "true"},
        *({"name": name, "valueFrom": _mon_host(key)} for name, key in secrets.items()),
    ]


def arguments(cluster: Cluster) -> list[str]:
    """Give what all daemons are told: a file of their own they write where it is rotated."""
    to_file = "true" if _collected(cluster) else "false"
    return [*_ARGUMENTS, f"--default-log-to-file={to_file}"]


def _collected(cluster: Cluster) -> bool:
    return bool(cluster.section("logCollector").get("enabled"))


def log_collector(
    cluster: Cluster, kind: str, daemon_id: str, mounted: Sequence[Object]
) -> list[Object]:
    """Give the container that rotates a daemon's log, none where the manifest asks for none."""
    if not _collected(cluster):
        return []
    name, socket = f"{kind}.{daemon_id}", f"/run/ceph/ceph-{kind}.{daemon_id}.asok"
    told = (name, *_rotated(cluster), _ASK.replace("'", '"'), socket)
    return [
        {
            **container(cluster, "log-collector", mounted),
            "command": ["sh", "-c", _ROTATION, "log-collector", *map(str, told)],
            "resources": resources(cluster, "logcollector"),
        }
    ]


def _rotated(cluster: Cluster) -> tuple[str, int, str]:
    """Give how often, how many are kept and from what size on; logrotate counts in powers of 2."""
    asked = cluster.section("logCollector")
    period = str(asked.get("periodicity") or "")
    size = kubernetes_drift.quantity(asked.get("maxLogSize") or "500M")
    megabytes = max(1, int((size or 0) // _MEGABYTE))
    return _PERIODS.get(period, period), _KEPT_LOGS, f"{megabytes}M"


def _field(path: str) -> Object:
    return {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}


def _resource(path: str) -> Object:
    return {"resourceFieldRef": {"resource": path, "divisor": "0"}}


def _mon_host(key: str) -> Object:
    return {"secretKeyRef": {"name": MON_HOST_SECRET, "key": key}}


def chown(cluster: Cluster, mounted: Sequence[Object], paths: Sequence[str]) -> Object:
    """Give the init step that makes the daemon's folders Ceph's own."""
    return {
        **container(cluster, "chown-container-data-dir", mounted),
        "command": ["chown"],
        "args": [
            "--verbose",
            "--recursive",
            "ceph:ceph",
            "/var/log/ceph",
            "/var/lib/ceph/crash",
            "/run/ceph",
            *paths,
        ],
    }


def container(cluster: Cluster, name: str, mounted: Sequence[Object]) -> Object:
    """Give a container of Ceph's image; who calls adds what it runs."""
    policy = cluster.section("cephVersion").get("imagePullPolicy") or "IfNotPresent"
    return {
        "name": name,
        "image": cluster.image,
        "imagePullPolicy": policy,
        "env": environment(cluster),
        "volumeMounts": list(mounted),
        "securityContext": {"privileged": False, "runAsUser": 0},
    }


def resources(cluster: Cluster, *keys: str) -> Object:
    """Give what the manifest allows, by the first of these keys that it has."""
    found = cluster.section("resources")
    return next((dict(found[key]) for key in keys if found.get(key)), {})


def probes(cluster: Cluster, kind: str, daemon_id: str) -> Object:
    """Give the liveness and the startup probe, unless the manifest turns them off."""
    command = "mon_status" if kind == "mon" else "status"
    socket = f"/run/ceph/ceph-{kind}.{daemon_id}.asok"
    asked = {"exec": {"command": ["python3", "-S", "-c", _ASK, socket, command]}}
    tries = 720 if kind == "osd" else 6
    kinds = {
        "livenessProbe": {"initialDelaySeconds": 10, "timeoutSeconds": 5},
        "startupProbe": {
            "initialDelaySeconds": 10,
            "periodSeconds": 10,
            "timeoutSeconds": 5,
            "failureThreshold": tries,
        },
    }
    return {
        name: {**asked, **defaults, **(wanted.get("probe") or {})}
        for name, defaults in kinds.items()
        for wanted in [cluster.section("healthCheck", name).get(kind) or {}]
        if not wanted.get("disabled")
    }


def network(cluster: Cluster, own: Any = None) -> Object:  # noqa: ANN401 - from the manifest
    """Give the host's network where it is asked for; a kind's `own` word goes first."""
    if not (cluster.host_network if own is None else own):
        return {}
    return {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}


def settings(cluster: Cluster, kind: str) -> str:
    """Give a hash of all in the manifest that shapes the pods of a kind of daemon.

    Another hash on a live Deployment tells that its pods are not as the manifest says now.
    """
    network_ = cluster.section("network")
    shape = {
        "image": [cluster.image, cluster.section("cephVersion").get("imagePullPolicy")],
        "data": cluster.data_dir,
        "network": [network(cluster), cluster.msgr2_only, network_.get("dualStack")],
        "placement": kubernetes_scheduling.placement(cluster, kind),
        "priority": kubernetes_scheduling.priority(cluster, kind),
        "probes": probes(cluster, kind, ""),
        "labels": kubernetes_cluster.given(cluster, "labels", kind),
        "annotations": kubernetes_cluster.given(cluster, "annotations", kind),
        "resources": {
            key: value
            for key, value in cluster.section("resources").items()
            if key.split("-")[0] == kind
        },
        "own": _own_settings(cluster, kind),
        **_logged(cluster),
    }
    text = json.dumps(shape, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _logged(cluster: Cluster) -> Object:
    if not _collected(cluster):
        return {}
    return {"log": [*_rotated(cluster), resources(cluster, "logcollector")]}


def _own_settings(cluster: Cluster, kind: str) -> Object:
    section = cluster.section(kind)
    found: Object = {"shared": bool(section.get("allowMultiplePerNode"))}
    hours = cluster.section("storage").get("flappingRestartIntervalHours")
    if kind == "osd" and hours:
        found["flapping"] = hours
    if kind == "mgr":
        found["several"] = cluster.count("mgr", 1) > 1
        found["network"] = section.get("hostNetwork")
        found["dashboard"] = dict(cluster.section("dashboard"))
    return found


def deployment(  # noqa: PLR0913 - one keyword for each part of a Deployment
    cluster: Cluster,
    kind: str,
    daemon_id: str,
    *,
    pod: Object,
    record: str,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    pod_annotations: Mapping[str, str] | None = None,
) -> Object:
    """Give the Deployment of one daemon around the spec of its pod."""
    own = {**kubernetes_cluster.labels(cluster, kind, daemon_id), **(labels or {})}
    theirs = kubernetes_cluster.given(cluster, "labels", kind)
    noted = kubernetes_cluster.given(cluster, "annotations", kind)
    keep = {
        **noted,
        **(annotations or {}),
        kubernetes_cluster.RECORD: record,
        kubernetes_cluster.SETTINGS: settings(cluster, kind),
    }
    inside = {**noted, **(pod_annotations or {})}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": cluster.metadata(
            kubernetes_cluster.deployment_name(kind, daemon_id), {**theirs, **own}, keep
        ),
        "spec": {
            "replicas": 1,
            "revisionHistoryLimit": cluster.revisions,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": kubernetes_cluster.selector(cluster, kind, daemon_id)},
            "template": {
                "metadata": {
                    "labels": {**theirs, **own},
                    **({"annotations": inside} if inside else {}),
                },
                "spec": {"restartPolicy": "Always", **pod},
            },
        },
    }
