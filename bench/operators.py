"""What the operator costs, by a real one over a real API server without nodes.

How long it takes from a CephCluster that is applied to its first task, the Job that detects the
version of its image (without nodes no Job ends, so no playbook follows), and what the process needs
with ten CephClusters in charge while nothing is to be done for them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from bench import waiting
from lab.kubernetes import kubectl
from lab.kubernetes.plane import ControlPlane
from lab.kubernetes.where import Where
from lab.proc import LabError

CRDS = Path(__file__).parents[1] / "deploy" / "crds"
TEN = 10
IDLE_SECONDS = 30.0
PATIENCE_SECONDS = 120.0
PAUSE = 0.02
HANDS_OFF = {"ceph.rook.io/do-not-reconcile": "true"}
SPEC = {
    "cephVersion": {"image": "quay.io/ceph/ceph:v20.2.4"},
    "dataDirHostPath": "/var/lib/rook",
    "mon": {"count": 3},
    "mgr": {"count": 2},
    "storage": {"useAllNodes": True, "useAllDevices": True},
    # Nobody takes the taint off nodes that are there in name alone.
    "placement": {"all": {"tolerations": [{"operator": "Exists"}]}},
}


def measure() -> dict[str, float]:
    """Return seconds, percent of a core and megabytes."""
    with tempfile.TemporaryDirectory(prefix="bench-operator-") as name:
        plane = ControlPlane(where=Where(folder=Path(name) / "kubernetes"), bound=True)
        try:
            plane.up()
            return _measured(plane.kubeconfig, Path(name) / "state")
        finally:
            plane.down()


def _measured(kubeconfig: Path, state: Path) -> dict[str, float]:
    kubectl.run(kubeconfig, "apply", "--filename", str(CRDS))
    _apply(kubeconfig, *(_node(number) for number in range(1, 4)))
    _apply(kubeconfig, *(_namespace(number) for number in range(TEN)))
    with _operator(kubeconfig, state) as process:
        _wait(lambda: _apply(kubeconfig, *(_cluster(n, HANDS_OFF) for n in range(TEN))))
        _wait(lambda: _logged(state, "pass ended") >= TEN)
        before, began = _cpu_seconds(process.pid), time.monotonic()
        time.sleep(IDLE_SECONDS)
        idle = (_cpu_seconds(process.pid) - before) / (time.monotonic() - began)
        memory = _resident_megabytes(process.pid)
        _apply(kubeconfig, _namespace(TEN), _cluster(TEN, {}))
        began = time.monotonic()
        _wait(lambda: _has_first_task(kubeconfig))
        seconds = time.monotonic() - began
    return {
        "k8s_first_task_seconds": seconds,
        "k8s_idle_percent": 100 * idle,
        "k8s_operator_mb": memory,
    }


@contextmanager
def _operator(kubeconfig: Path, state: Path) -> Iterator[subprocess.Popen[bytes]]:
    state.mkdir()
    command = [str(Path(sys.executable).with_name("orchestrator")), "operator"]
    options = ["--kubeconfig", str(kubeconfig), "--operator-namespace", "default"]
    with (state / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *options, "--listen", "127.0.0.1:0"],
            env={**os.environ, "XDG_STATE_HOME": str(state)},
            stdin=subprocess.DEVNULL,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def _apply(kubeconfig: Path, *objects: Mapping[str, Any]) -> bool:
    text = yaml.safe_dump_all(objects)
    try:
        kubectl.run(kubeconfig, "apply", "--filename", "-", stdin=text)
    except LabError as error:
        if "no matches for kind" in str(error):  # its definition is not served yet
            return False
        raise
    return True


def _wait(done: Callable[[], bool]) -> None:
    waiting.until(done, "the operator", seconds=PATIENCE_SECONDS, pause=PAUSE)


def _logged(state: Path, event: str) -> int:
    lines = (state / "log").read_bytes().splitlines()
    return sum(1 for line in lines if json.loads(line).get("event") == event)


def _has_first_task(kubeconfig: Path) -> bool:
    return bool(kubectl.get(kubeconfig, "jobs", "--namespace", f"bench-{TEN}")["items"])


def _cpu_seconds(pid: int) -> float:
    """Of the process, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _resident_megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def _node(number: int) -> dict[str, Any]:
    name, address = f"node-{number}", f"192.0.2.{number}"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {
            "addresses": [{"type": "InternalIP", "address": address}],
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _namespace(number: int) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"bench-{number}"}}


def _cluster(number: int, labels: Mapping[str, str]) -> dict[str, Any]:
    meta = {"name": "ceph", "namespace": f"bench-{number}", "labels": dict(labels)}
    return {"apiVersion": "ceph.rook.io/v1", "kind": "CephCluster", "metadata": meta, "spec": SPEC}


if __name__ == "__main__":
    print(json.dumps(measure()))
