"""An OSD as Rook runs it in Kubernetes, and what Rook reads of a node's OSDs: pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_pod,
    kubernetes_scheduling,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_cluster import (
        Cluster,
    )

    Object = dict[str, Any]

# An OSD that went down too often ends by itself, without an error; started again at once it would
# go on so. Whoever stops the pod is heard meanwhile.
_FLAPPING = """stopped=
trap 'stopped=1; kill -TERM $!' TERM
ceph-osd "$@" &
wait $!; ended=$?
[ -z "$stopped" ] || { wait $!; exit; }
[ $ended != 0 ] || { sleep "$FLAPPING_SECONDS" & wait $!; }
exit $ended
"""

ENVIRONMENT = {"configMapRef": {"name": "rook-ceph-osd-env-override", "optional": True}}
"""Rook's ConfigMap of variables for all OSDs; a container reads it when it starts."""

_DATA, _DEVICES, _UDEV = "activate-osd", "devices", "run-udev"


def deployment(
    cluster: Cluster,
    daemon: Mapping[str, Any],
    fsid: str,
    node: str,
    programs: Mapping[str, str],
) -> Object:
    """Give the Deployment of an OSD; `programs` are the texts of those that its steps name.

    The ConfigMap that is the daemon's `conf_map` has its ceph.conf.
    """
    osd, uuid = str(daemon["id"]), str(daemon["osd_uuid"])
    data = f"/var/lib/ceph/osd/ceph-{osd}"
    mounted = [*kubernetes_pod.mounts(), *_mounts(data)]
    pod = {
        **kubernetes_scheduling.placement(cluster, "osd"),
        **kubernetes_pod.network(cluster),
        **kubernetes_scheduling.priority(cluster, "osd"),
        "serviceAccountName": "rook-ceph-osd",
        "nodeSelector": {cluster.hostname_label: node},
        "initContainers": [
            *(
                _step(cluster, daemon, step, mounted, programs, node)
                for step in daemon["before_start"]
            ),
            _expand(cluster, mounted, data),
            kubernetes_pod.chown(cluster, mounted, [data]),
        ],
        "containers": [
            _container(cluster, daemon, fsid, mounted, node),
            *kubernetes_pod.log_collector(cluster, "osd", osd, mounted),
        ],
        "volumes": [
            *kubernetes_pod.volumes(
                cluster, conf=daemon.get("conf_map") or kubernetes_pod.CONF_MAP
            ),
            kubernetes_pod.host_path(_DEVICES, "/dev", "Directory"),
            kubernetes_pod.host_path(_UDEV, "/run/udev", "DirectoryOrCreate"),
            kubernetes_pod.host_path(_DATA, f"{cluster.namespace_dir}/{fsid}_{uuid}"),
        ],
    }
    return kubernetes_pod.deployment(
        cluster,
        "osd",
        osd,
        pod=pod,
        record=str(daemon.get("record") or ""),
        labels=_labels(cluster, daemon),
        pod_annotations=_restarted_on(daemon),
    )


def _restarted_on(daemon: Mapping[str, Any]) -> dict[str, str]:
    """Make new pods when what the OSD reads at its start is another."""
    read = daemon.get("restart_on")
    return {kubernetes_cluster.RESTART_ON: str(read)} if read else {}


def _mounts(data: str) -> list[Object]:
    return [
        {"name": _DEVICES, "mountPath": "/dev"},
        {"name": _UDEV, "mountPath": "/run/udev"},
        {"name": _DATA, "mountPath": data},
    ]


def _labels(cluster: Cluster, daemon: Mapping[str, Any]) -> dict[str, str]:
    levels = location(daemon)
    store = cluster.section("storage", "store").get("type") or "bluestore"
    return {
        "failure-domain": levels.get("host", ""),
        "portable": "false",
        "device-class": str(daemon.get("device_class") or ""),
        "device-type": str(daemon.get("device_class") or ""),
        "osd-store": str(store),
        "encrypted": "false",
        **{f"topology-location-{level}": name for level, name in levels.items()},
    }


def location(daemon: Mapping[str, Any]) -> dict[str, str]:
    """Give the levels of a CRUSH location, such as `root=default host=node-1`."""
    text = str(daemon.get("crush_location") or "")
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def _step(  # noqa: PLR0913, PLR0917 - what an init container is made of
    cluster: Cluster,
    daemon: Mapping[str, Any],
    step: Mapping[str, Any],
    mounted: Sequence[Object],
    programs: Mapping[str, str],
    node: str,
) -> Object:
    """Turn a step before the start into an init container: activate, from the device's label."""
    argv = [str(word) for word in step["argv"]]
    text = programs.get(argv[0])
    command = ["python3", "-c", text] if text else argv[:1]
    return {
        **_privileged(cluster, "activate", mounted),
        "envFrom": [ENVIRONMENT],
        "command": command,
        "args": argv[1:],
        "resources": _resources(cluster, daemon, node),
    }


def _expand(cluster: Cluster, mounted: Sequence[Object], data: str) -> Object:
    return {
        **_privileged(cluster, "expand-bluefs", mounted),
        "command": ["ceph-bluestore-tool"],
        "args": ["bluefs-bdev-expand", "--path", data],
    }


def _privileged(cluster: Cluster, name: str, mounted: Sequence[Object]) -> Object:
    built = kubernetes_pod.container(cluster, name, mounted)
    return {**built, "securityContext": {"privileged": True, "runAsUser": 0}}


