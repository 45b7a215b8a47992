"""How hosts are made."""

from types import SimpleNamespace

import pytest

from lab import hosts
from lab.settings import Lab


@pytest.fixture
def lab():
    return Lab.at("/x/.lab")


def test_a_host_is_made_with_fixed_identity_and_no_sight_of_others(lab):
    command = " ".join(hosts.create_command(lab, "ceph-2", "image:1", "10.224.0.12"))

    assert command.startswith(f"run --detach --name {lab.id}-ceph-2 --hostname ceph-2 ")
    assert "--ip 10.224.0.12 --mac-address 02:" in command
    assert f"--label ceph-orchestrator.lab={lab.id}" in command
    assert "--volume /x/.lab/hosts/ceph-2:/lab:ro" in command
    assert command.endswith("--pull never image:1 /usr/local/lib/lab/entry.sh")


def test_states_are_named_by_host_in_order(lab, monkeypatch):
    found = [
        {"Names": [f"{lab.id}-ceph-10"], "State": "exited"},
        {"Names": [f"{lab.id}-ceph-9"], "State": "running"},
    ]
    monkeypatch.setattr(hosts.podman, "listed", lambda *_words: found)

    assert list(hosts.states(lab).items()) == [("ceph-9", "running"), ("ceph-10", "exited")]


def test_running_hosts_are_left_alone(lab, monkeypatch):
    monkeypatch.setattr(hosts, "states", lambda _lab: {"ceph-1": "running"})

    assert hosts.boot(lab, ["ceph-1"], "image", None) == []


def answer(monkeypatch, code, text=""):
    done = SimpleNamespace(returncode=code, stdout=text, stderr="")
    monkeypatch.setattr(hosts.podman, "attempt", lambda *_words: done)


def test_a_ready_host_has_no_trouble(monkeypatch):
    answer(monkeypatch, 0)
    monkeypatch.setattr(hosts.keys, "answers", lambda _address: True)

    assert hosts._trouble("name", "10.0.0.1") == ""


def test_a_unit_that_failed_is_named_at_once(monkeypatch):
    answer(monkeypatch, 2, "systemd-udevd.service loaded failed\n")

    assert hosts._trouble("name", "10.0.0.1") == "systemd-udevd.service loaded failed"


def test_a_host_that_ended_is_not_waited_for(monkeypatch):
    answer(monkeypatch, 255)

    assert hosts._trouble("name", "10.0.0.1") == "its first process ended"


def test_waiting_has_an_end(monkeypatch):
    answer(monkeypatch, 1)
    monkeypatch.setattr(hosts, "BOOT_SECONDS", 0.05)

    assert hosts._trouble("name", "10.0.0.1") == "not ready within 0.05 s"
