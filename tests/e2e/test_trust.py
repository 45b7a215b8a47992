"""One cluster under all that may go wrong around a run, and a plan that is kept to the letter.

Two workstations make it at the same time; it is deleted, and runs that make it again and let it
grow are cut at random moments; what is planned is compared with what is done. The seed of the
random moments is printed, and taken from ORCHESTRATOR_SEED.
"""

import itertools
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.e2e.cuts import HUNG_SECONDS, Cutter, begin, end_all, processes
from tests.e2e.site import Site, checked, thrown_away

SEED = int(os.environ.get("ORCHESTRATOR_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
OTHER = "other-state"
HOSTS = ("ceph-1", "ceph-2", "ceph-3")


@pytest.fixture(scope="module")
def trio() -> Iterator[Site]:
    """Three hosts with two disks each, empty."""
    with thrown_away("trust", "--hosts", "3") as found:
        yield found


def manifest(site: Site, name: str, **spec: Any) -> Path:
    """One mon, one mgr and no disks, unless a test says otherwise; options beside the example's."""
    plain = {"mon": {"count": 1}, "mgr": {"count": 1}, "storage": storage()}
    options = yaml.safe_load(site.manifest.read_text())["spec"]["cephConfig"]
    for section, values in spec.get("cephConfig", {}).items():
        options.setdefault(section, {}).update(values)
    return site.changed_manifest(name, **{**plain, **spec, "cephConfig": options})


def storage(*disks: str) -> dict[str, Any]:
    return {"useAllNodes": True, "devices": [{"name": f"/dev/disk/by-id/{one}"} for one in disks]}


def home(site: Site, state: str) -> Path:
    """Where a workstation keeps what it knows of the cluster."""
    return site.folder / state / "orchestrator" / "rook-ceph" / "demo"


def applied(site: Site, state: str) -> list[tuple[float, float]]:
    """When each run of a workstation that changes something began and ended."""
    runs = home(site, state) / "runs"
    found = [path for path in runs.iterdir() if not path.name.endswith(("facts", "lock", "unlock"))]
    return [(first, last) for path in found for first, last in [changing(path)] if last > first]


def changing(run: Path) -> tuple[float, float]:
    """The time between the lock and the look, in which a run may change something."""
    events = [json.loads(path.read_text()) for path in (run / "job_events").glob("*.json")]
    refusal = "Refuse an Ansible that is too old"
    plays = {"Hold the lock", "Release the lock", "Look at the hosts", refusal, ""}
    times = [
        stamp(one["created"])
        for one in events
        if str(one.get("event_data", {}).get("play", "")) not in plays
    ]
    return (min(times), max(times)) if times else (0.0, 0.0)


def stamp(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def test_c49_of_two_workstations_one_works_at_a_time_and_both_end_well(trio: Site) -> None:
    wanted = manifest(trio, "first")
    runs = [begin(trio, wanted, "--timeout", "600", state=state) for state in ("state", OTHER)]
    texts = [run.communicate(timeout=900)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], "\n---\n".join(texts)
    spans = sorted((*applied(trio, "state"), *applied(trio, OTHER)))
    assert spans
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert trio.ceph("status")["quorum_names"] == ["a"]
    assert locks(trio) == []


def locks(site: Site) -> list[str]:
    keys = [
        key for key in site.ceph("config-key", "ls") if key.startswith("ceph-orchestrator/lock/")
    ]
    files = [
        host for host in HOSTS if "yes" in site.ssh(host, f"test -e {FILE} && echo yes || true")
    ]
    return [*keys, *files]


FILE = "/var/lib/ceph-orchestrator/lock"


def test_a_lock_of_a_killed_run_names_its_owner_and_is_taken_over_when_it_ends(trio: Site) -> None:
    first, second = (
        manifest(trio, f"killed-{value}", cephConfig={"global": {"debug_ms": f"0/{value}"}})
        for value in (1, 2)
    )
    killed = begin(trio, first, "--lock-timeout", "30", "--output", "json", state=OTHER)
    cut_when(killed, "Keep the cluster's settings")
    end_all(processes(trio, OTHER))
    died = time.monotonic()
    refused = trio.orchestrator("run", "--timeout", "0", manifest=second)
    if time.monotonic() - died < 30 or refused.code != 0:  # else it may have ended in time
        assert refused.code == 3, refused.text
        assert "blocked: Locked: " in refused.err
        assert f"@{os.uname().nodename} is working on this cluster" in refused.err
        checked(trio.orchestrator("run", "--timeout", "300", manifest=second))
    assert trio.orchestrator("plan", manifest=second).code == 0
    assert locks(trio) == []
    assert left_by_killed_runs(trio, OTHER)
    again = begin(trio, second, state=OTHER)
    said, _ = again.communicate(timeout=HUNG_SECONDS)
    assert again.returncode == 0, said
    assert left_by_killed_runs(trio, OTHER) == []


def left_by_killed_runs(site: Site, state: str) -> list[Path]:
    """The notes by which the next run of the same workstation takes their folders away."""
    return list((home(site, state) / "processes").iterdir())


def cut_when(run: subprocess.Popen[str], task: str) -> None:
    """Kill a run when a task begins."""
    assert run.stdout is not None
    seen = any(task in line for line in run.stdout)
    os.kill(run.pid, signal.SIGKILL)
    run.stdout.close()
    run.wait()
    assert seen, task


GROWTH: list[dict[str, Any]] = [
    {},
    {"mgr": {"count": 2}, "storage": storage("lab-disk-a")},
    {"mon": {"count": 3}, "mgr": {"count": 2}, "storage": storage("lab-disk-a")},
    {"mon": {"count": 3}, "mgr": {"count": 2}, "storage": storage("lab-disk-a", "lab-disk-b")},
]
CONFIRMED = {"cleanupPolicy": {"confirmation": "yes-really-destroy-data"}}


@pytest.mark.parametrize("cuts", [12, pytest.param(50, marks=pytest.mark.long)])
def test_c51_cuts_of_a_create_and_of_a_grow_leave_no_process_and_no_lie(
    trio: Site, cuts: int
) -> None:
    print(f"ORCHESTRATOR_SEED={SEED}")  # noqa: T201 - shown when it fails
    checked(trio.orchestrator("delete", "--yes", manifest=manifest(trio, "gone", **CONFIRMED)))
    cutter = Cutter(trio, random.Random(SEED))  # noqa: S311 - moments, and no secret
    for number, spec in enumerate(GROWTH):
        wanted = manifest(trio, f"growth-{number}", **spec)
        share = len(cutter.cuts) + (cuts - len(cutter.cuts)) // (len(GROWTH) - number)
        cutter.until_it_ends(wanted, share)
        checked(trio.orchestrator("run", "--timeout", "300", manifest=wanted))
    while len(cutter.cuts) < cuts:
        options = {"global": {"debug_ms": f"0/{len(cutter.cuts) % 9}"}}
        wanted = manifest(trio, "options", cephConfig=options, **GROWTH[-1])
        cutter.until_it_ends(wanted, cuts)
    checked(trio.orchestrator("run", "--timeout", "300", manifest=wanted))

    assert len(cutter.cuts) == cuts, cutter.cuts
    assert trio.orchestrator("plan", manifest=wanted).code == 0
    assert processes(trio) == ()
    assert left_by_killed_runs(trio, "state") == []
    status = trio.healthy(300)
    assert len(status["quorum_names"]) == 3
    assert status["osdmap"]["num_up_osds"] == status["osdmap"]["num_osds"] == 6
    assert locks(trio) == []


OPTIONS = st.dictionaries(
    st.sampled_from(["debug_ms", "osd_max_scrubs", "mon_max_pg_per_osd"]),
    st.sampled_from(["1", "2", "3"]),
    max_size=2,
)


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    """A cheap change of the manifest."""
    return {
        "mon": {"count": 3},
        "mgr": {
            "count": draw(st.integers(1, 2)),
            "modules": [{"name": "alerts", "enabled": draw(st.booleans())}],
        },
        "storage": storage("lab-disk-a", "lab-disk-b"),
        "cephConfig": {"global": draw(OPTIONS), "osd": draw(OPTIONS)},
    }


@settings(
    max_examples=5,
    phases=[Phase.generate],
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(spec=changes())
def test_what_a_plan_lists_is_what_the_run_does(trio: Site, spec: dict[str, Any]) -> None:
    wanted = manifest(trio, "drawn", **spec)
    announced = json.loads(trio.orchestrator("plan", "-o", "json", manifest=wanted).out)
    listed = [line(one) for step in announced["steps"] for one in step["changes"]]
    done = checked(trio.orchestrator("run", "-o", "json", manifest=wanted))
    events = [json.loads(text) for text in done.splitlines()]
    assert [line(one) for one in events if one["event"] == "change"] == listed


def line(change: dict[str, Any]) -> tuple[str, str, str | None]:
    return change["action"], change["subject"], change["host"]


# A mon itself writes external_log_to now and then, and a mgr that starts anew, because the test
# before this one turned a module on, hands in as crashes what it cannot import.
LISTING = (
    "find /etc /var/lib/ceph-orchestrator /var/lib/ceph -xdev -not -path '*/store.db*' "
    "-not -name external_log_to -not -path '/var/lib/ceph/crash*' "
    "\\( -type d -path '/var/lib/ceph/mon/ceph-*' -printf '%p %m %U\\n' "
    "-o -printf '%p %m %U %s %T@ %C@\\n' \\) 2>/dev/null | sort; "
    "systemctl show 'ceph*@*' --property=Id,ActiveEnterTimestampMonotonic,UnitFileState"
)
STORE = ("config dump", "config-key dump ceph-orchestrator", "auth ls", "mgr module ls", "mon dump")


def everything(site: Site) -> set[tuple[str, str]]:
    hosts = {(host, line) for host in HOSTS for line in site.ssh(host, LISTING).splitlines()}
    return hosts | {(one, json.dumps(site.ceph(*one.split()))) for one in STORE}


def test_a_plan_its_differences_and_a_check_touch_nothing(trio: Site) -> None:
    wanted = manifest(
        trio,
        "looked-at",
        mon={"count": 3},
        mgr={"count": 2, "modules": [{"name": "alerts", "enabled": True}]},
        storage=storage("lab-disk-a", "lab-disk-b"),
        cephConfig={"global": {"debug_ms": "0/4"}},
    )
    trio.ssh("ceph-2", "rm /etc/systemd/system/ceph-mgr@b.service.d/orchestrator.conf || true")
    before = everything(trio)
    for words in (("plan",), ("plan", "--diff"), ("run", "--check")):
        done = trio.orchestrator(*words, manifest=wanted)
        assert done.code == 10, done.text
    after = everything(trio)
    assert sorted(after ^ before) == []
    assert "global debug_ms = 0/4" in done.out
    checked(trio.orchestrator("run", manifest=wanted))


VOLUME = "/usr/sbin/ceph-volume"


def test_a_failed_host_is_named_with_task_and_reason_and_the_others_go_on(trio: Site) -> None:
    two = storage("lab-disk-a", "lab-disk-b")
    whole = manifest(trio, "whole", mon={"count": 3}, mgr={"count": 2}, storage=two)
    checked(trio.orchestrator("run", manifest=whole))
    for host in HOSTS:
        trio.lab("add-disk", host)
    # It is there, or the plan would know better; it only cannot do its work.
    script = "'#!/bin/sh' 'echo out of order' 'exit 1'"
    broken = f"printf '%s\\n' {script} > {VOLUME} && chmod +x {VOLUME}"
    trio.ssh("ceph-2", f"mv {VOLUME} {VOLUME}.real && {broken}")
    disks = storage("lab-disk-a", "lab-disk-b", "lab-disk-c")
    wanted = manifest(trio, "third", mon={"count": 3}, mgr={"count": 2}, storage=disks)
    done = trio.orchestrator("run", manifest=wanted)
    assert done.code == 1, done.text
    assert "failed: ceph-2: task " in done.err
    assert "ceph-volume could not prepare it: out of order" in done.err
    tree = {node["name"]: node for node in trio.ceph("osd", "tree")["nodes"]}
    assert [len(tree[host]["children"]) for host in HOSTS] == [3, 2, 3]
    trio.ssh("ceph-2", f"mv {VOLUME}.real {VOLUME}")
    checked(trio.orchestrator("run", manifest=wanted))
    assert trio.orchestrator("plan", manifest=wanted).code == 0
