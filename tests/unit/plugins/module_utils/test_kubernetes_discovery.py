"""The disks of a node as Rook's discovery daemon tells them, and when they are told."""

import io
import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_api,
    kubernetes_discovery,
    sysfs,
    udev,
)

LINK = "disk/by-id/wwn-0x5000"


class Machine:
    """/sys/class/block and udev's notes, in folders of the test's own."""

    def __init__(self, root: Path) -> None:
        self.block, self.notes = root / "block", root / "data"
        self.block.mkdir()
        self.notes.mkdir()

    def plug(self, name: str, number: str, size: int = 8, **said: str) -> None:
        folder = self.block / name
        folder.mkdir()
        for file, text in (("dev", number), ("size", size), ("ro", 0)):
            (folder / file).write_text(f"{text}\n")
        self.note(number, **said)

    def note(self, number: str, **said: str) -> None:
        lines = [f"S:{LINK}-{number}", *(f"E:{key}={value}" for key, value in said.items())]
        (self.notes / f"b{number}").write_text("\n".join(lines))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    monkeypatch.setattr(sysfs, "BLOCK", found.block)
    monkeypatch.setattr(udev, "DATABASE", found.notes)
    found.plug("sda", "8:0", ID_SERIAL_SHORT="S1", ID_FS_TYPE="ext4", ID_FS_UUID="u-1")
    return found


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list:
    """What was written; its first entries may be problems, which the writer then answers with."""
    found: list = []

    def published(node, namespace, devices):
        found.append(kubernetes_discovery.config_map(node, namespace, devices))
        return ""

    monkeypatch.setattr(kubernetes_discovery, "published", published)
    return found


def test_a_disk_is_told_in_rooks_form(machine: Machine) -> None:
    machine.plug("sdb", "8:16", size=16, ID_MODEL="Fast", ID_WWN="0x5000")
    first, second = kubernetes_discovery.devices()
    assert (first["name"], first["filesystem"], first["empty"]) == ("sda", "ext4", False)
    assert (first["uuid"], first["serial"]) == ("u-1", "S1")
    assert (second["name"], second["size"], second["empty"]) == ("sdb", 16 * 512, True)
    assert (second["model"], second["wwn"], second["type"]) == ("Fast", "0x5000", "disk")
    assert second["devLinks"] == f"/dev/{LINK}-8:16"
    assert (second["real-path"], second["kernel-name"]) == ("/dev/sdb", "sdb")


def test_a_partition_names_its_disk_which_is_not_empty(machine: Machine) -> None:
    (machine.block / "sdb" / "sdb1").mkdir(parents=True)
    for name, folder in (("sdb", ""), ("sdb1", "sdb1")):
        where = machine.block / "sdb" / folder
        for file, text in (("dev", f"8:{name}"), ("size", "8")):
            (where / file).write_text(text)
    (machine.block / "sdb" / "sdb1" / "partition").write_text("1")
    (machine.block / "sdb1").symlink_to(machine.block / "sdb" / "sdb1")
    found = {one["name"]: one for one in kubernetes_discovery.devices()}
    assert (found["sdb"]["hasChildren"], found["sdb"]["empty"]) == (True, False)
    assert (found["sdb1"]["parent"], found["sdb1"]["type"]) == ("sdb", "part")


def test_drives_without_a_disk_are_none(machine: Machine) -> None:
    machine.plug("sr0", "11:0", size=0)
    assert [one["name"] for one in kubernetes_discovery.devices()] == ["sda"]


def test_the_map_has_rooks_name_and_labels(machine: Machine) -> None:
    body = kubernetes_discovery.config_map("node-1", "rook-ceph", kubernetes_discovery.devices())
    assert body["metadata"] == {
        "name": "local-device-node-1",
        "namespace": "rook-ceph",
        "labels": {"app": "rook-discover", "rook.io/node": "node-1"},
    }
    assert [one["name"] for one in json.loads(body["data"]["devices"])] == ["sda"]


def test_a_look_is_due_at_first_and_when_something_moved(machine: Machine) -> None:
    discovery = kubernetes_discovery.Discovery("node-1", "rook-ceph")
    assert discovery.look()
    discovery._left = 9
    assert not discovery.look()
    machine.plug("sdb", "8:16")
    assert discovery.look()
    os.utime(machine.notes / "b8:0", ns=(1, 1))
    assert discovery.look()
    assert not discovery.look()


def test_everything_is_looked_at_once_in_a_while(machine: Machine, told: list) -> None:
    seconds = 3 * kubernetes_discovery.LOOK_SECONDS
    discovery = kubernetes_discovery.Discovery("node-1", "rook-ceph", seconds)
    discovery.look()
    discovery.tell()
    assert [discovery.look() for _ in range(4)] == [False, False, True, True]


def test_what_is_written_is_written_once(machine: Machine, told: list) -> None:
    discovery = kubernetes_discovery.Discovery("node-1", "rook-ceph")
    assert [discovery.tell(), discovery.tell()] == ["", ""]
    assert len(told) == 1
    machine.plug("sdb", "8:16")
    discovery.tell()
    assert len(json.loads(told[1]["data"]["devices"])) == 2


def test_what_could_not_be_written_is_tried_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = ["the API server is gone", ""]
    monkeypatch.setattr(kubernetes_discovery, "published", lambda *_: answers.pop(0))
    discovery = kubernetes_discovery.Discovery("node-1", "rook-ceph")
    discovery.look()
    assert discovery.tell() == "the API server is gone"
    assert discovery.look()
    assert discovery.tell() == ""
    assert not discovery.look()


def test_it_goes_on_until_it_is_stopped(machine: Machine, told: list) -> None:
    stopped = threading.Event()
    discovery = kubernetes_discovery.Discovery("node-1", "rook-ceph")
    looker = threading.Thread(target=discovery.run, args=(stopped,))
    looker.start()
    while not told:
        assert looker.is_alive()
    stopped.set()
    looker.join(5)
    assert not looker.is_alive()


def test_why_it_was_not_written_is_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(words, **_given):
        return subprocess.CompletedProcess(words, 1, "", "Traceback\ncreate ConfigMap: 403\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert kubernetes_discovery.published("node-1", "rook-ceph", []) == "create ConfigMap: 403"


@pytest.mark.parametrize(("there", "did"), [(None, "create"), ({}, "replace")])
def test_a_map_is_made_or_replaced(there, did, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    class Api:
        def __init__(self, namespace):
            assert namespace == "rook-ceph"

        def get(self, _kind, _name):
            return there

        def create(self, body):
            done.append(("create", body["metadata"]["name"]))

        def replace(self, body):
            done.append(("replace", body["metadata"]["name"]))

    monkeypatch.setattr(kubernetes_api, "Api", Api)
    body = kubernetes_discovery.config_map("node-1", "rook-ceph", [])
    monkeypatch.setattr(kubernetes_discovery.sys, "stdin", io.StringIO(json.dumps(body)))
    kubernetes_discovery.main([kubernetes_discovery.PUBLISH])
    assert done == [(did, "local-device-node-1")]
