"""/metrics, /healthz and /readyz over HTTP."""

import urllib.error
import urllib.request

import pytest

from orchestrator.controller.metrics import Metrics
from orchestrator.controller.server import Pages, serving
from orchestrator.model.names import ClusterKey

KEY = ClusterKey("ns", "c")


def pages(**more):
    values = {"metrics": lambda: b"x 1\n", "alive": lambda: "", "ready": lambda: ""}
    return Pages(**{**values, **more})


def get(port, path, host="127.0.0.1"):
    try:
        with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=10) as found:
            return found.status, found.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_what_is_well_is_ok():
    with serving(("127.0.0.1", 0), pages()) as port:
        assert get(port, "/healthz") == (200, "ok\n")
        assert get(port, "/readyz?verbose=1") == (200, "ok\n")
        assert get(port, "/metrics") == (200, "x 1\n")
        assert get(port, "/")[0] == 404


def test_what_is_wrong_is_told():
    trouble = pages(alive=lambda: "the dispatcher has ended", ready=lambda: "not listed: Node")
    with serving(("127.0.0.1", 0), trouble) as port:
        assert get(port, "/healthz") == (503, "the dispatcher has ended\n")
        assert get(port, "/readyz") == (503, "not listed: Node\n")


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_without_an_address_every_one_is_served(host):
    with serving(("", 0), pages()) as port:
        assert get(port, "/healthz", host) == (200, "ok\n")


def test_metrics_are_those_of_ceph_where_ceph_has_them():
    metrics = Metrics()
    metrics.healthy(KEY, "HEALTH_WARN")
    metrics.healthy(KEY, "of no known kind")
    line = b'ceph_orchestrator_cluster_health_status{name="c",namespace="ns"} 1.0'
    assert line in metrics.text().splitlines()

    metrics.forget(KEY)
    metrics.forget(KEY)
    assert b"health_status{" not in metrics.text()
