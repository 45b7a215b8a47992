"""The wait of the lowest rank, run for real with Ceph's tool played by the shell."""

import os
import socket
import subprocess

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.filter import ceph
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import mon_election

PRINTED = """monmaptool: monmap file /run/map
epoch 0
fsid 0a1b2c3d-1111-4222-8333-444455556666
min_mon_release 20 (tentacle)
election_strategy: 1
0: [v2:10.0.0.11:3300/0,v1:10.0.0.11:6789/0] mon.b
1: {first} mon.a
2: {second} mon.c
"""
OTHERS = {
    "first": "[v2:10.0.0.12:3300/0,v1:10.0.0.12:6789/0]",
    "second": "[v2:[fd00::13]:3301/0]",
}
PATIENCE_SECONDS = 60.0


def listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def at(port: int) -> str:
    return f"[v2:127.0.0.1:{port}/0,v1:127.0.0.1:6789/0]"


@pytest.fixture
def started(tmp_path):
    """Starts the wait of a mon; `programs` are played beside monmaptool."""

    def start(mon: str, printed: str, seconds: float = 60.0, **programs: str):
        (tmp_path / "map").write_text(printed)
        for name, text in {"monmaptool": 'cat "$2"', **programs}.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
        words = mon_election.words(mon, str(tmp_path / "map"))[:-1]
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.Popen(
            [*words, str(seconds)], env=environment, stdout=subprocess.PIPE, text=True
        )

    return start


def told(process) -> str:
    out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    return out


def test_the_lowest_rank_waits_for_all_others_at_their_addresses(started):
    waiting = started("b", PRINTED.format(**OTHERS), timeout="cat")
    assert told(waiting) == "10.0.0.12 3300\nfd00::13 3301\n"


@pytest.mark.parametrize("mon", ["a", "c", "d", "xb"])
def test_any_other_starts_at_once(started, mon):
    assert told(started(mon, PRINTED.format(**OTHERS), timeout="cat")) == ""


@pytest.mark.parametrize("printed", ["", "0: [v2:10.0.0.11:3300/0] mon.b\n"])
def test_one_that_is_alone_starts_at_once(started, printed):
    assert told(started("b", printed)) == ""


def test_it_starts_when_the_last_of_them_listens(started):
    with listening() as one, listening() as free:
        ports = one.getsockname()[1], free.getsockname()[1]
        free.close()
        waiting = started("b", PRINTED.format(first=at(ports[0]), second=at(ports[1])))
        one.accept()[0].close()
        assert waiting.poll() is None
        with socket.create_server(("127.0.0.1", ports[1])):
            told(waiting)


def test_it_does_not_wait_for_ever_and_never_fails(started):
    with listening() as free:
        port = free.getsockname()[1]
    told(started("b", PRINTED.format(first=at(port), second=at(port)), seconds=0.2))


def test_it_can_stand_in_a_description_of_daemons():
    words = ceph.lowest_rank_last("/run/{id}.map", "{id}")
    (built,) = ceph.daemon_descriptions([{"id": "a"}], {"init": [{"argv": words}]})
    assert built["init"][0]["argv"] == mon_election.words("a", "/run/a.map")
