"""Clusters of thrown-away hosts are forgotten, all others stay."""

import json
from types import SimpleNamespace

import pytest

from lab import memory

GONE, KEPT = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"


@pytest.fixture
def state(tmp_path):
    for name, text in (
        ("gone", json.dumps({"fsid": GONE, "established": True})),
        ("kept", json.dumps({"fsid": KEPT})),
        ("damaged", "{"),
    ):
        folder = tmp_path / "orchestrator" / "rook-ceph" / name
        folder.mkdir(parents=True)
        (folder / "identity.json").write_text(text)
        (folder / "status.json").write_text("{}")
    return tmp_path


def forget(state, monkeypatch, conf):
    monkeypatch.setattr(
        memory.podman, "attempt", lambda *_words: SimpleNamespace(returncode=0, stdout=conf)
    )
    memory.forget_clusters(["lab-ceph-1"], {"XDG_STATE_HOME": str(state)})
    return sorted(path.name for path in (state / "orchestrator" / "rook-ceph").iterdir())


def test_the_cluster_of_the_hosts_is_forgotten(state, monkeypatch):
    conf = f"ceph.conf\0\0[global]\n  fsid = {GONE}\nmon_host = x\n\0\0"

    assert forget(state, monkeypatch, conf) == ["damaged", "kept"]


def test_hosts_without_a_cluster_make_nothing_forgotten(state, monkeypatch):
    assert forget(state, monkeypatch, "") == ["damaged", "gone", "kept"]


def test_no_state_at_all_is_fine(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_fsid", lambda _name: GONE)

    memory.forget_clusters(["lab-ceph-1"], {"XDG_STATE_HOME": str(tmp_path)})
