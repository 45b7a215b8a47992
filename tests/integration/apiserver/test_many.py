"""Many clusters, much noise, and an API server that goes away."""

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.stores.kubernetes.connection import CONFIG_MAP, SECRET, connect
from tests.conftest import NewControlPlane
from tests.integration.apiserver.site import Site, with_crd
from tests.waiting import eventually

TEN = [f"c{number}" for number in range(10)]


@pytest.fixture
def ten(site: Site) -> list[Site]:
    """Ten namespaces with one metric and one set of runners."""
    return [
        Site(
            site.connection, f"{site.namespace}-{name}", site.home, site.runners, site.metrics
        ).begin()
        for name in TEN
    ]


def test_ten_clusters_at_once_and_one_that_hangs_holds_up_none(site: Site, ten: list[Site]) -> None:
    site.runners.prepare = lambda runner: (
        runner.held.set() if runner.source.key.namespace == ten[0].namespace else None
    )
    with site.managed(namespace=""):
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(lambda one: one.apply(), ten))
        hung = ten[0].runner()
        for one in ten[1:]:
            eventually(one.ready)

        assert not ten[0].ready()
        hung.held.clear()
        eventually(ten[0].ready)
        fsids = {one.status()["ceph"]["fsid"] for one in ten}
        assert len(fsids) == 10
        for one in ten:
            assert one.runner().canceled == 0


def test_a_thousand_objects_of_others_make_no_pass(site: Site) -> None:
    def noise(number: int) -> None:
        kind = (CONFIG_MAP, SECRET)[number % 2]
        meta = {"name": f"noise-{number}", "namespace": site.namespace}
        labels = {"labels": {"rook_cluster": site.namespace}} if number % 4 == 0 else {}
        body = {"apiVersion": "v1", "kind": kind.name, "metadata": {**meta, **labels}}
        site.connection.create(kind, body)
        if number % 5 == 0:
            site.connection.patch(kind, site.namespace, meta["name"], {"data": {"x": "eA=="}})
        if number % 10 == 0:
            site.connection.delete(kind, site.namespace, meta["name"])

    with site.managed():
        site.apply()
        eventually(lambda: site.passes("converged"))
        before = site.passes()
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(noise, range(1000)))
        site.apply(mgr={"count": 1})
        eventually(lambda: site.ready(generation=2))
        eventually(lambda: site.passes() > before)

        assert site.passes() == before + 1


def test_an_api_server_that_was_killed_is_found_again(
    new_control_plane: NewControlPlane, tmp_path: Path
) -> None:
    plane = new_control_plane()
    connection = connect(plane.kubeconfig)
    with_crd(connection)
    site = Site(connection, "rook-ceph", tmp_path).begin()
    other = Site(connection, "elsewhere", tmp_path, site.runners, site.metrics).begin()
    with site.managed(namespace="") as manager:
        site.apply()
        other.apply()
        eventually(site.ready)
        eventually(other.ready)
        plane.stop("kube-apiserver", signal.SIGKILL)
        plane.start("kube-apiserver")
        plane.wait()
        other.apply(mgr={"count": 1})
        site.delete()
        eventually(lambda: not site.get())
        eventually(lambda: other.ready(generation=2))
        eventually(lambda: len(manager.charges) == 1)

        assert manager.trouble() == ""
        assert other.passes("failed") == 0
        assert other.runner().machines.fsids == {other.status()["ceph"]["fsid"]}
