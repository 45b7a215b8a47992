"""The command line, with simulated machines behind it: exit codes, and what is said where."""

import json
import os
import signal

import pytest
import yaml
from click.testing import CliRunner

from orchestrator import app, cli
from orchestrator.ansible.events import Progress
from orchestrator.ansible.inventory import InventoryError
from orchestrator.model.names import ClusterKey
from orchestrator.model.outcome import Failure, Outcome
from orchestrator.stores import files
from tests.fakes.clusters import room

KEY = ClusterKey("rook-ceph", "test")
MANIFEST = """\
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: test, namespace: rook-ceph}
spec:
  dataDirHostPath: /var/lib/rook
  mon: {count: 3}
  mgr: {count: 2}
  storage: {useAllNodes: true, useAllDevices: true}
"""


class Runner:
    """Takes the place of the one that starts Ansible; class attributes are what a test sets."""

    machines = room()
    interrupt = ""
    broken = ""

    def __init__(self, *, inventories, artifacts, on_progress, canceled):
        self._on_progress = on_progress
        self._canceled = canceled

    def members(self):
        if self.broken == "inventory":
            raise InventoryError("hosts.yml: ERROR! no such group")
        return self.machines.members()

    def observe(self, _restarts):
        if self.broken == "ansible":
            failure = Failure(host="localhost", task="", message="ERROR! no module named x")
            return Outcome(ok=False, run="7", playbook="facts.yml", failures=(failure,))
        return self._run("facts.yml", self.machines.observe)

    def apply(self, variables, *, check=False):
        return self._run(variables.playbook, lambda: self.machines.apply(variables, check=check))

    def _run(self, playbook, run):
        if self.interrupt == playbook:
            os.kill(os.getpid(), signal.SIGINT)
        if self._canceled():
            return Outcome(ok=False, run="7", playbook=playbook, canceled=True)
        ident = f"{len(self.machines.runs) + 1}"
        self._on_progress(Progress(run=ident, playbook=playbook, kind="task", task="Do it"))
        outcome = run()
        for host in outcome.reports:
            self._on_progress(
                Progress(
                    run=ident,
                    playbook=playbook,
                    kind="ok",
                    task="Do it",
                    host=host,
                    changed=playbook != "facts.yml",
                    seconds=1.0,
                )
            )
        return outcome


@pytest.fixture
def fake(monkeypatch):
    found = type("FakeRunner", (Runner,), {"machines": room(3, 1)})
    monkeypatch.setattr(app, "Runner", found)
    return found


