"""What all commands share: wrong usage, errors in one message, signals, and the exit codes."""

import json
import signal

import pytest

from orchestrator import cli
from orchestrator.cli import reading
from tests.fakes import kubeconfigs
from tests.fakes.commands import KEY, MANIFEST, home


@pytest.mark.parametrize("command", ["run", "plan", "status"])
def test_an_ansible_that_does_not_work_is_1_in_its_own_words(orchestrator, fake, command):
    fake.broken = "ansible"

    result = orchestrator(command, "-f", "F", "-i", "I")

    assert result.exit_code == 1
    assert result.stderr.startswith("failed: localhost: ERROR! no module named x\n")


@pytest.mark.parametrize(
    "words", [("run",), ("plan",), ("devices",), ("status",), ("run", "--check")]
)
@pytest.mark.parametrize("manifest", [("-f", "F"), ()])
def test_a_kubernetes_that_does_not_answer_is_1(orchestrator, tmp_path, words, manifest):
    path = tmp_path / "kubeconfig"
    path.write_text(kubeconfigs.CONFIG)

    result = orchestrator(*words, *manifest, "--kubeconfig", str(path))

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("no answer from 127.0.0.1:1: [Errno 111] Connection refused\n")


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
    assert "cluster.yaml: is no text in UTF-8; remedy: name a YAML file" in result.stderr


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


def test_ctrl_c_before_anything_is_watched_is_130_too(orchestrator, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, "parse_manifest", interrupted)

    assert orchestrator("plan", "-f", "F", "-i", "I").exit_code == 130


def test_handlers_of_signals_are_put_back(built):
    before = signal.getsignal(signal.SIGINT)

    built("run", "-f", "F", "-i", "I")

    assert signal.getsignal(signal.SIGINT) is before


def test_the_version_and_the_exit_codes_are_told(orchestrator):
    assert orchestrator("--version").stdout.startswith("orchestrator, version ")
    assert "10 changes pending" in orchestrator("plan", "-h").stdout


def test_the_entry_point_leaves_with_the_commands_code(monkeypatch):
    monkeypatch.setattr("sys.argv", ["orchestrator", "destroy"])

    with pytest.raises(SystemExit) as caught:
        cli.main()

    assert caught.value.code == 2
