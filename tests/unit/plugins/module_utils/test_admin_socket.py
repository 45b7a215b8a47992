import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import admin_socket
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

Serve = Callable[[bytes], str]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Answer one connection with the given bytes, after reading the command."""
    path = tmp_path / "x.asok"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()
    threads: list[threading.Thread] = []

    def start(answer: bytes) -> str:
        def once() -> None:
            connection, _peer = listener.accept()
            with connection:
                command = connection.recv(4096)
                assert json.loads(command.rstrip(b"\0"))["prefix"] == "mon_status"
                connection.sendall(answer)

        threads.append(threading.Thread(target=once))
        threads[-1].start()
        return str(path)

    yield start
    for thread in threads:
        thread.join(5)
    listener.close()


def framed(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


def test_json_is_decoded(serve: Serve) -> None:
    path = serve(framed(b'{"state": "leader"}'))
    assert admin_socket.ask(path, {"prefix": "mon_status"}) == {"state": "leader"}


def test_text_stays_text(serve: Serve) -> None:
    assert admin_socket.ask(serve(framed(b"ok \xff")), {"prefix": "mon_status"}) == "ok \ufffd"


def test_a_refusal_is_an_error_in_ceph_s_words(serve: Serve) -> None:
    path = serve(framed(b"ERROR: (22) Invalid argument\nno such thing\n"))
    with pytest.raises(CephError, match="no such thing"):
        admin_socket.ask(path, {"prefix": "mon_status"})


def test_a_cut_answer_is_an_error(serve: Serve) -> None:
    with pytest.raises(CephError, match="closed the connection"):
        admin_socket.ask(serve(struct.pack(">I", 100) + b"short"), {"prefix": "mon_status"})


def test_a_silent_daemon_ends_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "silent.asok"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        with pytest.raises(CephError, match=r"no answer within 0\.1 s"):
            admin_socket.ask(str(path), {"prefix": "mon_status"}, timeout=0.1)


def test_no_socket_is_told_by_its_errno(tmp_path: Path) -> None:
    with pytest.raises(CephError) as caught:
        admin_socket.ask(str(tmp_path / "none.asok"), {"prefix": "mon_status"})
    assert caught.value.errno == 2
