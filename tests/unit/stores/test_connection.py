"""What a server offers is asked by one thread at a time: the client is not made for more."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from kubernetes import client
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import MaxRetryError, ReadTimeoutError

from orchestrator.stores import AccessError, SilentError, StoreError
from orchestrator.stores.kubernetes import connection as connection_module
from orchestrator.stores.kubernetes.connection import (
    NODE,
    SECRET,
    ConflictError,
    Connection,
    connect,
    told,
)
from tests.fakes.kubeconfigs import CONFIG


class Discoverer:
    """Loses what it knows when two ask at once, as the client's does."""

    def __init__(self):
        self._asked = threading.Lock()

    def get(self, api_version, kind):
        assert self._asked.acquire(blocking=False), "two ask at once"
        time.sleep(0.005)
        self._asked.release()
        return f"{kind} {api_version}"


def test_threads_that_need_a_kind_wait_for_each_other():
    connection = Connection(None)
    connection._dynamic = SimpleNamespace(resources=Discoverer())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(connection.resource, [NODE, SECRET] * 4))
    assert found == ["Node v1", "Secret v1"] * 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("root:x:0:0:root:/root:/bin/bash\n", "it is no kubeconfig"),
        ("a: [", "it is no kubeconfig"),
        ("- a", "it is no kubeconfig"),
        ("", "Invalid kube-config"),
        ("spec: {}", "Expected key current-context"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_named_with_a_remedy(tmp_path, text, reason):
    path = tmp_path / "config"
    path.write_text(text)

    with pytest.raises(AccessError) as caught:
        connect(path)

    told = str(caught.value)
    assert told.startswith(f"cannot use {path}: ")
    assert reason in told
    assert told.endswith("; remedy: name one that `kubectl --kubeconfig` takes")


def test_a_server_that_does_not_answer_is_named_in_one_short_sentence(tmp_path):
    path = tmp_path / "config"
    path.write_text(CONFIG)

    with pytest.raises(SilentError) as caught:
        connect(path).list(SECRET, "rook-ceph")

    assert str(caught.value) == (
        "cannot list Secret rook-ceph: no answer from 127.0.0.1:1: [Errno 111] Connection refused"
    )


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ApiException(status=503, reason="Service Unavailable"), SilentError),
        (ApiException(status=500, reason="etcd has no leader"), SilentError),
        (ApiException(status=0, reason="SSLError: certificate verify failed"), SilentError),
        (TimeoutError("timed out"), SilentError),
        (ReadTimeoutError(None, "/", "timed out"), SilentError),
        (ApiException(status=403, reason="Forbidden"), StoreError),
        (ApiException(status=409, reason="Conflict"), ConflictError),
        (ValueError("no JSON"), StoreError),
    ],
)
def test_a_server_that_says_nothing_is_told_from_one_that_refuses(error, expected):
    with pytest.raises(StoreError) as caught, told("cannot look"):
        raise error

    assert type(caught.value) is expected
    assert str(caught.value).startswith("cannot look: ")


@pytest.fixture
def silent(tmp_path):
    """A kubeconfig of a server that takes every question and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        port = server.getsockname()[1]
        path = tmp_path / "kubeconfig"
        path.write_text(CONFIG.replace("https://127.0.0.1:1", f"http://127.0.0.1:{port}"))
        yield path


def test_an_answer_that_never_comes_is_not_waited_for(silent, monkeypatch):
    monkeypatch.setattr(connection_module, "ANSWER_SECONDS", 0.1)
    connection = connect(silent)
    began = time.monotonic()
    with pytest.raises(SilentError, match="no answer from"):
        connection.list(NODE)
    with pytest.raises(MaxRetryError):
        client.CoordinationV1Api(connection.api).read_namespaced_lease("x", "ns")

    assert time.monotonic() - began < 20


def test_a_limit_that_was_given_counts(silent):
    leases = client.CoordinationV1Api(connect(silent).api)
    began = time.monotonic()
    with pytest.raises(MaxRetryError):
        leases.read_namespaced_lease("x", "ns", _request_timeout=0.1)

    assert time.monotonic() - began < 20
