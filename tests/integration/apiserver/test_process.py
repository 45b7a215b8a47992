"""The operator as a process: signals, probes, metrics, logs, and two replicas (CASES C47, C49)."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lab.kubernetes.plane import ControlPlane
from orchestrator.controller.lease import NAME
from orchestrator.stores.kubernetes.connection import LEASE
from tests.contract.paths import ROOT
from tests.integration.apiserver.site import Site
from tests.waiting import eventually

SECONDS = 30


@dataclass
class Operator:
    """One replica; its log is a file of JSON lines."""

    name: str
    home: Path
    site: Site
    kubeconfig: Path
    port: int = 0
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> "Operator":
        self.home.mkdir()
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        module = "tests.integration.apiserver.process"
        with (self.home / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, self.home, self.kubeconfig, self.site.namespace],
                cwd=ROOT,
                env={**os.environ, "PORT": str(self.port), "POD_NAME": self.name},
                stderr=log,
            )
        return self

    @property
    def hold(self) -> Path:
        return self.home / "hold"

    @property
    def busy(self) -> Path:
        return self.home / "busy"

    def logged(self, event: str) -> list[dict[str, object]]:
        lines = (self.home / "log").read_bytes().splitlines()
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def page(self, path: str) -> tuple[int, str]:
        try:
            url = f"http://127.0.0.1:{self.port}{path}"
            with urllib.request.urlopen(url, timeout=5) as found:
                return found.status, found.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""


@pytest.fixture
def start(site: Site, control_plane: ControlPlane, tmp_path: Path) -> Iterator[Callable]:
    started: list[Operator] = []

    def one(name: str, *, holding: bool = False) -> Operator:
        made = Operator(name, tmp_path / name, site, control_plane.kubeconfig)
        started.append(made)
        made.start()
        if holding:
            made.hold.touch()
        return made

    yield one
    for made in started:
        made.send(signal.SIGCONT)
        made.process.kill()
        made.process.wait(SECONDS)


def holder(site: Site) -> str:
    found = site.connection.get(LEASE, site.namespace, NAME) or {"spec": {}}
    return found["spec"].get("holderIdentity") or ""


def test_probes_metrics_and_logs(site: Site, start: Callable) -> None:
    operator = start("pod-a")
    eventually(lambda: operator.page("/readyz") == (200, "ok\n"))
    site.apply()
    eventually(site.ready)
    labels = f'name="c1",namespace="{site.namespace}"'
    passes = f'ceph_orchestrator_passes_total{{{labels},result="converged"}}'
    eventually(lambda: passes in operator.page("/metrics")[1])

    text = operator.page("/metrics")[1]
    for phase in ("facts", "site"):
        assert f'phase_duration_seconds_count{{{labels},phase="{phase}"}} 1.0' in text
    assert f"ceph_orchestrator_cluster_up_to_date{{{labels}}} 1.0" in text
    assert "ceph_orchestrator_queue_depth 0.0" in text
    assert "ceph_orchestrator_leader 1.0" in text
    assert operator.page("/healthz") == (200, "ok\n")
    assert operator.page("/else")[0] == 404
    steps = [
        (one["cluster"], one["generation"], one["step"]) for one in operator.logged("step begins")
    ]
    key = f"{site.namespace}/c1"
    assert steps == [(key, 1, "creation")]
    ended = operator.logged("run ended")
    assert [one["phase"] for one in ended][:2] == ["facts", "site"]
    assert all(one["run"] and one["cluster"] == key and one["generation"] == 1 for one in ended)


def test_sigterm_cancels_ends_in_order_and_hands_the_lease_over(
    site: Site, start: Callable
) -> None:
    operator = start("pod-a", holding=True)
    site.apply()
    eventually(operator.busy.exists)
    operator.send(signal.SIGTERM)

    assert operator.process.wait(SECONDS) == 0
    (run,) = [one for one in operator.logged("run ended") if one["phase"] == "site"]
    assert run["canceled"] is True
    assert operator.logged("the operator has ended")
    assert holder(site) == ""
    assert site.status()["state"] == "Creating"


def test_sighup_cancels_all_runs_and_rebuilds_the_manager(site: Site, start: Callable) -> None:
    operator = start("pod-a", holding=True)
    site.apply()
    eventually(operator.busy.exists)
    operator.send(signal.SIGHUP)
    eventually(lambda: len(operator.logged("the Lease is held")) == 2)
    eventually(lambda: len(operator.logged("step begins")) == 2)
    operator.hold.unlink()
    eventually(site.ready)

    assert [one["why"] for one in operator.logged("the manager stops")] == [
        "SIGHUP: the manager is rebuilt"
    ]
    canceled = [one for one in operator.logged("run ended") if one["canceled"]]
    assert len(canceled) == 1
    assert len(operator.logged("a CephCluster is in charge")) == 2
    assert operator.process.poll() is None
    assert holder(site) == "pod-a"


def test_the_second_replica_waits_and_takes_over_at_once(site: Site, start: Callable) -> None:
    first = start("pod-a")
    eventually(lambda: holder(site) == "pod-a")
    second = start("pod-b")
    eventually(lambda: second.page("/readyz")[0] == 200)
    assert "ceph_orchestrator_leader 0.0" in second.page("/metrics")[1]
    assert second.logged("the Lease is held") == []

    first.send(signal.SIGTERM)
    assert first.process.wait(SECONDS) == 0
    eventually(lambda: holder(site) == "pod-b")
    site.apply()
    eventually(site.ready)

    assert first.logged("step begins") == []
    assert len(second.logged("step begins")) == 1


def test_a_replica_that_slept_stops_its_run_and_touches_nothing_more(
    site: Site, start: Callable
) -> None:
    sleeper = start("pod-a", holding=True)
    eventually(lambda: holder(site) == "pod-a")
    site.apply()
    eventually(sleeper.busy.exists)
    other = start("pod-b")
    eventually(lambda: other.page("/readyz")[0] == 200)
    sleeper.send(signal.SIGSTOP)
    eventually(lambda: holder(site) == "pod-b")
    eventually(site.ready)
    before = site.get()["metadata"]["resourceVersion"]
    sleeper.send(signal.SIGCONT)
    eventually(lambda: sleeper.logged("the manager stops"))

    assert sleeper.logged("the manager stops")[0]["why"] == "the Lease was lost"
    eventually(lambda: [one for one in sleeper.logged("run ended") if one["canceled"]])
    assert len(sleeper.logged("step begins")) == 1
    assert site.get()["metadata"]["resourceVersion"] == before
    assert holder(site) == "pod-b"
