"""The identity of a cluster as Rook's Secrets and ConfigMap keep it (ROOK-COMPAT 1 and 2)."""

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import (
    kubernetes_client_conf,
    kubernetes_identity,
)

from tests.fakes.deployments import FSID, cluster, mon


def test_the_identity_is_rooks_secrets():
    first, mons, admin = kubernetes_identity.identity(cluster(), FSID, "MONKEY", "ADMINKEY")
    assert [one["metadata"]["name"] for one in (first, mons, admin)] == [
        "rook-ceph-mon",
        "rook-ceph-mons-keyring",
        "rook-ceph-admin-keyring",
    ]
    assert {one["type"] for one in (first, mons, admin)} == {"kubernetes.io/rook"}
    assert first["metadata"]["finalizers"] == ["ceph.rook.io/disaster-protection"]
    assert set(first["data"]) == {"fsid", "mon-secret", "ceph-username", "ceph-secret"}
    assert mons["metadata"]["annotations"] == {"cephx-keyring": ""}
    assert "[mon.]" in kubernetes_identity.values(mons)["keyring"]
    held = kubernetes_identity.read_identity(first)
    assert (held.fsid, held.mon_key, held.admin_key) == (FSID, "MONKEY", "ADMINKEY")
    assert "MONKEY" not in repr(held)


def test_the_old_form_of_the_secret_is_read():
    old = kubernetes_identity.secret(
        cluster(), "rook-ceph-mon", {"fsid": FSID, "mon-secret": "M", "admin-secret": "A"}
    )
    assert kubernetes_identity.read_identity(old).admin_key == "A"


def test_a_restricted_user_is_no_admin():
    stored = kubernetes_identity.secret(
        cluster(),
        "rook-ceph-mon",
        {
            "fsid": FSID,
            "mon-secret": "mon-secret",
            "admin-secret": "admin-secret",
            "ceph-username": "client.healthchecker",
            "ceph-secret": "K",
        },
    )
    held = kubernetes_identity.read_identity(stored)
    assert (held.user, held.user_key, held.admin_key, held.mon_key) == (
        "client.healthchecker",
        "K",
        "",
        "",
    )


ROOKS_MAP = {
    "data": "b=[fd00::2]:3300,a=10.0.0.1:6789",
    "mapping": '{"node":{"a":{"Name":"n1","Hostname":"node-1","Address":"192.168.1.5"},"b":null}}',
    "maxMonId": "3",
    "outOfQuorum": "b",
}


def imported(**more):
    """What an older import script makes of the mons, and the user beside it."""
    first = {"fsid": FSID, "mon-secret": "mon-secret", "admin-secret": "admin-secret", **more}
    return kubernetes_identity.secret(cluster(), "rook-ceph-mon", first)


@pytest.mark.parametrize("user", ["client.healthchecker", "healthchecker"])
def test_the_user_of_an_older_import_is_in_a_secret_of_its_own(monkeypatch, tmp_path, user):
    monkeypatch.setenv("CEPH_CONF", str(tmp_path / "own" / "ceph.conf"))
    creds = kubernetes_identity.secret(
        cluster(), "rook-ceph-operator-creds", {"userID": user, "userKey": "K"}
    )
    stored = kubernetes_client_conf.Stored(
        {
            "Secret/rook-ceph-mon": imported(),
            "Secret/rook-ceph-operator-creds": creds,
            "ConfigMap/rook-ceph-mon-endpoints": {"data": {"data": "a=10.9.0.1:3300"}},
        }
    )
    held, _mons = kubernetes_client_conf.from_secrets(stored)
    assert (held.user, held.user_key, held.admin_key) == ("client.healthchecker", "K", "")
    assert (tmp_path / "own" / "keyring").read_text().startswith("[client.healthchecker]")


@pytest.mark.parametrize("creds", [None, {"data": {"userID": "eA=="}}, {"data": None}])
def test_without_its_key_there_is_no_user(creds):
    held = kubernetes_identity.read_identity(imported())
    assert kubernetes_identity.with_credentials(held, creds) == held


def test_a_key_that_the_first_secret_has_counts():
    held = kubernetes_identity.read_identity(imported(**{"ceph-secret": "K"}))
    other = kubernetes_identity.secret(cluster(), "x", {"userID": "client.x", "userKey": "L"})
    assert kubernetes_identity.with_credentials(held, other) == held


def test_rooks_map_of_mons_is_read_and_written():
    found = kubernetes_identity.read_map(ROOKS_MAP)
    assert found.formed
    assert found.mons["a"].node == "node-1"
    assert found.mons["a"].addrs == "[v2:10.0.0.1:3300,v1:10.0.0.1:6789]"
    assert found.mons["b"].addrs == "[v2:[fd00::2]:3300]"
    assert kubernetes_identity.mon_host(found) == "[v2:10.0.0.1:3300,v1:10.0.0.1:6789]"
    written = kubernetes_identity.endpoints(cluster(), found)
    assert kubernetes_identity.read_map(written["data"]) == found


def test_a_new_namespace_never_had_a_quorum():
    assert not kubernetes_identity.read_map(None).formed
    assert not kubernetes_identity.read_map({"maxMonId": "-1"}).formed


def test_the_order_of_rooks_lists_says_nothing():
    one = {"mon_host": "[v2:1.1.1.1:3300,v1:1.1.1.1:6789],[v2:2.2.2.2:3300]"}
    other = {"mon_host": "[v2:2.2.2.2:3300],[v2:1.1.1.1:3300,v1:1.1.1.1:6789]"}
    assert kubernetes_identity.same_config(one, other)
    assert not kubernetes_identity.same_config(one, {"mon_host": "[v2:2.2.2.2:3300]"})


@pytest.mark.parametrize(
    ("entity", "name"),
    [
        ("mgr.a", "rook-ceph-mgr-a-keyring"),
        ("client.crash", "rook-ceph-crash-collector-keyring"),
        ("client.ceph-exporter", "rook-ceph-exporter-keyring"),
        ("client.admin", "rook-ceph-admin-keyring"),
        ("mon.", "rook-ceph-mons-keyring"),
    ],
)
def test_keyrings_have_rooks_names(entity, name):
    assert kubernetes_identity.keyring_name(entity) == name


def test_a_map_that_was_lost_is_told_by_the_mons_deployments():
    kept = kubernetes_identity.recovered([mon(), {**mon(), "metadata": {"labels": {}}}])
    assert kept.mons.keys() == {"a"}
    assert kept.mons["a"] == kubernetes_identity.Mon(
        name="a", address="10.96.0.11", port=6789, node="node-1"
    )
    assert (kept.highest, kept.formed) == (0, True)
    only_new = mon(network={"connections": {"requireMsgr2": True}})
    assert kubernetes_identity.recovered([only_new]).mons["a"].port == 3300
    assert not kubernetes_identity.recovered([]).formed
