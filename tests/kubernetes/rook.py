"""Turns the objects of a cluster into those that Rook makes, with what is only ours stripped off.

Rook's own image is not there: the sidecar `watch-active`, which is a program of that image, stays.
"""

import copy
from collections.abc import Callable, Mapping
from typing import Any

Object = dict[str, Any]

OURS = "orchestrator.ceph.io/"
SERVER_SIDE = (
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
NOTE = {"banzaicloud.com/last-applied": "UEsDBBQACAAIAAAAAAAAAAAAAAAAAAAAAAAIAAAAb3JpZ2luYWw="}
VERSIONS = {"rook-version": "v1.20.1", "ceph-version": "20.2.4-0"}
LOGGING = [
    "--default-log-to-stderr=true",
    "--default-err-to-stderr=true",
    "--default-mon-cluster-log-to-stderr=true",
    "--default-log-stderr-prefix=debug ",
    "--default-log-to-file=false",
    "--default-mon-cluster-log-to-file=false",
]


def flags(fsid: str, daemon: str) -> list[str]:
    return [
        f"--fsid={fsid}",
        "--keyring=/etc/ceph/keyring-store/keyring",
        *LOGGING,
        "--mon-host=$(ROOK_CEPH_MON_HOST)",
        "--mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)",
        f"--id={daemon}",
        "--setuser=ceph",
        "--setgroup=ceph",
    ]


def stripped(live: Mapping[str, Any]) -> Object:
    """An object without what the server and we noted on it."""
    found = {key: copy.deepcopy(value) for key, value in live.items() if key != "status"}
    metadata = {k: v for k, v in found["metadata"].items() if k not in SERVER_SIDE}
    notes = metadata.get("annotations") or {}
    metadata["annotations"] = {k: v for k, v in notes.items() if not k.startswith(OURS)}
    return {**found, "metadata": metadata}


def deployment(live: Mapping[str, Any], fsid: str) -> Object:
    """A daemon's Deployment as Rook's operator writes it."""
    found = stripped(live)
    labels = found["metadata"]["labels"]
    kind = labels["app"].removeprefix("rook-ceph-")
    labels |= VERSIONS
    found["metadata"]["annotations"] |= NOTE
    template = found["spec"]["template"]
    notes = template["metadata"].get("annotations") or {}
    template["metadata"]["annotations"] = {
        key: value for key, value in notes.items() if not key.startswith(OURS)
    }
    pod = template["spec"]
    pod["securityContext"] = {}
    if kind != "osd":  # Debian's OSDs look for object classes below the folder that they start in
        for container in pod["containers"]:
            container["workingDir"] = "/var/log/ceph"
    BUILDERS[kind](pod, fsid, labels["ceph_daemon_id"])
    _probed(pod, kind, labels["ceph_daemon_id"])
    return found


def _mon(pod: Object, fsid: str, mon: str) -> None:
    (container,) = pod["containers"]
    address = next(one for one in container["args"] if one.startswith("--public-addr="))
    make = pod["initContainers"][1]
    make |= {"command": ["ceph-mon"], "args": [*flags(fsid, mon), address, "--mkfs"]}
    del make["terminationMessagePolicy"]
    container["args"] = [
        *flags(fsid, mon),
        "--foreground",
        address,
        f"--setuser-match-path=/var/lib/ceph/mon/ceph-{mon}/store.db",
        "--public-bind-addr=$(ROOK_POD_IP)",
    ]


def _mgr(pod: Object, fsid: str, mgr: str) -> None:
    container = next(one for one in pod["containers"] if one["name"] == "mgr")
    ids = ["--client-mount-uid=0", "--client-mount-gid=0"]
    address = "--public-addr=$(ROOK_POD_IP)"
    container["args"] = [*flags(fsid, mgr), *ids, "--foreground", address]
    words = "--mon-host $(ROOK_CEPH_MON_HOST) --keyring /etc/ceph/keyring-store/keyring"
    container["env"] += [
        {"name": "ROOK_OPERATOR_NAMESPACE", "value": "rook-ceph"},
        {"name": "CEPH_ARGS", "value": words},
    ]
    pod["tolerations"] = [unreachable()]


def _osd(pod: Object, fsid: str, osd: str) -> None:
    (container,) = pod["containers"]
    location = next(one for one in container["args"] if one.startswith("--crush-location="))
    container["args"] = [
        *("--foreground", "--id", osd, "--fsid", fsid, "--setuser", "ceph", "--setgroup", "ceph"),
        location,
        *LOGGING,
        "--ms-learn-addr-from-peer=false",
    ]
    mons = {"name": "CEPH_ARGS", "value": "-m $(ROOK_CEPH_MON_HOST)"}
    container["env"] += [mons, {"name": "TINI_SUBREAPER", "value": ""}]
    activate = next(one for one in pod["initContainers"] if one["name"] == "activate")
    script = 'ceph-volume raw activate --device "$ROOK_BLOCK_PATH" --no-systemd --no-tmpfs'
    own = [one for one in container["env"] if one["name"].startswith("ROOK_")]
    loops = {"name": "CEPH_VOLUME_ALLOW_LOOP_DEVICES", "value": "1"}
    activate |= {"command": ["/bin/bash", "-c", script], "args": [], "env": [*own, mons, loops]}


BUILDERS: Mapping[str, Callable[[Object, str, str], None]] = {"mon": _mon, "mgr": _mgr, "osd": _osd}


def unreachable() -> Object:
    return {
        "key": "node.kubernetes.io/unreachable",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 5,
    }


def _probed(pod: Object, kind: str, daemon: str) -> None:
    container = next(one for one in pod["containers"] if one["name"] == kind)
    asked = "mon_status" if kind == "mon" else "status"
    script = f"ceph --admin-daemon /run/ceph/ceph-{kind}.{daemon}.asok {asked} > /dev/null"
    for name in ("livenessProbe", "startupProbe"):
        container[name]["exec"] = {"command": ["env", "-i", "sh", "-c", script]}
        container[name]["timeoutSeconds"] = 15  # the machine is shared


def endpoints(live: Mapping[str, Any]) -> Object:
    """The map of mons: no labels, and its list in another order."""
    found = unlabelled(live)
    found["data"]["data"] = ",".join(reversed(found["data"]["data"].split(",")))
    return found


def unlabelled(live: Mapping[str, Any]) -> Object:
    """Rook's Secrets and ConfigMaps have no labels."""
    found = stripped(live)
    found["metadata"].pop("labels", None)
    return found
