"""What a server offers is asked by one thread at a time: the client is not made for more."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import ReadTimeoutError

from orchestrator.stores import AccessError, SilentError, StoreError
from orchestrator.stores.kubernetes.connection import (
    NODE,
    SECRET,
    ConflictError,
    Connection,
    connect,
    told,
)

CONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: a, user: {token: x}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
current-context: a
"""


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
