"""A running cluster whose manifest asks for metrics' ways and for earlier warnings."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.apiserver.monitoring import DEFINITION
from tests.kubernetes.site import Site, until

pytestmark = pytest.mark.kubernetes

KIND = "customresourcedefinition/servicemonitors.monitoring.coreos.com"


@pytest.fixture
def watched(built: Site) -> Iterator[Site]:
    """The cluster with the monitoring of its manifest put back at the end."""
    before = built.get("cephcluster/rook-ceph")["spec"].get("monitoring")
    yield built
    built.patch({"monitoring": before, "storage": {"nearFullRatio": 0.85}})
    until(lambda: ratio(built) == 0.85, 120, "the ratio is Ceph's own again")
    built.patch({"storage": {"nearFullRatio": None}})
    built.kubectl("delete", KIND, "--ignore-not-found")
    built.healthy()


def ratio(site: Site) -> float:
    return round(float(site.ceph("osd", "dump")["nearfull_ratio"]), 6)


def warnings(site: Site) -> set[str]:
    found: list[dict[str, Any]] = site.get("events")["items"]
    return {one["reason"] for one in found if one["type"] == "Warning"}


def monitors(site: Site) -> list[str]:
    return site.names("servicemonitors.monitoring.coreos.com")


def daemons(site: Site) -> list[str]:
    """The pods of the cluster that stay; a look at disks has some of its own for a moment."""
    return site.names("pods", "rook_cluster=rook-ceph,app!=rook-ceph-osd-prepare")


def again(site: Site, value: str) -> None:
    """Let a pass be made: whether a kind is served wakes none."""
    site.kubectl("label", "cephcluster", "rook-ceph", f"again={value}", "--overwrite")


def test_a_ratio_is_set_and_service_monitors_come_once_they_are_served(watched: Site):
    pods = daemons(watched)
    watched.patch({"monitoring": {"enabled": True}, "storage": {"nearFullRatio": 0.7}})
    until(lambda: ratio(watched) == 0.7, 180, "the ratio is set")
    until(lambda: "ServiceMonitorsNotServed" in warnings(watched), 180, "an Event says so")
    assert watched.status()["phase"] != "Failure"

    watched.kubectl("apply", "--filename", "-", stdin=json.dumps(DEFINITION))
    watched.kubectl("wait", "--for=condition=Established", KIND, "--timeout=60s")
    again(watched, "served")
    wanted = ["rook-ceph-exporter", "rook-ceph-mgr"]
    until(lambda: monitors(watched) == wanted, 180, "there are ServiceMonitors")
    watched.kubectl("delete", "servicemonitors.monitoring.coreos.com", "rook-ceph-mgr")
    again(watched, "deleted")  # the kind came after the operator: it may not be watched yet
    until(lambda: monitors(watched) == wanted, 180, "the one that was deleted is there again")

    watched.patch({"monitoring": {"enabled": False}})
    until(lambda: monitors(watched) == [], 180, "there are none any more")
    assert daemons(watched) == pods
