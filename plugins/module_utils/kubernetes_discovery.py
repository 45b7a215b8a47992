"""Tells a node's disks in a ConfigMap, as Rook's discovery daemon does, whenever they change.

Nothing here opens a device: what the kernel and udev say is enough to know that there is another
one. Run as a program it stays and looks every few seconds, for which it loads next to nothing; what
writes to the API server is a short process of its own, because its client takes much memory.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    sysfs,
    udev,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Object = dict[str, Any]

MODULE = "ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.kubernetes_discovery"
APP = "rook-discover"
PUBLISH = "publish"
NODE, NAMESPACE = "NODE_NAME", "POD_NAMESPACE"

LOOK_SECONDS = 5.0
SETTLE_SECONDS = 2.0
"""A disk that comes makes several events: the last of them counts."""

WHOLE_SECONDS = 3600.0
"""What no event tells is found after this at the latest; Rook's ROOK_DISCOVER_DEVICES_INTERVAL."""

_IGNORED = ("rom", "dm")
_CONTENT = ("ID_FS_TYPE", "ID_PART_TABLE_TYPE")


def fingerprint() -> tuple[Any, ...]:
    """Give what moves with every event of a block device: names, and the ages of udev's notes."""
    try:
        notes = [
            (entry.name, entry.stat().st_mtime_ns)
            for entry in os.scandir(udev.DATABASE)
            if entry.name.startswith("b")
        ]
    except OSError:
        notes = []
    return tuple(sorted(_names())), tuple(sorted(notes))


def _names() -> list[str]:
    try:
        return os.listdir(sysfs.BLOCK)  # noqa: PTH208 - names are all that is asked for
    except OSError:
        return []


def devices() -> list[Object]:
    """List the block devices in the form of Rook's discovery daemon."""
    return sorted(_listed(sysfs.tree(), ""), key=lambda one: str(one["name"]))


def _listed(nodes: Sequence[Mapping[str, Any]], parent: str) -> Iterator[Object]:
    for node in nodes:
        if node["type"] not in _IGNORED and node["size"]:
            yield _told(node, parent)
        yield from _listed(node["children"], node["kname"])


def _told(node: Mapping[str, Any], parent: str) -> Object:
    known = udev.record(node["maj:min"])
    said = known.properties
    content = next((said[name] for name in _CONTENT if said.get(name)), "")
    return {
        "name": node["kname"],
        "parent": parent,
        "hasChildren": bool(node["children"]),
        "devLinks": " ".join(sorted(known.links)),
        "size": node["size"],
        "uuid": said.get("ID_FS_UUID") or said.get("ID_PART_TABLE_UUID") or "",
        "serial": said.get("ID_SERIAL_SHORT") or node["serial"],
        "type": node["type"],
        "rotational": node["rota"] == "1",
        "readOnly": node["ro"] == "1",
        "Partitions": None,
        "filesystem": said.get("ID_FS_TYPE", ""),
        "mountpoint": "",
        "vendor": said.get("ID_VENDOR") or node["vendor"],
        "model": said.get("ID_MODEL") or node["model"],
        "wwn": said.get("ID_WWN") or node["wwn"],
        "wwnVendorExtension": said.get("ID_WWN_VENDOR_EXTENSION", ""),
        "empty": not content and not node["children"],
        "real-path": node["path"],
        "kernel-name": node["kname"],
    }


def config_map(node: str, namespace: str, found: Sequence[Mapping[str, Any]]) -> Object:
    """Give Rook's ConfigMap of a node."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": kubernetes_cluster.named("local-device-{}", node),
            "namespace": namespace,
            "labels": {"app": APP, "rook.io/node": node},
        },
        "data": {"devices": json.dumps(found, sort_keys=True)},
    }


def published(node: str, namespace: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Write the ConfigMap; an empty text, or why that was not possible."""
    done = subprocess.run(
        [sys.executable, "-m", MODULE, PUBLISH],
        input=json.dumps(config_map(node, namespace, found)),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
    return lines[-1] if done.returncode else ""


def publish() -> None:
    """Write the ConfigMap that comes on the input."""
    from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (  # noqa: PLC0415
        kubernetes_api,
    )

    body = json.load(sys.stdin)
    try:
        api = kubernetes_api.Api(body["metadata"]["namespace"])
        there = api.get(body["kind"], body["metadata"]["name"]) is not None
        (api.replace if there else api.create)(body)
    except kubernetes_api.KubernetesError as error:
        raise SystemExit(str(error)) from error


class Discovery:
    """Looks until it is stopped, and writes what is other than what it wrote last."""

    def __init__(self, node: str, namespace: str, whole: float = WHOLE_SECONDS) -> None:
        self._node, self._namespace = node, namespace
        self._whole_looks = max(1, round(whole / LOOK_SECONDS))
        self._seen: tuple[Any, ...] | None = None
        self._left = 0
        self._written: list[Object] | None = None

    def look(self) -> bool:
        """Say whether a whole look is due: something moved, or the last one is long ago."""
        now, self._left = fingerprint(), self._left - 1
        due = now != self._seen or self._left <= 0
        self._seen = now
        return due

    def tell(self) -> str:
        """Write what there is, unless that is written; an empty text, or what went wrong."""
        found = devices()
        self._left = self._whole_looks
        if found == self._written:
            return ""
        problem = published(self._node, self._namespace, found)
        if problem:
            self._left = 1  # the next look tries again
        else:
            self._written = found
        return problem

    def run(self, stopped: threading.Event) -> None:
        while not stopped.is_set():
            if self.look():
                stopped.wait(SETTLE_SECONDS if self._written is not None else 0.0)
                problem = self.tell()
                if problem:
                    sys.stderr.write(f"the disks could not be told: {problem}\n")
            stopped.wait(LOOK_SECONDS)


def main(arguments: Sequence[str]) -> None:
    """Publish once, or look until SIGTERM; an argument is the seconds between whole looks."""
    if list(arguments) == [PUBLISH]:
        publish()
        return
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    whole = float(arguments[0]) if arguments else WHOLE_SECONDS
    Discovery(os.environ[NODE], os.environ[NAMESPACE], whole).run(stopped)


if __name__ == "__main__":
    main(sys.argv[1:])
