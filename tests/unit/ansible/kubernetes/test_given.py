"""Secrets of a manifest, as the roles take them and as facts know them."""

import base64

from orchestrator.ansible.kubernetes import given

SPEC = {
    "cephConfigFromSecret": {"global": {"rgw_key": {"name": "mine", "key": "k"}}},
    "dashboard": {"enabled": True},
}
STORED = {
    "mine": {"data": {"k": base64.b64encode(b"hidden").decode(), "odd": "/w=="}},
}


def test_only_what_the_manifest_names_is_read():
    asked = []
    found = given.read(SPEC, lambda name: asked.append(name) or STORED.get(name))
    assert asked == ["mine", "rook-ceph-dashboard-password"]
    assert found == {"mine": {"k": "hidden"}}


def test_a_dashboard_that_is_off_needs_no_password():
    assert given.names({"dashboard": {"enabled": False}}) == ()
    assert given.names({}) == ()


def test_facts_know_digests_alone():
    assert given.digests({"mine": {"k": "hidden"}}) == {
        "mine": {"k": "sha256:e564b4081d7a9ea4b00dada53bdae70c99b87b6fce869f0c3dd4d2bfa1e53e1c"}
    }
