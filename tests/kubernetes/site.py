"""A cluster that the operator built on nodes, as a person at a terminal sees it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import podman
from lab.kubernetes import demo, kubectl
from lab.kubernetes.cluster import Cluster
from tests.waiting import eventually

MANIFESTS = Path(__file__).parent / "manifests"
TOOLBOX = "deployment/rook-ceph-tools"
PASSES = "ceph_orchestrator_passes_total"
OPERATORS = "app=rook-ceph-operator"
PAUSE = 2.0
# A busy machine takes a multiple of what a quiet one does; only what fails waits so long.
BUSY, LONGEST = 3, 900


@dataclass(frozen=True)
class Site:
    """The Kubernetes that is tested; `cluster` is None where KUBECONFIG names one."""

    kubeconfig: Path
    cluster: Cluster | None

    def kubectl(self, *words: str, stdin: str | None = None, timeout: float = 120) -> str:
        within = ("--namespace", demo.NAMESPACE)
        return kubectl.run(self.kubeconfig, *within, *words, stdin=stdin, timeout=timeout)

    def get(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.kubectl("get", *words, "--output", "json"))
        return found

    def names(self, kind: str, selector: str = "") -> list[str]:
        words = ("--selector", selector) if selector else ()
        return sorted(one["metadata"]["name"] for one in self.get(kind, *words)["items"])

    def ceph(self, *words: str) -> Any:
        """What a ceph command says in the toolbox, as JSON."""
        return json.loads(self.toolbox("ceph", *words, "--format", "json"))

    def toolbox(self, *words: str, timeout: float = 120) -> str:
        return self.kubectl("exec", TOOLBOX, "--", *words, timeout=timeout)

    def renew_toolbox(self) -> None:
        """Let it know the mons that there are now: it reads who they are when it begins."""
        self.kubectl("rollout", "restart", TOOLBOX)
        self.kubectl("rollout", "status", TOOLBOX, "--timeout=360s", timeout=400)

    def healthy(self) -> dict[str, Any]:
        return demo.wait_healthy(self.kubeconfig)

    def patch(self, spec: dict[str, Any]) -> int:
        """Edit the CephCluster; return the new generation."""
        words = ("cephcluster", demo.NAMESPACE, "--type", "merge", "--output", "json")
        said = self.kubectl("patch", *words, "--patch", json.dumps({"spec": spec}))
        return int(json.loads(said)["metadata"]["generation"])

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get(demo.NAME).get("status") or {}
        return found

    def metrics(self, pod: str = demo.OPERATOR) -> dict[str, float]:
        """What an operator tells Prometheus: the value of each name with its labels."""
        text = self.kubectl("exec", pod, "--", *SCRAPE)
        lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _space, value in lines if name}

    def passes(self, pod: str = demo.OPERATOR, result: str = "") -> float:
        """How many passes an operator has ended, all or those with one result, by its metrics."""
        wanted = f'result="{result}' if result else "result="
        return sum(
            value
            for name, value in self.metrics(pod).items()
            if name.startswith(f"{PASSES}{{") and wanted in name
        )

    def log(self, pod: str = demo.OPERATOR) -> list[dict[str, Any]]:
        """The lines that an operator has written since it began."""
        lines = self.kubectl("logs", pod).splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def works(self) -> list[str]:
        """The Jobs of the namespace and their pods, with those that are on their way out.

        A pod outlives its Job for as long as its node takes to end it.
        """
        found = [*self.get("jobs")["items"], *self.get("pods", "--selector", "job-name")["items"]]
        return sorted(f"{one['kind']} {one['metadata']['name']}" for one in found)

    def operators(self) -> list[str]:
        """The operator's pods but those on their way out."""
        found = (one["metadata"] for one in self.get("pods", "--selector", OPERATORS)["items"])
        return sorted(one["name"] for one in found if "deletionTimestamp" not in one)

    def kill(self, pod: str) -> None:
        """End a pod's container as a lost machine would, without a word, and then its object.

        Outside of the lab the kubelet ends it in order, as soon as the object is gone.
        """
        self.kill_process(pod)
        self.kubectl("delete", "pod", pod, "--grace-period=0", "--force")

    def kill_process(self, pod: str) -> None:
        """Let no handler of the container's process run; its pod stays and starts it anew."""
        if self.cluster is None:
            return
        found = self.get(f"pod/{pod}")
        (name,) = (one["containerID"] for one in found["status"]["containerStatuses"])
        kill = ("ctr", "--namespace", "k8s.io", "tasks", "kill", "--signal", "SIGKILL")
        node = self.cluster.lab.container(found["spec"]["nodeName"])
        podman.run("exec", node, *kill, name.removeprefix("containerd://"))


SCRAPE = (
    "/opt/ceph-orchestrator/bin/python",
    "-c",
    "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8080/metrics').read().decode())",
)


def until(what: Callable[[], bool], seconds: float, meaning: str, pause: float = PAUSE) -> None:
    """Wait until something holds, which takes at most so many seconds on a quiet machine."""
    eventually(what, min(seconds * BUSY, LONGEST), tell=lambda _: meaning, pause=pause)
