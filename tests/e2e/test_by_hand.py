"""The collection alone: `site.yml` makes a cluster, and the orchestrator takes it over later."""

import json
import re
from collections.abc import Iterator

import pytest

from tests.e2e.site import Site, checked, thrown_away


@pytest.fixture(scope="module")
def lone() -> Iterator[Site]:
    """One host with two disks."""
    with thrown_away("lone", "--hosts", "1") as found:
        yield found


def changed(text: str) -> list[str]:
    return re.findall(r"changed=(\d+)", text)


def test_check_mode_on_an_empty_host_fails_nothing_and_makes_nothing(lone: Site) -> None:
    listing = "find /etc/ceph /var/lib/ceph /etc/systemd/system /var/lib/ceph-orchestrator"
    before = lone.ssh("ceph-1", f"{listing} 2>&1 || true")
    checked(lone.playbook("site.yml", "--check"))
    assert lone.ssh("ceph-1", f"{listing} 2>&1 || true") == before


def test_site_makes_a_cluster_and_then_changes_nothing(lone: Site) -> None:
    checked(lone.playbook("site.yml"))
    status = lone.ceph("status")
    assert status["quorum_names"] == ["a"]
    assert status["osdmap"]["num_up_osds"] == 2
    again = lone.playbook("site.yml")
    checked(again)
    assert changed(again.out) == ["0"], again.out


@pytest.mark.unproven
def test_the_orchestrator_takes_it_over_without_a_restart(lone: Site) -> None:
    manifest = lone.changed_manifest("lone", mon={"count": 1}, mgr={"count": 1})
    pids = "systemctl show 'ceph-*@*' --property=Id,MainPID"
    before = lone.ssh("ceph-1", pids)
    planned = lone.orchestrator("plan", "-o", "json", manifest=manifest)
    assert planned.code == 10, planned.text
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    created = {one["subject"] for one in changes if one["action"] == "create"}
    assert created <= {"crash"}, changes
    assert {one["action"] for one in changes} <= {"create", "update", "set"}, changes
    checked(lone.orchestrator("run", manifest=manifest))
    assert lone.orchestrator("plan", manifest=manifest).code == 0
    assert lone.ssh("ceph-1", pids) == before
    assert changed(checked(lone.playbook("site.yml"))) == ["0"]
