import pytest

from orchestrator.model.manifest import fields, support
from orchestrator.model.manifest.problems import path_text
from orchestrator.model.spec import CephClusterSpec


def unsupported(raw):
    spec = CephClusterSpec.model_validate(raw)
    return [path_text(path) for path in support.unsupported(spec)]


def test_rooks_defaults_are_not_named():
    assert unsupported({}) == []
    assert (
        unsupported(
            {
                "dashboard": {"enabled": False, "port": 0, "urlPrefix": ""},
                "healthCheck": {
                    "daemonHealth": {"mon": {"interval": "45s", "disabled": False}},
                    "livenessProbe": {"mon": {"disabled": False}},
                },
                "cleanupPolicy": {"sanitizeDisks": {"method": "quick", "iteration": 1}},
                "labels": {},
                "waitTimeoutForHealthyOSDInMinutes": 10,
            }
        )
        == []
    )


@pytest.mark.parametrize(
    ("raw", "paths"),
    [
        ({"placement": {"mon": {"tolerations": ({"key": "a"},)}}}, []),
        ({"placement": {"mds": {"tolerations": ({"key": "a"},)}}}, ["placement.mds"]),
        (
            {
                "placement": {
                    kind: {"tolerations": ({"key": "a"},)} for kind in ("arbiter", "cleanup")
                }
            },
            ["placement.arbiter", "placement.cleanup"],
        ),
        (
            {"resources": {"prepareosd": {"limits": {"memory": "1Gi"}}}},
            ["resources.prepareosd"],
        ),
        ({"monitoring": {"enabled": True, "port": 9999}}, ["monitoring.enabled"]),
        (
            {"mon": {"volumeClaimTemplate": {"metadata": {"name": "a"}}}},
            ["mon.volumeClaimTemplate"],
        ),
        (
            {"storage": {"config": {"deviceClass": "ssd", "storeType": "bluestore"}}},
            ["storage.config.storeType"],
        ),
        (
            {"storage": {"devices": ({"name": "x", "config": {"size": "1G", "walSizeMB": "1"}},)}},
            ["storage.devices[0].config.size", "storage.devices[0].config.walSizeMB"],
        ),
        (
            {
                "storage": {
                    "nodes": ({"name": "a", "devices": ({"name": "x", "config": {"w": "1"}},)},)
                }
            },
            ["storage.nodes[0].devices[0].config.w"],
        ),
        ({"external": {"enable": True}}, ["external.enable"]),
        ({"network": {"provider": "multus"}}, ["network.provider"]),
        ({"dataDirHostPath": "/data/rook"}, ["dataDirHostPath"]),
    ],
)
def test_what_is_set_without_effect_is_named(raw, paths):
    assert unsupported(raw) == paths


def test_what_bare_hosts_give_anyway_is_not_named():
    assert unsupported({"network": {"provider": "host"}, "dataDirHostPath": "/var/lib/rook"}) == []


def test_list_entries_are_named_once():
    paths = (("storage", "nodes", 0, "resources"), ("storage", "nodes", 1, "resources"))

    assert support.sentence(paths) == "this release does not act on: spec.storage.nodes[].resources"


@pytest.mark.parametrize("pattern", sorted(support.ACTED_ON | set(support.SATISFIED)))
def test_the_table_names_fields_that_exist(pattern):
    *parents, name = pattern.replace("[]", ".0").split(".")
    path = tuple(0 if part == "0" else part for part in parents)

    if not {"*", "config", "labels", "placement", "resources"} & set(parents):
        assert name in fields.names_at(CephClusterSpec, path)


@pytest.mark.parametrize(
    ("raw", "hosts", "kubernetes"),
    [
        ({"cephVersion": {"image": "x"}}, ["cephVersion.image"], []),
        ({"labels": {"mon": {"a": "b"}, "exporter": {"a": "b"}}}, ["labels.exporter"], []),
        ({"labels": {"rgw": {"a": "b"}}}, ["labels.rgw"], ["labels.rgw"]),
        ({"logCollector": {"enabled": True}}, [], []),
        ({"crashCollector": {"disable": True}}, [], []),
        (
            {"healthCheck": {"daemonHealth": {"osd": {"interval": "5s", "disabled": True}}}},
            ["healthCheck.daemonHealth.osd.disabled", "healthCheck.daemonHealth.osd.interval"],
            [],
        ),
        ({"monitoring": {"exporter": {"port": 9}}}, ["monitoring.exporter.port"], []),
        ({"resources": {"exporter": {"limits": {"cpu": 1}}}}, ["resources.exporter"], []),
        ({"network": {"provider": "host"}}, [], []),
        ({"dataDirHostPath": "/data"}, ["dataDirHostPath"], []),
        ({"priorityClassNames": {"mon": "x"}}, ["priorityClassNames"], []),
        (
            {"priorityClassNames": {"mon": "x", "rgw": "y"}},
            ["priorityClassNames"],
            ["priorityClassNames.rgw"],
        ),
        ({"csi": {"skipUserCreation": True}}, ["csi.skipUserCreation"], []),
        (
            {"csi": {"readAffinity": {"enabled": True}, "cephfs": {"kernelMountOptions": "a"}}},
            ["csi.cephfs.kernelMountOptions", "csi.readAffinity.enabled"],
            [],
        ),
    ],
)
def test_hosts_and_kubernetes_act_on_different_fields(raw, hosts, kubernetes):
    spec = CephClusterSpec.model_validate(raw)
    on_hosts = support.unsupported(spec)
    in_pods = support.unsupported(spec, support.Platform.KUBERNETES)

    assert [path_text(path) for path in on_hosts] == hosts
    assert [path_text(path) for path in in_pods] == kubernetes
