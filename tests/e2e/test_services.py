"""What hosts run beside their daemons, and what daemons may use: as the host itself says."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from shlex import quote
from typing import Any

import pytest

from tests.e2e.site import Site, checked
from tests.waiting import eventually

pytestmark = pytest.mark.usefixtures("built")

RULES = "/etc/logrotate.d/00-ceph-orchestrator"
TIMER = "ceph-orchestrator-logrotate.timer"
LIMITS = {"mgr": {"limits": {"memory": "3Gi", "cpu": "1500m"}}}
LOGS = {"enabled": True, "periodicity": "hourly", "maxLogSize": "10M"}
ROUNDS, SECONDS = 5, 60.0
PATIENCE_SECONDS = 180.0


def handed_in(site: Site, host: str, entity: str) -> list[Any]:
    """Crashes of a daemon that Ceph knows, soon after the collector looked.

    It looks when it starts, and then every ten minutes only; a slow host may need a second look.
    """
    for _ in range(ROUNDS):
        site.ssh(host, "systemctl", "restart", "ceph-crash")
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            found = [one for one in site.ceph("crash", "ls") if one["entity_name"] == entity]
            if found:
                return found
            time.sleep(1)
    raise AssertionError(site.ssh(host, "journalctl", "-u", "ceph-crash", "-n", "30", "--no-pager"))


def test_a_crash_is_handed_in_by_its_host(site: Site) -> None:
    site.healthy()
    host = site.ceph("osd", "find", "0")["crush_location"]["host"]
    site.ssh(host, "systemctl", "kill", "--signal=SEGV", "ceph-osd@0")

    assert len(handed_in(site, host, "osd.0")) == 1
    assert site.ssh(host, "ls", "/var/lib/ceph/crash/posted").strip()
    eventually(
        lambda: site.ceph("status")["health"]["checks"],
        SECONDS,
        good=lambda checks: "RECENT_CRASH" in checks,
        pause=1,
    )
    site.ssh("ceph-1", "ceph", "crash", "archive-all")
    site.healthy()


def test_crashes_are_kept_for_the_wanted_days(site: Site) -> None:
    """The mgr's module prunes when it starts, and then now and then: it is made to start."""
    now = datetime.now(UTC)
    for days in (3, 1):
        stamp = (now - timedelta(days=days, hours=-1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        crash = {"crash_id": f"{stamp}_{days}", "timestamp": stamp, "entity_name": "osd.0"}
        site.ssh("ceph-1", f"echo {quote(json.dumps(crash))} > /root/crash")
        site.ssh("ceph-1", "ceph", "crash", "post", "-i", "/root/crash")

    def kept() -> set[str]:
        return {one["crash_id"].rpartition("_")[2] for one in site.ceph("crash", "ls")} & {"3", "1"}

    assert kept() == {"3", "1"}
    manifest = site.changed_manifest("retain", crashCollector={"daysToRetain": 2})
    planned = site.orchestrator("plan", manifest=manifest)
    assert "config mgr/mgr/crash/retain_interval" in planned.out
    checked(site.orchestrator("run", manifest=manifest))
    site.ssh("ceph-1", "ceph", "mgr", "fail", site.ceph("mgr", "dump")["active_name"])
    eventually(kept, PATIENCE_SECONDS, good=lambda found: found == {"1"}, pause=1)
    checked(site.orchestrator("run", "--timeout", "120"))
    site.ssh("ceph-1", "ceph", "crash", "archive-all")


def started(site: Site) -> str:
    return site.ssh("ceph-1", "systemctl", "show", "-p", "MainPID", "ceph-mgr@a")


@pytest.fixture
def changed(site: Site) -> Iterator[None]:
    """The demo with rotated logs and a limited mgr, and at the end without them again."""
    before = started(site)
    manifest = site.changed_manifest("services", logCollector=LOGS, resources=LIMITS)
    checked(site.orchestrator("run", manifest=manifest))
    assert site.orchestrator("plan", manifest=manifest).code == 0
    assert started(site) == before
    yield
    checked(site.orchestrator("run"))
    assert site.orchestrator("plan").code == 0
    assert started(site) == before


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
    assert "CPUQuotaPerSecUSec=1.500000s" in shown


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
