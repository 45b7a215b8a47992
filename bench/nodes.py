"""What a cluster costs inside a real Kubernetes: to be made on three nodes, and to be left alone.

The cluster is that of bench/cluster.yaml, so its making compares with the floor; what a container
takes to start, which the floor has none of, is measured beside. A pass that changes nothing is
timed by the operator itself.
"""

import json
import re
import time
import urllib.request
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from bench import waiting
from lab.kubernetes import cluster, demo, kubectl, operator_image
from lab.kubernetes.cluster import Cluster
from lab.proc import LabError

FOLDER = Path(".lab-bench-kubernetes")
ROUNDS = 11
PATIENCE_SECONDS = 900.0
PAUSE = 0.2
PASS = "ceph_orchestrator_pass_duration_seconds"  # noqa: S105 - the name of a metric
PROBE = "bench-image-start"
OSDS = 3
KEYRING = "/etc/ceph/keyring-store/keyring"
_BOOT = re.compile(r"(osd\.\d+) .* boot$")


def measure() -> dict[str, float]:
    """Return seconds; LabError when KUBECONFIG names a Kubernetes with disks of its own."""
    if demo.given():
        raise LabError("the bench needs the lab's own nodes: unset KUBECONFIG")
    made = Cluster(FOLDER.absolute())
    try:
        kubeconfig = demo.prepare(made)
        return {
            "k8s_image_start_seconds": _image_start(kubeconfig),
            **_create(kubeconfig),
            "k8s_noop_seconds": _noop(kubeconfig),
        }
    finally:
        cluster.down(made)


def _image_start(kubeconfig: Path) -> float:
    """How long a container of Ceph's image takes from its pod's making to its end."""
    words = ("run", PROBE, f"--image={operator_image.CEPH}", "--restart=Never")
    began = time.monotonic()
    kubectl.run(kubeconfig, *words, "--image-pull-policy=IfNotPresent", "--command", "--", "true")
    _wait(lambda: _phase(kubeconfig) == "Succeeded")
    seconds = time.monotonic() - began
    kubectl.run(kubeconfig, "delete", "pod", PROBE)
    return seconds


def _phase(kubeconfig: Path) -> str:
    return str(kubectl.get(kubeconfig, "pod", PROBE)["status"].get("phase"))


def _create(kubeconfig: Path) -> dict[str, float]:
    """From the CephCluster that is applied to the last OSD's boot, and to a status of Ready.

    Ready is later: collectors of crashes and all that clients read are made after the OSDs.
    """
    manifest = yaml.safe_load(demo.EXAMPLE.read_text())
    storage = manifest["spec"]["storage"]
    storage["devices"] = storage["devices"][:1]
    began = time.time()
    kubectl.run(kubeconfig, "apply", "--filename", "-", stdin=json.dumps(manifest))
    _wait(lambda: _status(kubeconfig).get("phase") == "Ready")
    ready = time.time()
    boots = booted(json.loads(_ceph(kubeconfig, "log", "last", "10000", "info", "cluster")))
    if len(boots) != OSDS:
        raise LabError(
            f"Ceph's log tells of OSDs that booted: {sorted(boots)}; the measure is void"
        )
    return {
        "k8s_create_seconds": max(boots.values()) - began,
        "k8s_ready_seconds": ready - began,
    }


def booted(log: list[dict[str, Any]]) -> dict[str, float]:
    """Return when each OSD came up, in seconds of the epoch, from the cluster's own log."""
    lines = ((entry["stamp"], _BOOT.match(entry["message"])) for entry in log)
    return {
        found[1]: datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
        for stamp, found in lines
        if found
    }


def _ceph(kubeconfig: Path, *words: str) -> str:
    """Ask Ceph inside a mon's pod, by what the pod itself was given."""
    ask = 'exec ceph --name client.admin --keyring "$1" --mon-host "$ROOK_CEPH_MON_HOST" "${@:2}"'
    inside = ("exec", "deployment/rook-ceph-mon-a", "--container", "mon", "--", "bash", "-c", ask)
    asked = ("ceph", KEYRING, *words, "--format", "json")
    return kubectl.run(kubeconfig, "--namespace", demo.NAMESPACE, *inside, *asked)


def _status(kubeconfig: Path) -> dict[str, Any]:
    found = kubectl.get(kubeconfig, "--namespace", demo.NAMESPACE, demo.NAME)
    status: dict[str, Any] = found.get("status") or {}
    return status


def _noop(kubeconfig: Path) -> float:
    """The median of passes that are woken by an annotation, which asks for no change."""
    demo.wait_healthy(kubeconfig)
    return median(_pass(kubeconfig, number) for number in range(1 + ROUNDS))


def _pass(kubeconfig: Path, number: int) -> float:
    count, seconds = _passes(kubeconfig)
    words = ("annotate", "--overwrite", demo.NAME, f"bench/look={number}")
    kubectl.run(kubeconfig, "--namespace", demo.NAMESPACE, *words)
    _wait(lambda: _passes(kubeconfig)[0] > count)
    after, total = _passes(kubeconfig)
    return (total - seconds) / (after - count)


def _passes(kubeconfig: Path) -> tuple[float, float]:
    """How many passes the operator has made, and their seconds."""
    within = ("--namespace", demo.NAMESPACE, "--selector", "app=rook-ceph-operator")
    (pod,) = kubectl.get(kubeconfig, "pods", *within)["items"]
    with urllib.request.urlopen(f"http://{pod['status']['podIP']}:8080/metrics") as page:
        return parsed(page.read().decode())


def parsed(page: str) -> tuple[float, float]:
    """Return count and sum of the passes of all clusters, from Prometheus' text."""
    lines = [line.rpartition(" ") for line in page.splitlines()]
    count, total = (
        sum(float(value) for name, _, value in lines if name.startswith(f"{PASS}_{part}{{"))
        for part in ("count", "sum")
    )
    return count, total


def _wait(done: Callable[[], bool]) -> None:
    waiting.until(done, "the cluster", seconds=PATIENCE_SECONDS, pause=PAUSE)


if __name__ == "__main__":
    print(json.dumps(measure()))
