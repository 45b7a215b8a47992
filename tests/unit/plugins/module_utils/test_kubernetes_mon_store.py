"""The step that makes a mon's store, run for real with Ceph's programs played by the shell."""

import os
import subprocess
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_desired,
    kubernetes_mon,
)

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
THEIRS = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"
PROGRAMS = {
    # ceph-authtool FILE --name=mon. --print-key
    "ceph-authtool": 'cat "$1"',
    # In a copy alone: whoever opens a store writes to it.
    "ceph-mon": """for word; do case "$word" in
  --mon-data=*) data=${word#*=} ;;
  --extract-monmap=*) map=${word#*=} ;;
  --monmap=*) given=${word#*=} ;;
  --mkfs) mkfs=1 ;;
esac; done
if [ -n "${mkfs:-}" ]; then
  mkdir "$data/store.db"; echo new > "$data/keyring"
  [ -z "${given:-}" ] || cat "$given" > "$data/store.db/map"
  exit
fi
echo opened >> "$data/store.db/LOG"
[ ! -e "$data/store.db/fsid" ] || cp "$data/store.db/fsid" "$map" """,
    "monmaptool": """if [ "$1" = --create ]; then
  for last; do :; done; echo "$@" > "$last"
else
  [ -s "$2" ] && echo "epoch 3" && echo "fsid $(cat "$2")"
fi""",
    "install": 'for last; do :; done; mkdir -p "$last"',
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, text in PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "keyring").write_text("our key")
    return folder


def store(data: Path, key: str, fsid: str) -> None:
    (data / "store.db").mkdir()
    (data / "keyring").write_text(key)
    (data / "kv_backend").write_text("rocksdb")
    if fsid:
        (data / "store.db" / "fsid").write_text(fsid)


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


ADDRESSES = "[v2:10.96.0.11:3300,v1:10.96.0.11:6789],[v2:[fd00::1]:3300]"


def run(
    path: Path, data: Path, members: str = "a,b", addresses: str = ADDRESSES
) -> subprocess.CompletedProcess[str]:
    raw = {
        "metadata": {"name": "c", "namespace": "n"},
        "spec": {"dataDirHostPath": "/var/lib/rook"},
    }
    cluster = kubernetes_cluster.parse(raw)
    built = kubernetes_mon.deployment(cluster, {"id": "a"}, OURS, "10.96.0.11", "node-1")
    step = built["spec"]["template"]["spec"]["initContainers"][1]
    words = [*step["command"], *step["args"]]
    place = words.index("init-mon-fs")
    words[place + 1], words[place + 4] = str(data), str(data.parent / "keyring")
    environment = {
        "PATH": f"{path}:{os.environ['PATH']}",
        "ROOK_CEPH_MON_INITIAL_MEMBERS": members,
        "ROOK_CEPH_MON_HOST": addresses,
        "TMPDIR": str(data.parent),
    }
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


def test_without_a_store_one_is_made(path: Path, data: Path) -> None:
    assert run(path, data).returncode == 0
    assert (data / "store.db").is_dir()
    assert (data / "keyring").read_text() == "new\n"
    assert not (data / ".mkfs").exists()


def test_a_new_store_knows_all_mons_by_name(path: Path, data: Path) -> None:
    assert run(path, data).returncode == 0
    words = (data / "store.db" / "map").read_text().split()[:-1]
    assert words == [
        *("--create", "--fsid", OURS),
        *("--addv", "a", "[v2:10.96.0.11:3300,v1:10.96.0.11:6789]"),
        *("--addv", "b", "[v2:[fd00::1]:3300]"),
    ]


@pytest.mark.parametrize(
    ("members", "addresses"),
    [
        ("b,c", ADDRESSES),
        ("a,b,c", ADDRESSES),
        ("a", ADDRESSES),
        ("a,b", "10.96.0.11:6789,10.96.0.12:6789"),
        ("", ""),
    ],
)
def test_it_asks_its_way_where_not_all_is_told(
    path: Path, data: Path, members: str, addresses: str
) -> None:
    assert run(path, data, members, addresses).returncode == 0
    assert (data / "store.db").is_dir()
    assert not (data / "store.db" / "map").exists()


@pytest.mark.parametrize(("key", "fsid"), [("our key", THEIRS), ("a rotated key", OURS)])
def test_a_store_of_this_cluster_is_used(path: Path, data: Path, key: str, fsid: str) -> None:
    store(data, key, fsid)
    before = contents(data)
    assert run(path, data).returncode == 0
    assert contents(data) == before


@pytest.mark.parametrize(("fsid", "whose"), [(THEIRS, THEIRS), ("", "which never had a quorum")])
def test_a_store_of_another_cluster_is_refused_and_stays(
    path: Path, data: Path, fsid: str, whose: str
) -> None:
    store(data, "their key", fsid)
    before = contents(data)
    done = run(path, data)
    assert done.returncode == kubernetes_mon.REFUSED
    assert done.stdout.startswith(
        "/var/lib/rook/mon-a of this node holds the store of a mon of another Ceph cluster, "
        f"{whose};"
    )
    assert "key" not in done.stdout
    assert contents(data) == before


def pod(**state) -> dict:
    statuses = [{"name": "init-mon-fs", **state}]
    return {"metadata": {"name": "pod"}, "status": {"initContainerStatuses": statuses}}


def test_a_refusal_is_told_also_while_the_step_is_tried_again() -> None:
    ended = {"terminated": {"exitCode": kubernetes_mon.REFUSED, "message": "why\n"}}
    failed = {"terminated": {"exitCode": 1, "message": "a passing fault"}}
    again = {"waiting": {"reason": "CrashLoopBackOff"}}
    assert kubernetes_desired.refusals([pod(state=ended)]) == ["pod: why"]
    assert kubernetes_desired.refusals([pod(state=again, lastState=ended)]) == ["pod: why"]
    assert (
        kubernetes_desired.refusals([pod(state=failed), pod(state=again), {"metadata": {}}]) == []
    )


@pytest.mark.parametrize(
    ("status", "begun"),
    [
        ({}, False),
        ({"conditions": [{"type": "Initialized", "status": "False"}]}, False),
        ({"conditions": [{"type": "Ready", "status": "True"}]}, False),
        ({"conditions": [{"type": "Initialized", "status": "True"}]}, True),
        (pod(state={"terminated": {"exitCode": kubernetes_mon.REFUSED}})["status"], True),
        (pod(state={"terminated": {"exitCode": 1}})["status"], False),
    ],
)
def test_a_mon_has_begun_when_its_steps_before_are_done_or_never_will_be(status, begun) -> None:
    found = {"metadata": {"name": "pod"}, "status": status}
    assert kubernetes_desired.begun([found]) is begun
    assert not kubernetes_desired.begun([])
