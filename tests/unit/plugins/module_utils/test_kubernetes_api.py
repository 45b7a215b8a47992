"""The API server as the modules ask it."""

import socket
import time

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import kubernetes_api

CONFIG = """\
apiVersion: v1
kind: Config
clusters: [{{name: a, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
users: [{{name: a, user: {{token: x}}}}]
contexts: [{{name: a, context: {{cluster: a, user: a}}}}]
current-context: a
"""


@pytest.mark.parametrize(("given", "limit"), [(None, (5.0, 20.0)), (3, 3)])
def test_every_question_has_a_limit(given, limit):
    asked = kubernetes_api.limited(lambda *words, **named: (words, named))

    assert asked("GET", "/x", body=1, _request_timeout=given) == (
        ("GET", "/x"),
        {"body": 1, "_request_timeout": limit},
    )
    assert asked("GET", "/x") == (("GET", "/x"), {"_request_timeout": (5.0, 20.0)})


def test_an_answer_that_never_comes_is_not_waited_for(monkeypatch, tmp_path):
    monkeypatch.setattr(kubernetes_api, "_LIMITS", (1.0, 0.1))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        path = tmp_path / "kubeconfig"
        path.write_text(CONFIG.format(port=server.getsockname()[1]))
        monkeypatch.setenv(kubernetes_api.KUBECONFIG, str(path))
        began = time.monotonic()
        with pytest.raises(kubernetes_api.KubernetesError, match="cannot be reached"):
            kubernetes_api.Api("ns")

    assert time.monotonic() - began < 20
