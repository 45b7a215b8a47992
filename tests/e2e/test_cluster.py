"""The main job: empty hosts become a healthy cluster, a second run changes nothing, and what is
broken by hand comes back.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.e2e.site import BIN, Done, Site, call, checked

pytestmark = pytest.mark.usefixtures("built")


def test_the_first_run_ends_in_the_wanted_cluster(site: Site, built: Done) -> None:
    status = site.healthy()
    assert sorted(status["quorum_names"]) == ["a", "b", "c"]
    assert status["osdmap"]["num_osds"] == 6
    assert status["osdmap"]["num_up_osds"] == 6
    assert status["osdmap"]["num_in_osds"] == 6
    mgrs = site.ceph("mgr", "dump")
    assert {mgrs["active_name"], *(one["name"] for one in mgrs["standbys"])} == {"a", "b"}
    assert "converged" in built.err


def test_a_new_cluster_is_made_in_one_run(site: Site) -> None:
    made = [re.sub(r"^[^-]*-", "", name) for name in site.runs()[:2]]
    assert made == ["facts", "site"]


def test_mons_speak_both_messengers(site: Site) -> None:
    for mon in site.ceph("mon", "dump")["mons"]:
        addresses = {one["type"]: one["addr"] for one in mon["public_addrs"]["addrvec"]}
        assert addresses["v2"].endswith(":3300")
        assert addresses["v1"].endswith(":6789")


def test_osds_are_where_crush_says_with_a_device_class(site: Site) -> None:
    nodes = {node["name"]: node for node in site.ceph("osd", "tree")["nodes"]}
    assert {name for name in nodes if name.startswith("ceph-")} == {"ceph-1", "ceph-2", "ceph-3"}
    assert all(len(nodes[host]["children"]) == 2 for host in ("ceph-1", "ceph-2", "ceph-3"))
    classes = {node["device_class"] for node in nodes.values() if node["type"] == "osd"}
    assert classes
    assert classes <= {"hdd", "ssd", "nvme"}


def test_options_of_the_manifest_are_in_the_mon_store(site: Site) -> None:
    assert site.ssh("ceph-1", "ceph", "config", "get", "osd.0", "osd_memory_target").strip() == (
        "939524096"
    )
    assert site.ssh("ceph-1", "ceph", "config", "get", "mon", "mon_data_avail_warn").strip() == "1"


def test_objects_can_be_written_and_read(site: Site) -> None:
    site.ssh("ceph-1", "ceph", "osd", "pool", "create", "things", "8")
    site.ssh("ceph-1", "ceph", "osd", "pool", "application", "enable", "things", "rados")
    site.ssh("ceph-1", "sh", "-c", "'head -c 1048576 /dev/urandom > /root/in'")
    site.ssh("ceph-1", "timeout", "60", "rados", "-p", "things", "put", "one", "/root/in")
    site.ssh("ceph-2", "timeout", "60", "rados", "-p", "things", "get", "one", "/root/out")
    sums = {site.ssh(host, "sha256sum", file).split()[0] for host, file in COPIES}
    assert len(sums) == 1
    site.ssh("ceph-1", "rados", "-p", "things", "rm", "one")
    assert site.ssh("ceph-1", "rados", "-p", "things", "ls").strip() == ""


COPIES = (("ceph-1", "/root/in"), ("ceph-2", "/root/out"))


def test_a_second_run_looks_once_and_changes_nothing(site: Site) -> None:
    site.healthy()
    before, started = site.runs(), start_times(site)
    done = site.orchestrator("run", "--output", "json")
    checked(done)
    added = [name for name in site.runs() if name not in before]
    assert [name.rpartition("-")[2] for name in added] == ["facts"]
    events = [json.loads(line) for line in done.out.splitlines()]
    assert not any(event.get("changed") for event in events)
    assert events[-1]["event"] == "result"
    assert events[-1]["steps"] == []
    assert start_times(site) == started


def start_times(site: Site) -> dict[str, str]:
    """When each Ceph unit of each host became active."""
    query = "systemctl show 'ceph-*@*' --property=Id,ActiveEnterTimestampMonotonic"
    return {host: site.ssh(host, query) for host in ("ceph-1", "ceph-2", "ceph-3")}


def test_plan_of_a_converged_cluster_says_nothing_to_do(site: Site) -> None:
    done = site.orchestrator("plan")
    assert (done.code, done.out.strip()) == (0, "rook-ceph/demo: nothing to do")


def test_status_has_rooks_fields(site: Site) -> None:
    told = checked(site.orchestrator("status", "--wait", "60", "--output", "yaml"))
    found = yaml.safe_load(told)["status"]
    assert (found["phase"], found["state"]) == ("Ready", "Created")
    assert found["message"] == "Cluster created successfully"
    ready = found["conditions"][-1]
    assert (ready["type"], ready["status"], ready["reason"]) == ("Ready", "True", "ClusterCreated")
    assert found["observedGeneration"] >= 1
    assert found["ceph"]["health"] == "HEALTH_OK"
    assert found["ceph"]["fsid"] == site.ceph("status")["fsid"]
    assert found["ceph"]["capacity"]["bytesTotal"] > 30 * 1024**3
    assert sum(found["ceph"]["versions"]["osd"].values()) == 6
    assert found["storage"]["osd"]["storeType"] == {"bluestore": 6}
    assert found["version"]["version"].startswith(f"{site.ceph_major}.")
    assert "HEALTH_OK" in checked(site.orchestrator("status", "--wait", "60"))


def test_daemons_stopped_by_hand_are_started_again(site: Site) -> None:
    site.ssh("ceph-3", "systemctl", "stop", "ceph-mon@c")
    site.ssh("ceph-2", "systemctl", "stop", "ceph-mgr@b")
    osd = site.ssh("ceph-1", "ls", "/var/lib/ceph/osd").split()[0].rpartition("-")[2]
    site.ssh("ceph-1", "systemctl", "stop", f"ceph-osd@{osd}")
    planned = site.orchestrator("plan", "-o", "json")
    assert planned.code == 10
    changes = [one for step in json.loads(planned.out)["steps"] for one in step["changes"]]
    assert {(one["action"], one["subject"], one["host"]) for one in changes} == {
        ("start", "mon.c", "ceph-3"),
        ("start", "mgr.b", "ceph-2"),
        ("start", f"osd.{osd}", "ceph-1"),
    }
    checked(site.orchestrator("run"))
    site.healthy()
    assert site.orchestrator("plan").code == 0


@pytest.mark.parametrize(
    ("host", "command", "subject"),
    [
        ("ceph-2", "rm -r /etc/systemd/system/ceph-mgr@b.service.d", "mgr.b"),
        ("ceph-2", "rm /var/lib/ceph/mgr/ceph-b/keyring", "mgr.b"),
        ("ceph-1", "systemctl disable ceph-mgr@a", "mgr.a"),
        ("ceph-3", "rm /var/lib/ceph/mon/ceph-c/keyring", "mon.c"),
        ("ceph-3", "rm /etc/ceph/ceph.conf", "/etc/ceph/ceph.conf"),
        ("ceph-3", "rm -r /var/lib/ceph-orchestrator", "mon.c"),
    ],
    ids=["unit", "mgr-keyring", "disabled", "mon-keyring", "conf", "records"],
)
def test_what_is_removed_by_hand_comes_back(
    site: Site, host: str, command: str, subject: str
) -> None:
    site.ssh(host, command)
    planned = json.loads(site.orchestrator("plan", "-o", "json").out)
    subjects = {one["subject"] for step in planned["steps"] for one in step["changes"]}
    assert subject in subjects
    checked(site.orchestrator("run"))
    site.healthy()
    assert site.orchestrator("plan").code == 0


def test_a_changed_option_is_planned_and_set_without_a_restart(site: Site) -> None:
    started = start_times(site)
    config = {"global": {"mon_data_avail_warn": "2"}, "osd": {"osd_memory_target": "896Mi"}}
    manifest = site.changed_manifest("changed", cephConfig=config)
    planned = site.orchestrator("plan", manifest=manifest)
    assert planned.code == 10
    assert "config global/mon_data_avail_warn" in planned.out
    checked(site.orchestrator("run", manifest=manifest))
    assert site.orchestrator("plan", manifest=manifest).code == 0
    assert site.ssh("ceph-1", "ceph", "config", "get", "mon", "mon_data_avail_warn").strip() == "2"
    assert start_times(site) == started
    checked(site.orchestrator("run"))


def test_the_collections_playbook_finds_nothing_to_do(site: Site) -> None:
    for words in ((), ("--check", "--diff")):
        done = site.playbook("site.yml", *words)
        checked(done)
        assert re.findall(r"changed=(\d+)", done.out) == ["0"] * 3, done.out


def test_no_key_is_left_in_artifacts_or_logs(site: Site, built: Done) -> None:
    keys = {entity["key"] for entity in site.ceph("auth", "ls")["auth_dump"]}
    keys.add(
        re.findall(r"key = (\S+)", site.ssh("ceph-1", "cat /var/lib/ceph/mon/ceph-a/keyring"))[0]
    )
    assert len(keys) > 8
    files = [path for path in site.state.rglob("*") if path.is_file()]
    assert any(path.name == "stdout" for path in files)
    for path in files:
        text = path.read_bytes().decode(errors="replace")
        if path.name == "identity.json":
            assert path.stat().st_mode & 0o077 == 0
            continue
        assert not [key for key in keys if key in text], path
    logs = "".join(
        site.ssh(host, "cat /var/log/ceph/*.log; journalctl --no-pager")
        for host in ("ceph-1", "ceph-2", "ceph-3")
    )
    assert not [key for key in keys if key in built.text + logs]


def test_an_empty_workstation_picks_the_cluster_up(site: Site, tmp_path: Path) -> None:
    empty = {**site.environment(), "XDG_STATE_HOME": str(tmp_path)}
    command = [str(BIN / "orchestrator"), "plan", "-f", str(site.manifest)]
    done = call([*command, "-i", str(site.inventory)], env=empty)
    assert (done.code, done.out.strip()) == (0, "rook-ceph/demo: nothing to do")
