"""The operator and the example's cluster, on the lab's nodes or on the cluster of KUBECONFIG."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.kubernetes import cluster, kubectl, operator_image, pods
from lab.kubernetes.cluster import Cluster
from lab.proc import LabError
from lab.settings import Options

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
ON_NODES = Path(__file__).parent / "deploy"  # for disks that are loop devices
EXAMPLE = ROOT / "examples" / "cluster-kubernetes.yaml"
NAMESPACE = "rook-ceph"
NAME = f"cephcluster/{NAMESPACE}"
OPERATOR, DISCOVERY = "deployment/rook-ceph-operator", "daemonset/rook-discover"
BUILT_SECONDS = 1200.0
PAUSE = 2.0


def given() -> Path | None:
    """Return the kubeconfig that KUBECONFIG names: then that cluster is used and none is made."""
    path = os.environ.get("KUBECONFIG")
    return Path(path) if path else None


def prepare(made: Cluster) -> Path:
    """Have a Kubernetes where the operator runs as this clone has it; return its kubeconfig."""
    path = given()
    if path:
        _apply_operator(path, DEPLOY)
        return path
    cluster.up(made, None, made.lab.options() or Options())
    new = pods.load(made.lab, made.nodes, *operator_image.ensure())
    _apply_operator(made.kubeconfig, ON_NODES)
    if new:  # the same name means another image now
        again = ("rollout", "restart", OPERATOR, DISCOVERY)
        kubectl.run(made.kubeconfig, "--namespace", NAMESPACE, *again)
    wait = ("rollout", "status", OPERATOR, "--timeout=300s")
    kubectl.run(made.kubeconfig, "--namespace", NAMESPACE, *wait, timeout=330)
    return made.kubeconfig


def build(kubeconfig: Path, tell: Callable[[str], None] = print) -> str:
    """Apply the example and wait until Ceph is healthy; return what kubectl shows of it."""
    kubectl.run(kubeconfig, "apply", "--filename", str(EXAMPLE))
    wait_healthy(kubeconfig, tell)
    return kubectl.run(kubeconfig, "--namespace", NAMESPACE, "get", "cephcluster")


def wait_healthy(
    kubeconfig: Path, tell: Callable[[str], None] = print, seconds: float = BUILT_SECONDS
) -> dict[str, Any]:
    """Wait until the cluster is Ready at its newest generation and Ceph says HEALTH_OK."""
    said, deadline = "", time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = kubectl.get(kubeconfig, "--namespace", NAMESPACE, NAME)
        if healthy(found):
            return found
        if (now := progress(found)) != said:
            said = now
            tell(said)
        time.sleep(PAUSE)
    raise LabError(f"{NAME} is not healthy after {seconds:g} s: {said or 'the operator is silent'}")


def healthy(found: dict[str, Any]) -> bool:
    status = found.get("status") or {}
    current = status.get("observedGeneration") == found["metadata"]["generation"]
    health = (status.get("ceph") or {}).get("health")
    return bool(current and status.get("phase") == "Ready" and health == "HEALTH_OK")


def progress(found: dict[str, Any]) -> str:
    """Return one line of what the status says."""
    status = found.get("status") or {}
    ceph = status.get("ceph") or {}
    checks = ", ".join(sorted(ceph.get("details") or {}))
    words = (status.get("phase"), status.get("message"), ceph.get("health"), checks)
    return " · ".join(word for word in words if word)


def remove(kubeconfig: Path) -> None:
    """Take the example's cluster and the operator away again; the disks keep what is on them."""
    gone = ("delete", "--ignore-not-found", "--filename", str(EXAMPLE), "--timeout=300s")
    kubectl.run(kubeconfig, *gone, timeout=330)
    kubectl.run(kubeconfig, "delete", "--ignore-not-found", "--kustomize", str(DEPLOY))


def _apply_operator(kubeconfig: Path, folder: Path) -> None:
    kubectl.run(kubeconfig, "apply", "--kustomize", str(folder))
    kubectl.wait_for(kubeconfig, "cephclusters", 60)
