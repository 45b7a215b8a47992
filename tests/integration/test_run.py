"""Real ansible-runner and Ansible on this machine under three names; nothing is changed here."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from orchestrator.ansible import content, private
from orchestrator.ansible import run as running
from orchestrator.ansible.events import Progress
from orchestrator.ansible.facts import gathered
from orchestrator.ansible.inventory import InventoryError
from orchestrator.ansible.run import Runner
from orchestrator.ansible.variables import Variables
from orchestrator.model.names import HostName
from orchestrator.report import tasks

HERE = """\
all:
  vars:
    ansible_connection: local
    ansible_python_interpreter: {python}
    ansible_password: a-password-of-the-inventory
  hosts: {{127.0.0.1: {{}}, 127.0.0.2: {{}}, 127.0.0.10: {{ceph_allow_loop_devices: true}}}}
  children: {{mons: {{hosts: {{127.0.0.1: {{}}}}}}}}
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    path = tmp_path / "inventory.yml"
    path.write_text(HERE.format(python=sys.executable))
    return path


@pytest.fixture(autouse=True)
def no_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr(private, "TMPFS", folder)
    return folder


def runner(
    inventory: Path, tmp_path: Path, seen: list[Progress], cancel: threading.Event
) -> Runner:
    return Runner(
        inventories=(inventory,),
        artifacts=tmp_path / "runs",
        on_progress=seen.append,
        canceled=cancel.is_set,
    )


def test_a_look_reports_every_host_and_leaves_only_artifacts(
    inventory: Path, tmp_path: Path, no_remains: Path
) -> None:
    seen: list[Progress] = []
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    one = runner(inventory, tmp_path, seen, threading.Event())
    facts = gathered(one.members(), outcome := one.observe())
    assert outcome.ok, outcome.failures
    assert (outcome.changed, outcome.canceled) == (0, False)
    assert list(facts.hosts) == ["127.0.0.1", "127.0.0.2", "127.0.0.10"]
    assert all(host.reachable and host.hostname for host in facts.hosts.values())
    assert facts.hosts["127.0.0.1"].groups == ("mons",)  # type: ignore[index]
    assert facts.cluster is None
    assert {progress.host for progress in seen if progress.kind == "ok"} == set(facts.hosts)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert list(no_remains.iterdir()) == []
    noted = json.loads((tmp_path / "runs" / outcome.run / "command").read_text())
    assert set(noted) == {"command", "cwd"}
    told = tasks.read(tmp_path / "runs", outcome.run, "facts.yml")
    assert {(one.host, one.role) for one in told} == {(host, "facts") for host in facts.hosts}
    assert all(one.state is tasks.TaskState.OK and 0 < one.seconds < 300 for one in told)
    assert all(abs(one.start - time.time()) < 600 for one in told)
    kept = (path for path in (tmp_path / "runs").rglob("*") if path.is_file())
    assert not [path for path in kept if "a-password-of" in path.read_text(errors="replace")]


def test_a_canceled_run_says_so_and_leaves_no_process(
    inventory: Path, tmp_path: Path, no_remains: Path
) -> None:
    cancel = threading.Event()
    cancel.set()
    outcome = runner(inventory, tmp_path, [], cancel).observe()
    assert (outcome.ok, outcome.canceled, outcome.failures) == (False, True, ())
    assert list(no_remains.iterdir()) == []
    assert gone_within(10.0, str(tmp_path))


SLEEPING = """\
- hosts: all
  gather_facts: false
  tasks:
    - name: Sleep
      ansible.builtin.command: sleep 300.{number}
"""