@pytest.fixture
def orchestrator(tmp_path, monkeypatch, fake):
    """The command with a manifest and an inventory at hand, and a home of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "cluster.yaml").write_text(MANIFEST)
    (tmp_path / "hosts.yml").write_text("")
    places = {"F": str(tmp_path / "cluster.yaml"), "I": str(tmp_path / "hosts.yml")}

    def call(*words):
        return CliRunner().invoke(cli.cli, [places.get(word, word) for word in words])

    return call


@pytest.fixture
def built(orchestrator):
    """The same after a run that converged."""
    assert orchestrator("run", "-f", "F", "-i", "I").exit_code == 0
    return orchestrator


def home(tmp_path):
    return files.Home(tmp_path / "state" / "orchestrator")


def test_a_run_that_converges_is_0_and_told_in_plain_lines(orchestrator, fake):
    result = orchestrator("run", "-f", "F", "-i", "I")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        "facts: Do it",
        (
            "run mon: create mon.a on store-1, create mon.b on store-2, create mon.c on store-3, "
            "set config global/auth_allow_insecure_global_id_reclaim and 2 more; "
            "2 more runs planned"
        ),
        "mon: Do it",
    ]
    assert "osd: store-3: changed (1.0 s)" in lines
    assert result.stderr == "rook-ceph/test: converged, HEALTH_OK\n"


def test_a_second_run_looks_once_and_changes_nothing(built, fake):
    fake.machines.runs.clear()

    result = built("run", "-f", "F", "-i", "I")

    assert (result.exit_code, fake.machines.runs) == (0, ["facts.yml"])


def test_a_run_as_json_is_one_object_a_line(orchestrator):
    result = orchestrator("run", "-f", "F", "-i", "I", "-o", "json")

    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert {event["event"] for event in events} == {"change", "progress", "result"}
    assert events[-1]["event"] == "result"
    assert (events[-1]["ok"], events[-1]["steps"], events[-1]["failures"]) == (True, [], [])


def test_a_run_that_fails_is_1_and_says_where_to_read_on(orchestrator, fake, tmp_path):
    fake.machines.cut_after = 1

    result = orchestrator("run", "-f", "F", "-i", "I")

    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        'failed: store-1: task "cut": interrupted',
        (f"Ansible's own output: {tmp_path}/state/orchestrator/rook-ceph/test/runs/2/stdout"),
    ]


def test_a_failure_is_in_the_json_as_well(orchestrator, fake):
    fake.machines.cut_after = 1

    result = orchestrator("run", "-f", "F", "-i", "I", "-o", "json")

    last = json.loads(result.stdout.splitlines()[-1])
    assert (result.exit_code, last["ok"]) == (1, False)
    assert last["failures"] == [
        {"host": "store-1", "task": "cut", "message": "interrupted", "unreachable": False}
    ]


def test_a_blocked_run_is_3_with_its_reasons(orchestrator, fake):
    fake.machines.machines["store-2"].reachable = False

    result = orchestrator("run", "-f", "F", "-i", "I")

    assert result.exit_code == 3
    assert result.stderr.startswith(
        "blocked: ClusterStateUnknown: store-2: cluster state unknown: this host may hold a mon"
    )


def test_a_run_that_meets_another_is_3(built, tmp_path):
    with files.FileLock(home(tmp_path)).hold(KEY):
        result = built("run", "-f", "F", "-i", "I")

    assert result.exit_code == 3
    assert result.stderr == (
        f"Error: rook-ceph/test: the orchestrator with pid {os.getpid()} is working on this "
        "cluster\n"
    )


@pytest.mark.parametrize("words", [("plan", "--diff"), ("run", "--check")])
def test_a_rehearsal_is_10_and_changes_nothing(orchestrator, fake, tmp_path, words):
    result = orchestrator(*words, "-f", "F", "-i", "I")

    assert result.exit_code == 10
    assert fake.machines.runs == ["facts.yml", *(f"{one}.yml --check" for one in STEPS)]
    assert "rook-ceph/test: 12 changes in 3 runs" in result.stdout
    assert "run 3: osd\nno file and no option differs" in result.stdout
    assert not home(tmp_path).root.exists()


STEPS = ("mon", "mgr", "osd")


def test_a_rehearsal_of_a_converged_cluster_is_0(built, fake):
    fake.machines.runs.clear()

    assert built("run", "--check", "-f", "F", "-i", "I", "-o", "json").exit_code == 0
    assert fake.machines.runs == ["facts.yml"]


def test_the_status_of_a_run_that_was_killed_says_that_nobody_works(orchestrator, tmp_path):
    message = "Configuring Ceph OSDs"
    dead = {"phase": "Progressing", "state": "Creating", "message": message}
    files.StatusFile(home(tmp_path)).put(KEY, dead)

    told = orchestrator("status", "-f", "F", "-o", "json")

    assert json.loads(told.stdout)["status"]["state"] == "Error"
    with files.FileLock(home(tmp_path)).hold(KEY):
        told = orchestrator("status", "-f", "F", "-o", "json")
    assert json.loads(told.stdout)["status"] == dead


def test_a_plan_with_changes_is_10_and_changes_nothing(orchestrator, fake, tmp_path):
    result = orchestrator("plan", "-f", "F", "-i", "I")

    assert result.exit_code == 10
    assert not home(tmp_path).root.exists()
    assert fake.machines.runs == ["facts.yml"]
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "rook-ceph/test: 12 changes in 3 runs"
    assert lines[2:5] == [
        "run 1: mon",
        (
            "  create   mon.a                                                store-1  "
            "new cluster, 10.0.0.1"
        ),
        (
            "  create   mon.b                                                store-2  "
            "new cluster, 10.0.0.2"
        ),
    ]


def test_a_plan_of_a_converged_cluster_is_0(built):
    result = built("plan", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stdout) == (0, "rook-ceph/test: nothing to do\n")


def test_a_plan_that_is_blocked_is_3(orchestrator, fake):
    fake.machines.machines["store-2"].reachable = False

    result = orchestrator("plan", "-f", "F", "-i", "I")

    assert result.exit_code == 3
    assert result.stdout.startswith("rook-ceph/test: nothing can be done now\n\nblocked: ")


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_plan_is_a_document(orchestrator, form):
    result = orchestrator("plan", "-f", "F", "-i", "I", "-o", form)

    found = (json.loads if form == "json" else yaml.safe_load)(result.stdout)
    assert result.exit_code == 10
    assert [step["playbook"] for step in found["steps"]] == ["mon", "mgr", "osd"]


@pytest.mark.parametrize("command", ["run", "plan", "status"])
def test_an_ansible_that_does_not_work_is_1_in_its_own_words(orchestrator, fake, command):
    fake.broken = "ansible"

    result = orchestrator(command, "-f", "F", "-i", "I")

    assert result.exit_code == 1
    assert result.stderr.startswith("failed: localhost: ERROR! no module named x\n")


@pytest.mark.parametrize("command", ["run", "plan", "status"])
def test_an_inventory_that_ansible_refuses_is_2(orchestrator, fake, command):
    fake.broken = "inventory"

    result = orchestrator(command, "-f", "F", "-i", "I")

    assert (result.exit_code, result.stderr) == (2, "Error: hosts.yml: ERROR! no such group\n")


@pytest.mark.parametrize("command", ["run", "plan", "status"])
def test_a_manifest_that_is_not_understood_is_2_and_touches_nobody(
    orchestrator, fake, tmp_path, command
):
    path = tmp_path / "cluster.yaml"
    path.write_text(MANIFEST.replace("count: 3", "count: many"))

    result = orchestrator(command, "-f", "F", "-i", "I")

    assert result.exit_code == 2
    assert result.stderr.startswith(f'Error: {path}:6: spec.mon.count: "many": ')
    assert "remedy: " in result.stderr
    assert fake.machines.runs == []


def test_warnings_go_to_stderr_and_do_not_spoil_the_output(orchestrator, tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text(MANIFEST + "  monitoring: {enabled: true}\n")

    result = orchestrator("plan", "-f", "F", "-i", "I", "-o", "json")

    json.loads(result.stdout)
    assert result.stderr.startswith("Warning: ")
    assert "monitoring.enabled" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("run",),
        ("run", "-f", "F"),
        ("run", "-f", "/nowhere.yaml", "-i", "I"),
        ("run", "-f", "F", "-i", "/nowhere"),
        ("run", "-f", "F", "-i", "I", "-o", "xml"),
        ("run", "-f", "F", "-i", "I", "--timeout", "-1"),
        ("plan", "-f", "/", "-i", "I"),
        ("destroy",),
        ("status", "-i", "I"),
        ("status", "--wait", "5"),
        ("status", "-f", "F", "--wait", "5"),
        ("status",),
        ("run", "-f", "F", "-i", "I", "--name", "other"),
    ],
)
def test_wrong_usage_is_2_without_a_traceback(orchestrator, fake, words):
    result = orchestrator(*words)

    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert fake.machines.runs == []


def test_a_manifest_that_is_no_text_is_2(orchestrator, tmp_path):
    (tmp_path / "cluster.yaml").write_bytes(b"\xff\xfe\x00")

    result = orchestrator("plan", "-f", "F", "-i", "I")

    assert result.exit_code == 2
    assert "cannot be read" in result.stderr


def test_a_damaged_state_is_3_and_named(built, tmp_path):
    path = home(tmp_path).of(KEY) / "status.json"
    path.write_text("{")

    result = built("status")

    assert result.exit_code == 3
    assert result.stderr.startswith(f"Error: {path}: is not JSON (")


@pytest.mark.parametrize("command", ["run", "plan", "status"])
def test_ctrl_c_is_130_and_says_that_nothing_is_lost(built, fake, command):
    fake.interrupt = "facts.yml"

    result = built(command, "-f", "F", "-i", "I")

    assert result.exit_code == 130
    assert isinstance(result.exception, SystemExit)
    if command == "run":
        assert result.stderr == (
            "rook-ceph/test: interrupted; what is there stays, and the next run goes on from it\n"
        )


def test_ctrl_c_between_two_runs_stops_before_the_next(orchestrator, fake):
    fake.interrupt = "mgr.yml"

    result = orchestrator("run", "-f", "F", "-i", "I")

    assert result.exit_code == 130
    assert fake.machines.runs == ["facts.yml", "mon.yml"]


def test_ctrl_c_before_anything_is_watched_is_130_too(orchestrator, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "parse_manifest", interrupted)

    assert orchestrator("plan", "-f", "F", "-i", "I").exit_code == 130


def test_handlers_of_signals_are_put_back(built):
    before = signal.getsignal(signal.SIGINT)

    built("run", "-f", "F", "-i", "I")

    assert signal.getsignal(signal.SIGINT) is before


def test_the_status_is_the_last_known_one_of_the_only_cluster(built, fake):
    fake.machines.runs.clear()

    result = built("status", "-o", "json")

    found = json.loads(result.stdout)
    assert (result.exit_code, fake.machines.runs) == (0, [])
    assert (found["apiVersion"], found["kind"]) == ("ceph.rook.io/v1", "CephCluster")
    assert found["metadata"] == {"name": "test", "namespace": "rook-ceph"}
    assert found["status"]["phase"] == "Ready"


def test_the_status_is_a_table_for_people(built):
    result = built("status", "-f", "F")

    assert result.exit_code == 0
    for text in ("NAMESPACE", "PHASE", "HEALTH_OK", "Ready=True", "20.2.4"):
        assert text in result.stdout


def test_the_status_is_yaml(built):
    assert yaml.safe_load(built("status", "-o", "yaml").stdout)["status"]["state"] == "Created"


def test_a_status_with_an_inventory_looks_first(built, fake):
    fake.machines.machines["store-3"].units["mon.c"].active = "failed"
    fake.machines.runs.clear()

    result = built("status", "-f", "F", "-i", "I", "-o", "json")

    assert fake.machines.runs == ["facts.yml"]
    assert result.exit_code == 0
    assert json.loads(result.stdout)["status"]["message"] == (
        "no run is at work; `orchestrator run` goes on with this: Configuring Ceph Mons"
    )


def test_health_is_waited_for_and_1_if_it_does_not_come(built, fake, monkeypatch):
    assert built("status", "-f", "F", "-i", "I", "--wait", "5").exit_code == 0

    for machine in fake.machines.machines.values():
        for unit in machine.units.values():
            unit.active = "failed"
    assert built("status", "-f", "F", "-i", "I", "--wait", "0.01").exit_code == 1


def test_a_cluster_of_which_nothing_is_known_is_1(orchestrator):
    result = orchestrator("status", "-f", "F")

    assert result.exit_code == 1
    assert result.stderr == (
        "Error: nothing is known of rook-ceph/test here; run `orchestrator run`, or give -i\n"
    )


def test_which_cluster_is_asked_when_there_are_several(built, tmp_path):
    files.StatusFile(home(tmp_path)).put(ClusterKey("a", "b"), {"phase": "Ready"})

    result = built("status")

    assert result.exit_code == 2
    assert "clusters known here: a/b, rook-ceph/test; name the manifest with -f" in result.stderr


def test_the_version_and_the_exit_codes_are_told(orchestrator):
    assert orchestrator("--version").stdout.startswith("orchestrator, version ")
    assert "10 changes pending" in orchestrator("plan", "-h").stdout


def test_the_entry_point_leaves_with_the_commands_code(monkeypatch):
    monkeypatch.setattr("sys.argv", ["orchestrator", "destroy"])

    with pytest.raises(SystemExit) as caught:
        cli.main()

    assert caught.value.code == 2


def test_devices_tells_of_every_disk_and_touches_nothing(orchestrator, fake):
    fake.machines.machines["store-2"].disks[0].content = "ext4"

    result = orchestrator("devices", "-f", "F", "-i", "I")

    assert (result.exit_code, fake.machines.runs) == (0, ["facts.yml"])
    rows = [" ".join(line.split()) for line in result.stdout.splitlines() if "store-" in line]
    assert rows == [
        "store-1 /dev/disk/by-id/wwn-sda 10.0 GiB selected Selected matched by useAllDevices",
        "store-2 /dev/disk/by-id/wwn-sda 10.0 GiB skipped Filesystem holds ext4",
        "store-3 /dev/disk/by-id/wwn-sda 10.0 GiB selected Selected matched by useAllDevices",
    ]


@pytest.mark.parametrize(("form", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_devices_as_a_document_with_the_hosts_that_did_not_answer(built, fake, form, load):
    fake.machines.machines["store-3"].reachable = False

    result = built("devices", "-f", "F", "-i", "I", "-o", form)

    found = load(result.stdout)
    assert result.exit_code == 0
    assert [(one["host"], one["state"]) for one in found["devices"]] == [
        ("store-1", "osd.0"),
        ("store-2", "osd.1"),
    ]
    assert [(one["host"], one["code"]) for one in found["hosts"]] == [
        ("store-3", "HostUnreachable")
    ]


def test_devices_that_could_not_be_looked_at_are_1(orchestrator, fake):
    fake.broken = "ansible"

    result = orchestrator("devices", "-f", "F", "-i", "I")

    assert (result.exit_code, result.stdout) == (1, "")


def test_the_status_lists_the_devices_too(built):
    found = yaml.safe_load(built("status", "-f", "F", "-o", "yaml").stdout)

    storage = found["status"]["storage"]
    assert storage["deviceCounts"] == {"osd": 3, "selected": 0, "skipped": 0}
    assert [one["state"] for one in storage["devices"]] == ["osd.0", "osd.1", "osd.2"]


def test_a_run_can_be_reported(built, tmp_path):
    page = tmp_path / "page.html"
    result = built("report", "-o", str(page))

    assert result.exit_code == 0
    assert result.stderr == f"rook-ceph/test: the report of the last run is in {page}\n"
    text = page.read_text()
    assert "converged: nothing is left to do" in text
    assert "new cluster, 10.0.0.1" in text
    assert "running, in quorum" in text
    assert "wwn-sda" in text


def test_a_report_goes_to_stdout_where_that_is_asked_for(built):
    result = built("report", "-f", "F", "-o", "-")

    assert result.exit_code == 0
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stderr == ""


def test_a_failed_run_is_reported_with_its_words(orchestrator, fake):
    fake.broken = "ansible"
    assert orchestrator("run", "-f", "F", "-i", "I").exit_code == 1

    page = orchestrator("report", "-f", "F", "-o", "-").stdout
    assert "ERROR! no module named x" in page
    assert '<span class="word bad">failed</span>' in page


def test_looks_leave_the_report_of_the_last_run_alone(built):
    before = built("report", "-o", "-").stdout
    assert built("plan", "-f", "F", "-i", "I").exit_code == 0
    assert built("status", "-f", "F", "-i", "I").exit_code == 0
    after = built("report", "-o", "-").stdout

    assert before.count("new cluster, 10.0.0.1") == after.count("new cluster, 10.0.0.1") == 1


def test_without_a_run_there_is_nothing_to_report_and_no_file_is_made(orchestrator, tmp_path):
    page = tmp_path / "page.html"
    result = orchestrator("report", "-f", "F", "-o", str(page))

    assert result.exit_code == 1
    assert "no run of rook-ceph/test is known here" in result.stderr
    assert not page.exists()


def test_a_record_that_is_not_understood_is_no_traceback(built, tmp_path):
    files.LastRunFile(home(tmp_path)).put(KEY, {"from": "the future"})
    result = built("report", "-o", "-")

    assert result.exit_code == 3
    assert "another version noted the last run" in result.stderr
