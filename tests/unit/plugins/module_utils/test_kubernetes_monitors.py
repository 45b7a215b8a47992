"""What tells the Prometheus operator where metrics are, by Rook's names."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_drift,
    kubernetes_mgr,
    kubernetes_monitors,
    kubernetes_services,
)


def cluster(**spec):
    raw = {"metadata": {"name": "c", "namespace": "ns", "uid": "u-1"}, "spec": spec}
    return kubernetes_cluster.parse(raw)


def made(record="r", **spec):
    found = [kubernetes_drift.marked(one) for one in monitors(record, **spec)]
    return {one["metadata"]["name"]: one for one in found}


def monitors(record="r", **spec):
    return kubernetes_monitors.monitors(cluster(**spec), record)


def test_mgrs_and_exporters_have_one_each_as_in_rook():
    mgr, exporter = monitors()
    assert mgr["apiVersion"] == "monitoring.coreos.com/v1"
    assert mgr["metadata"]["name"] == "rook-ceph-mgr"
    assert mgr["metadata"]["labels"] == {"rook_cluster": "ns", "team": "rook"}
    assert mgr["metadata"]["ownerReferences"][0]["uid"] == "u-1"
    assert mgr["spec"] == {
        "namespaceSelector": {"matchNames": ["ns"]},
        "selector": {"matchLabels": {"app": "rook-ceph-mgr", "rook_cluster": "ns"}},
        "endpoints": [{"port": "http-metrics", "path": "/metrics", "interval": "10s"}],
    }
    assert exporter["metadata"]["name"] == "rook-ceph-exporter"
    assert exporter["spec"]["endpoints"][0]["port"] == "ceph-exporter-http-metrics"


def test_they_lead_to_services_that_there_are():
    services = [
        *kubernetes_mgr.services(cluster()),
        *kubernetes_services.services(cluster(), "exporter"),
    ]
    ports = {
        tuple(sorted(one["metadata"]["labels"].items())): {port["name"] for port in spec["ports"]}
        for one in services
        for spec in [one["spec"]]
    }
    for one in monitors():
        wanted = tuple(sorted(one["spec"]["selector"]["matchLabels"].items()))
        assert one["spec"]["endpoints"][0]["port"] in ports[wanted]


def test_the_manifest_sets_interval_and_labels():
    labels = {"monitoring": {"team": "storage", "rook.io/managedBy": "ours"}}
    mgr, _exporter = monitors(monitoring={"interval": "25s"}, labels=labels)
    assert mgr["metadata"]["labels"]["team"] == "storage"
    (endpoint,) = mgr["spec"]["endpoints"]
    assert endpoint["interval"] == "25s"
    assert endpoint["relabelings"] == [{"targetLabel": "managedBy", "replacement": "ours"}]


def told(live, **spec):
    return kubernetes_monitors.told(cluster(**spec), live)


def test_where_the_server_has_none_nothing_can_be_made():
    found = told(None)
    assert (found["installed"], found["record"], found["active"]) == (False, "", "")


def test_before_they_are_made():
    found = told([])
    assert (found["installed"], found["record"], found["enabled"]) == (True, "", False)


def test_what_is_as_it_should_be_is_not_drifted():
    found = told(list(made().values()))
    assert (found["active"], found["record"], found["drifted"]) == ("active", "r", [])


@pytest.mark.parametrize(
    ("change", "drifted"),
    [
        (
            lambda held: held.pop("rook-ceph-exporter"),
            ["ServiceMonitor rook-ceph-exporter: missing"],
        ),
        (
            lambda held: held["rook-ceph-mgr"]["spec"]["endpoints"][0].update(interval="1h"),
            ["ServiceMonitor rook-ceph-mgr differs: spec.endpoints[0].interval"],
        ),
        (
            lambda held: (
                held["rook-ceph-mgr"]["metadata"]["labels"].update(
                    {"ceph.rook.io/do-not-reconcile": "true"}
                ),
                held["rook-ceph-mgr"]["spec"]["endpoints"][0].update(interval="1h"),
            ),
            [],
        ),
    ],
)
def test_an_edit_by_hand_is_told_unless_it_is_to_be_left_alone(change, drifted):
    held = made()
    change(held)
    assert told(list(held.values()))["drifted"] == drifted


def test_one_that_rook_made_is_made_ours():
    rooks = [{**one, "metadata": {"name": name}} for name, one in made().items()]
    assert told(rooks)["record"] == ""