def test_c51_a_cancel_in_mid_task_leaves_no_process_within_ten_seconds(
    inventory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = f"{os.getpid()}"
    sleeping = "\0".join(("sleep", f"300.{number}"))
    playbook = tmp_path / "sleep.yml"
    playbook.write_text(SLEEPING.format(number=number))
    monkeypatch.setattr(content, "playbook", lambda _name: playbook)
    cancel = threading.Event()

    def begun(progress: Progress) -> None:
        if progress.kind == "start":
            cancel.set()

    one = Runner(
        inventories=(inventory,),
        artifacts=tmp_path / "runs",
        on_progress=begun,
        canceled=lambda: cancel.is_set() and running_now(sleeping),
    )
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    outcome = one.observe()
    assert (outcome.ok, outcome.canceled, outcome.failures) == (False, True, ())
    assert gone_within(10.0, number)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert list((tmp_path / "processes").iterdir()) == []


def running_now(words: str) -> bool:
    return any(words in command_line(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


PROGRAMS = {"127.0.0.2": "grep -q nothing"}
MARKER = "AQAASYNTHETICMARKERAAAAAAAAAAAAAAAAAAAA=="
LOOPING = """\
- hosts: all
  gather_facts: false
  tasks:
    - name: Use the key
      ansible.builtin.command: "{{{{ program }}}}"
      args: {{stdin: "{{{{ ceph_admin_key }}}} {{{{ item }}}}"}}
      loop: [1, 2]
      no_log: true
"""


def test_c55_a_key_is_nowhere_but_in_the_run_itself(
    inventory: Path, tmp_path: Path, no_remains: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playbook = tmp_path / "loop.yml"
    playbook.write_text(LOOPING.format())
    monkeypatch.setattr(content, "playbook", lambda _name: playbook)
    seen: list[str] = []
    told: list[Progress] = []

    def watching() -> bool:
        seen.extend(command_line(path) for path in Path("/proc").glob("[0-9]*/cmdline"))
        return False

    one = Runner(
        inventories=(inventory,),
        artifacts=tmp_path / "runs",
        on_progress=told.append,
        canceled=watching,
    )
    hosts = ("127.0.0.1", "127.0.0.2", "127.0.0.10")
    outcome = one.apply(
        Variables(
            playbook="loop.yml",
            targets=(),
            hosts={HostName(name): {"program": PROGRAMS.get(name, "cat")} for name in hosts},
            extra={"ceph_admin_key": MARKER},
        )
    )
    assert [failure.host for failure in outcome.failures] == ["127.0.0.2"]
    assert seen
    assert not [line for line in seen if MARKER in line]
    assert MARKER not in str(told) + str(outcome)
    kept = [path for path in (tmp_path / "runs").rglob("*") if path.is_file()]
    assert not [path for path in kept if MARKER in path.read_text(errors="replace")]
    assert list(no_remains.iterdir()) == []


def gone_within(seconds: float, word: str) -> bool:
    """Whether no process has `word` in its command line any more, after so many seconds at most."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(word in command_line(path) for path in Path("/proc").glob("[0-9]*/cmdline")):
            return True
        time.sleep(0.1)
    return False


def command_line(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""  # it ended meanwhile


def test_old_runs_are_rotated_away(
    inventory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "KEPT_RUNS", 2)
    one = runner(inventory, tmp_path, [], threading.Event())
    runs = [one.observe().run for _ in range(4)]
    left = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert runs[-1] in left
    assert len(left) <= 3


def test_an_inventory_that_ansible_refuses_is_named_with_its_reason(tmp_path: Path) -> None:
    broken = tmp_path / "inventory.yml"
    broken.write_text("all: [")
    with pytest.raises(InventoryError, match=r"inventory\.yml"):
        runner(broken, tmp_path, [], threading.Event()).members()


def test_no_file_of_several_is_left_out_in_silence(inventory: Path, tmp_path: Path) -> None:
    broken = tmp_path / "more.yml"
    broken.write_text("all: [")
    one = Runner(
        inventories=(inventory, broken),
        artifacts=tmp_path / "runs",
        on_progress=lambda _: None,
        canceled=lambda: False,
    )
    with pytest.raises(InventoryError, match=r"more\.yml:2: is no inventory: YAML parsing failed"):
        one.members()
