"""A Kubernetes in which somebody runs the playbooks by hand, from outside.

What the operator does around a step is done here once: its pod is there and does nothing itself,
and on each node a pod reaches the disks, as those of the operator's Jobs do for a step's length.
"""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.kubernetes import binaries, demo, kubectl, operator_image, pods
from lab.kubernetes.cluster import Cluster
from lab.proc import LabError
from orchestrator.ansible.kubernetes import jobs
from orchestrator.model import kube_names

OPERATOR = Path(__file__).parent / "by-hand"
COLLECTION = Path("ansible_collections", "kubernetes", "core")
ROLLED_OUT = "--timeout=300s"


@dataclass(frozen=True, slots=True)
class Files:
    """What a person's Ansible needs, in the folder of the lab's Kubernetes; it goes with that."""

    folder: Path

    @property
    def programs(self) -> Path:
        """Return where kubectl is, for the PATH."""
        return self.folder / "bin"

    @property
    def collections(self) -> Path:
        """Return where the collection `kubernetes.core` is, for Ansible's path of collections."""
        return self.folder / "collections"

    @property
    def cluster(self) -> Path:
        """Return the CephCluster as the API server has it."""
        return self.folder / "cluster.json"


def prepare(made: Cluster, manifest: Path) -> Files:
    """Have the CephCluster of a manifest there, and pods in which its roles' tasks can run."""
    files = Files(made.lab.dir / "by-hand")
    files.programs.mkdir(parents=True, exist_ok=True)
    pods.load(made.lab, made.nodes, *operator_image.ensure())
    _link_kubectl(files)
    unpack_collection(files)
    found = _apply(made.kubeconfig, manifest)
    _reach_disks(made, found)
    files.cluster.write_text(json.dumps(found))
    return files


def _link_kubectl(files: Files) -> None:
    link = files.programs / "kubectl"
    link.unlink(missing_ok=True)
    link.symlink_to(binaries.path("kubectl"))


def unpack_collection(files: Files) -> None:
    """Take the connection into pods from the package that the operator's image has it from."""
    target = files.collections / COLLECTION
    if target.is_dir():
        return
    with zipfile.ZipFile(operator_image.collections_wheel()) as wheel:
        wanted = [name for name in wheel.namelist() if Path(name).is_relative_to(COLLECTION)]
        if not wanted:
            raise LabError(f"{wheel.filename} has no {COLLECTION}")
        wheel.extractall(files.collections, wanted)


def _apply(kubeconfig: Path, manifest: Path) -> dict[str, Any]:
    """Have the CephCluster and an operator that leaves it alone; return the object."""
    within = ("--namespace", demo.NAMESPACE)
    kubectl.run(kubeconfig, "apply", "--kustomize", str(OPERATOR))
    kubectl.wait_for(kubeconfig, "cephclusters", 60)
    kubectl.run(kubeconfig, "apply", "--filename", str(manifest))
    kubectl.run(kubeconfig, *within, "rollout", "status", demo.OPERATOR, ROLLED_OUT, timeout=330)
    return kubectl.get(kubeconfig, "--filename", str(manifest))


def _reach_disks(made: Cluster, cluster: dict[str, Any]) -> None:
    """Keep a pod on each node like that of the operator's Job, until somebody takes it away."""
    wanted = [pod(cluster, node) for node in made.nodes]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": wanted})
    kubectl.run(made.kubeconfig, "apply", "--filename", "-", stdin=text)
    names = [f"pod/{one['metadata']['name']}" for one in wanted]
    within = ("--namespace", demo.NAMESPACE)
    kubectl.run(
        made.kubeconfig, *within, "wait", "--for=condition=Ready", ROLLED_OUT, *names, timeout=330
    )


def pod(cluster: dict[str, Any], node: str) -> dict[str, Any]:
    """Return the pod of one node, which is started again where the operator's would end."""
    job = jobs.job(cluster, node)
    metadata = {
        "name": kube_names.job_name(jobs.PREPARE.template, node),
        "namespace": job["metadata"]["namespace"],
        "labels": {"app": "by-hand"},
    }
    spec = {**job["spec"]["template"]["spec"], "restartPolicy": "Always"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
