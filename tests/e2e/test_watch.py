"""`orchestrator run --watch` on a real host: it follows its manifest, and ends in order."""

import json
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e import service
from tests.e2e.site import BIN, ROOT, Site, thrown_away
from tests.waiting import eventually

UNIT = ROOT / "deploy" / "systemd" / "orchestrator@.service"
PROGRAM = "/opt/ceph-orchestrator/bin/orchestrator"


@pytest.fixture(scope="module")
def lone() -> Iterator[Site]:
    """One host with two disks."""
    with thrown_away("watch", "--hosts", "1") as found:
        yield found


class Watched:
    """A watch at work, and the manifest that a test edits under it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.manifest = site.folder / "watched.yaml"
        self.log = site.folder / "watch.log"
        self.write()
        files = ("-f", str(self.manifest), "-i", str(site.inventory))
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [BIN / "orchestrator", "run", "--watch", "-o", "json", *files],
                env=site.environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def write(self, **options: str) -> None:
        """The manifest of a small cluster, with these options for its OSDs."""
        document = yaml.safe_load((ROOT / "examples" / "cluster.yaml").read_text())
        document["spec"] |= {"mon": {"count": 1}, "mgr": {"count": 1}}
        document["spec"]["cephConfig"]["osd"] |= options
        self.manifest.write_text(yaml.safe_dump(document))

    def events(self) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def said(self) -> list[str]:
        return [event["message"] for event in self.events() if event["event"] == "watch"]

    def until(self, true: Callable[[], object], seconds: float = 400) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.5)

    def option(self, name: str) -> str:
        return str(self.site.ssh("ceph-1", "ceph", "config", "get", "osd", name)).strip()


@pytest.fixture(scope="module")
def watched(lone: Site) -> Iterator[Watched]:
    found = Watched(lone)
    yield found
    found.process.kill()
    found.process.wait()


def converged(watched: Watched) -> list[str]:
    return [text for text in watched.said() if re.search(r": converged, ", text)]


def test_a_manifest_that_changes_during_a_run_is_the_one_that_is_built(watched: Watched) -> None:
    watched.until(lambda: any(one.get("run") for one in watched.events()))
    watched.write(osd_max_scrubs="3")
    watched.until(lambda: converged(watched))

    said = watched.said()
    assert said[0] == "the manifest changed; the run for what it said before is cut off"
    assert len(said) == 2, said
    assert watched.option("osd_max_scrubs") == "3"
    assert watched.site.ceph("status")["osdmap"]["num_up_osds"] == 2


def test_an_idle_watch_follows_its_manifest(watched: Watched) -> None:
    before = len(converged(watched))
    watched.write(osd_max_scrubs="5")
    watched.until(lambda: len(converged(watched)) > before)

    assert watched.option("osd_max_scrubs") == "5"
    told = json.loads(
        watched.site.orchestrator("status", "-o", "json", manifest=watched.manifest).out
    )
    assert told["status"]["phase"] == "Ready"


def test_a_broken_manifest_stops_nothing_and_sighup_looks_again(watched: Watched) -> None:
    watched.manifest.write_text("spec: [")
    watched.until(lambda: watched.said()[-1].endswith("waiting for a change"))
    watched.write(osd_max_scrubs="5")
    before = len(converged(watched))
    watched.until(lambda: len(converged(watched)) > before)

    watched.process.send_signal(signal.SIGHUP)
    watched.until(lambda: len(converged(watched)) > before + 1)


def test_sigterm_ends_it_in_order(watched: Watched) -> None:
    watched.process.send_signal(signal.SIGTERM)

    assert watched.process.wait(60) == 128 + signal.SIGTERM
    assert "Traceback" not in watched.log.read_text()


def test_systemd_understands_the_unit(lone: Site) -> None:
    unit = Path("/etc/systemd/system") / UNIT.name
    text = shlex.quote(UNIT.read_text())
    lone.ssh("ceph-1", f"install -D -m 755 /bin/true {PROGRAM} && printf %s {text} > {unit}")

    verified = f"systemd-analyze verify --man=no {unit.parent}/orchestrator@demo.service 2>&1"
    told = lone.ssh("ceph-1", verified).splitlines()
    assert not [line for line in told if "orchestrator" in line]  # others' units are not ours
    rated = lone.ssh("ceph-1", f"systemd-analyze security --no-pager --offline=true {unit}")
    exposure = re.search(r"Overall exposure level for \S+ ([\d.]+)", rated)
    assert exposure, rated
    assert float(exposure[1]) < 3.0, rated


@pytest.fixture(scope="module")
def installed(lone: Site, watched: Watched) -> Site:
    """The host that the tests before have made a cluster on, and the service beside it."""
    watched.write(osd_max_scrubs="5")
    service.install(lone, "ceph-1")
    service.configure(lone, "ceph-1", watched.manifest)
    return lone


def until_said(site: Site, count: int, seconds: float = 180) -> str:
    """What the service said once it has converged that often."""
    return eventually(
        lambda: service.said(site, "ceph-1"),
        seconds,
        good=lambda said: len(re.findall(r"converged", said)) >= count,
        tell=str,
        pause=1,
    )


def test_the_service_starts_and_keeps_the_cluster(installed: Site) -> None:
    """It runs as its own user and with all that the unit takes away from it."""
    installed.ssh("ceph-1", f"systemctl start {service.UNIT}")
    until_said(installed, 1)

    assert service.state(installed, "ceph-1", "ActiveState") == "active"
    assert service.state(installed, "ceph-1", "StatusText")
    process = service.state(installed, "ceph-1", "MainPID")
    assert installed.ssh("ceph-1", f"ps -o user:32= -p {process}").strip() == "ceph-orchestrator"


def test_the_service_follows_its_manifest_and_looks_again_when_told(
    installed: Site, watched: Watched
) -> None:
    watched.write(osd_max_scrubs="4")
    path = "/etc/orchestrator/demo/cluster.yaml"
    service.write(installed, "ceph-1", path, watched.manifest.read_text())
    until_said(installed, 2)
    assert watched.option("osd_max_scrubs") == "4"

    installed.ssh("ceph-1", f"systemctl reload {service.UNIT}")
    until_said(installed, 3)


def test_the_service_ends_in_order_and_is_no_failure(installed: Site) -> None:
    installed.ssh("ceph-1", f"systemctl stop {service.UNIT}")

    assert service.state(installed, "ceph-1", "ActiveState") == "inactive"
    assert service.state(installed, "ceph-1", "Result") == "success"
    assert "Traceback" not in service.said(installed, "ceph-1")


def test_systemd_leaves_a_wrong_manifest_to_a_person(installed: Site) -> None:
    service.write(installed, "ceph-1", "/etc/orchestrator/demo/cluster.yaml", "spec: [")
    installed.ssh("ceph-1", f"systemctl start {service.UNIT} || true")

    assert service.state(installed, "ceph-1", "ActiveState") == "failed"
    assert service.state(installed, "ceph-1", "ExecMainStatus") == "2"
    assert service.state(installed, "ceph-1", "NRestarts") == "0"