def _resources(cluster: Cluster, daemon: Mapping[str, Any], node: str) -> Object:
    """Give what the manifest allows to this device class, or else to any OSD.

    The amounts that it has for this node go before those, each by itself, as with Rook.
    """
    kind = f"osd-{daemon.get('device_class') or ''}"
    every, here = kubernetes_pod.resources(cluster, kind, "osd"), _of_node(cluster, node)
    amounts = {
        part: {**(every.get(part) or {}), **(here.get(part) or {})}
        for part in ("limits", "requests")
    }
    return {**every, **here, **{part: found for part, found in amounts.items() if found}}


def _of_node(cluster: Cluster, node: str) -> Object:
    """Give the node's own resources; its name may be short or full, in any case."""
    storage = cluster.section("storage")
    listed = [] if storage.get("useAllNodes") else storage.get("nodes") or []
    names = [(str(one.get("name") or ""), one) for one in listed]
    named = [one for name, one in names if name == node]
    meant = [one for name, one in names if _short(name) == _short(node)]
    found = (named or meant or [{}])[0]
    return dict(found.get("resources") or {})


def _short(name: str) -> str:
    return name.lower().partition(".")[0]


def _container(
    cluster: Cluster,
    daemon: Mapping[str, Any],
    fsid: str,
    mounted: Sequence[Object],
    node: str,
) -> Object:
    osd = str(daemon["id"])
    built = _privileged(cluster, "osd", mounted)
    return {
        **built,
        "env": [*built["env"], *_known(daemon, node), *_given(daemon), *_pause(cluster)],
        "envFrom": [ENVIRONMENT],
        **_command(cluster),
        "args": [
            "--foreground",
            f"--id={osd}",
            f"--fsid={fsid}",
            "--setuser=ceph",
            "--setgroup=ceph",
            f"--crush-location={daemon.get('crush_location') or ''}",
            *kubernetes_pod.arguments(cluster),
            "--ms-learn-addr-from-peer=false",
        ],
        "resources": _resources(cluster, daemon, node),
        **kubernetes_pod.probes(cluster, "osd", osd),
    }


def _command(cluster: Cluster) -> Object:
    flapping = ["sh", "-c", _FLAPPING, "ceph-osd"]
    return {"command": flapping if _pause(cluster) else ["ceph-osd"]}


def _pause(cluster: Cluster) -> list[Object]:
    hours = int(cluster.section("storage").get("flappingRestartIntervalHours") or 0)
    return [{"name": "FLAPPING_SECONDS", "value": str(3600 * hours)}] if hours > 0 else []


def _known(daemon: Mapping[str, Any], node: str) -> list[Object]:
    """Give what Rook builds its own picture of the OSD from."""
    values = {
        "ROOK_NODE_NAME": node,
        "ROOK_OSD_ID": daemon["id"],
        "ROOK_OSD_UUID": daemon["osd_uuid"],
        "ROOK_BLOCK_PATH": daemon.get("path") or "",
        "ROOK_METADATA_DEVICE": daemon.get("metadata_device") or "",
        "ROOK_WAL_DEVICE": "",
        "ROOK_CV_MODE": daemon.get("mode") or "raw",
        "ROOK_OSD_DEVICE_CLASS": daemon.get("device_class") or "",
        "ROOK_OSD_PVC_SIZE": "",
        "ROOK_PVC_BACKED_OSD": "false",
        "ROOK_LV_BACKED_PV": "false",
        "ROOK_TOPOLOGY_AFFINITY": "",
        "ROOK_OSD_CRUSH_DEVICE_CLASS": daemon.get("device_class") or "",
    }
    return [{"name": name, "value": str(value)} for name, value in values.items()]


def _given(daemon: Mapping[str, Any]) -> list[Object]:
    found = daemon.get("environment") or {}
    return [{"name": str(name), "value": str(value)} for name, value in sorted(found.items())]


def status_map(
    cluster: Cluster, node: str, osds: Sequence[Mapping[str, Any]], message: str = ""
) -> Object:
    """Give the ConfigMap that tells Rook's readers what a node's preparation found."""
    name = kubernetes_cluster.named("rook-ceph-osd-{}-status", node)
    listed = [_told(one, node) for one in osds]
    status = {
        "osds": listed,
        "status": "completed",
        "pvc-backed-osd": False,
        "message": message,
    }
    labels = {"app": "rook-ceph-osd", "status": "provisioning", "node": node}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": cluster.metadata(name, labels),
        "data": {"status": json.dumps(status)},
    }


def _told(daemon: Mapping[str, Any], node: str) -> Object:
    return {
        "id": int(daemon["id"]),
        "cluster": "ceph",
        "uuid": str(daemon["osd_uuid"]),
        "device-part-uuid": "",
        "device-class": str(daemon.get("device_class") or ""),
        "lv-path": str(daemon.get("path") or ""),
        "metadata-path": str(daemon.get("metadata_device") or ""),
        "wal-path": "",
        "skip-lv-release": True,
        "location": str(daemon.get("crush_location") or ""),
        "lv-backed-pv": False,
        "lv-mode": str(daemon.get("mode") or "raw"),
        "store": "bluestore",
        "topologyAffinity": "",
        "encrypted": False,
        "exportService": False,
        "nodeName": node,
        "pvcName": "",
        "device-type": str(daemon.get("device_class") or ""),
    }
