"""What Ceph's CSI drivers read of a cluster, by Rook's names (ROOK-COMPAT 1 and 2)."""

import json

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_cluster,
    kubernetes_csi,
    kubernetes_drift,
    kubernetes_identity,
)

MONS = ["10.0.0.1:6789", "[fd00::2]:3300"]


def cluster(**spec):
    raw = {"metadata": {"name": "c", "namespace": "rook-ceph", "uid": "u-1"}, "spec": spec}
    return kubernetes_cluster.parse(raw)


def entry(**spec):
    (found,) = json.loads(kubernetes_csi.entries(cluster(**spec), MONS))
    return found


def test_drivers_read_the_mons_of_the_namespace():
    assert entry() == {
        "clusterID": "rook-ceph",
        "monitors": MONS,
        "namespace": "rook-ceph",
        "cephFS": {},
    }
    built = kubernetes_csi.config(cluster(), MONS, "r1")
    assert built["metadata"]["name"] == "rook-ceph-csi-config"
    assert list(built["data"]) == ["csi-cluster-config-json"]


@pytest.mark.parametrize(
    ("connections", "given", "wanted"),
    [
        ({}, "", {}),
        ({"requireMsgr2": True}, "", {"kernelMountOptions": "ms_mode=prefer-crc"}),
        ({"compression": {"enabled": True}}, "", {"kernelMountOptions": "ms_mode=prefer-crc"}),
        ({"encryption": {"enabled": True}}, "", {"kernelMountOptions": "ms_mode=secure"}),
        ({"encryption": {"enabled": True}}, "noatime", {"kernelMountOptions": "noatime"}),
    ],
)
def test_a_kernel_is_told_of_the_messenger_that_there_is(connections, given, wanted):
    csi = {"cephfs": {"kernelMountOptions": given}}
    assert entry(network={"connections": connections}, csi=csi)["cephFS"] == wanted


def test_the_manifest_says_how_drivers_mount_and_read():
    csi = {
        "cephfs": {"fuseMountOptions": "debug"},
        "readAffinity": {"enabled": True, "crushLocationLabels": ["rack"]},
    }
    found = entry(csi=csi)
    assert found["cephFS"] == {"fuseMountOptions": "debug"}
    assert found["readAffinity"] == {"enabled": True, "crushLocationLabels": ["rack"]}
    usual = entry(csi={"readAffinity": {"enabled": True}})["readAffinity"]["crushLocationLabels"]
    assert usual[0] == "kubernetes.io/hostname"
    assert "readAffinity" not in entry(csi={"readAffinity": {"crushLocationLabels": ["rack"]}})


def test_users_have_rooks_names_and_secrets():
    names = [f"client.csi-{one}" for one in ("rbd-provisioner", "rbd-node", "cephfs-provisioner")]
    names.append("client.csi-cephfs-node")
    assert tuple(kubernetes_identity.keyring_name(one) for one in names) == kubernetes_csi.SECRETS
    assert kubernetes_csi.secret_name("client.crash") == ""
    assert kubernetes_csi.user("client.csi-rbd-node", "K") == {
        "userID": "csi-rbd-node",
        "userKey": "K",
    }


@pytest.mark.parametrize(
    ("held", "kept"),
    [
        ({"userID": "csi-rbd-node", "userKey": "K"}, True),
        ({"userID": "csi-rbd-node.2", "userKey": "L"}, True),
        ({"userID": "csi-rbd-node", "userKey": "L"}, False),
        ({"userID": "csi-rbd-node", "userKey": "K", "adminID": "admin"}, False),
        ({}, False),
    ],
)
def test_a_user_that_rook_rotated_stays_in_its_secret(held, kept):
    assert kubernetes_csi.is_held(held, "client.csi-rbd-node", "K") is kept


def told(live, secrets=kubernetes_csi.SECRETS, **spec):
    return kubernetes_csi.told(cluster(**spec), MONS, live, secrets)


def test_what_is_there_is_told():
    live = kubernetes_drift.marked(kubernetes_csi.config(cluster(), MONS, "r1"))
    found = told(live)
    assert (found["record"], found["drifted"], found["keyring"]) == ("r1", [], True)
    assert (found["active"], found["enabled"]) == ("active", True)
    assert told(live, kubernetes_csi.SECRETS[1:])["keyring"] is False
    gone = told(None)
    assert (gone["record"], gone["active"], gone["enabled"]) == ("", "", False)


def test_other_mons_are_a_difference():
    live = kubernetes_drift.marked(kubernetes_csi.config(cluster(), MONS[:1], "r1"))
    assert told(live)["drifted"] == [
        "ConfigMap rook-ceph-csi-config differs: .data.csi-cluster-config-json"
    ]
    rooks = kubernetes_csi.config(cluster(), MONS[:1])
    assert told(rooks)["drifted"] == []
