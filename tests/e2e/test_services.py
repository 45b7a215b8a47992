"""What hosts run beside their daemons, and what daemons may use: as the host itself says."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.site import Site, checked

pytestmark = pytest.mark.usefixtures("built")

RULES = "/etc/logrotate.d/00-ceph-orchestrator"
TIMER = "ceph-orchestrator-logrotate.timer"
LIMITS = {"mgr": {"limits": {"memory": "3Gi", "cpu": "1500m"}}}
LOGS = {"enabled": True, "periodicity": "hourly", "maxLogSize": "10M"}
PATIENCE = 300.0


def awaited(question: Callable[[], Any]) -> Any:
    """The first answer that is not empty."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := question()):
        assert time.monotonic() < deadline
        time.sleep(1)
    return answer


def test_a_crash_is_handed_in_by_its_host(site: Site) -> None:
    standby = site.ceph("mgr", "dump")["standbys"][0]["name"]
    host = "ceph-1" if standby == "a" else "ceph-2"
    site.ssh(host, "systemctl", "kill", "--signal=SEGV", f"ceph-mgr@{standby}")

    def found() -> Any:
        # The collector looks when it starts, and then every ten minutes.
        site.ssh(host, "systemctl", "restart", "ceph-crash")
        crashes = site.ceph("crash", "ls")
        return [one for one in crashes if one["entity_name"] == f"mgr.{standby}"]

    assert len(awaited(found)) == 1
    site.ssh("ceph-1", "ceph", "crash", "archive-all")
    assert site.ssh(host, "ls", "/var/lib/ceph/crash/posted").strip()


@pytest.fixture
def changed(site: Site) -> Iterator[None]:
    """The demo with rotated logs and a limited mgr, and at the end without them again."""
    manifest = site.changed_manifest("services", logCollector=LOGS, resources=LIMITS)
    checked(site.orchestrator("run", manifest=manifest))
    assert site.orchestrator("plan", manifest=manifest).code == 0
    yield
    checked(site.orchestrator("run"))
    assert site.orchestrator("plan").code == 0


@pytest.mark.usefixtures("changed")
def test_logs_are_rotated_once_and_a_limit_holds_without_a_restart(site: Site) -> None:
    assert site.ssh("ceph-3", "systemctl", "is-active", TIMER).strip() == "active"
    said = site.ssh("ceph-3", "sh", "-c", "'logrotate --debug /etc/logrotate.conf 2>&1'")
    assert "ignore duplicate log entry" in said
    assert "error:" not in said
    assert "maxsize 10M" in site.ssh("ceph-3", "cat", RULES)
    shown = site.ssh(
        "ceph-1", "systemctl", "show", "-p", "MemoryMax,CPUQuotaPerSecUSec", "ceph-mgr@a"
    )
    assert "MemoryMax=3221225472" in shown
    assert "CPUQuotaPerSecUSec=1.5s" in shown


def test_what_is_not_asked_for_any_more_is_gone(site: Site) -> None:
    there = site.ssh(
        "ceph-3", "sh", "-c", f"'ls {RULES} /etc/systemd/system/{TIMER} 2>/dev/null; true'"
    )
    assert there == ""
    shown = site.ssh("ceph-1", "systemctl", "show", "-p", "MemoryMax", "ceph-mgr@a")
    assert shown.strip() == "MemoryMax=infinity"


def test_a_plan_says_of_each_host_why_it_was_chosen(site: Site) -> None:
    found = json.loads(checked(site.orchestrator("plan", "--output", "json")))["placement"]
    mgrs = {
        one["host"]: (one["standing"], one["reason"]) for one in found if one["daemon"] == "mgr"
    }
    assert mgrs["ceph-1"] == ("holds", "mgr.a")
    assert mgrs["ceph-3"] == ("excluded", "it is not in the inventory's group mgrs")
