"""Of a node's folder goes what is this cluster's, and nothing else."""

from pathlib import Path

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.modules import ceph_kubernetes_host_data

OURS = "0a1b2c3d-1111-4222-8333-444455556666"
THEIRS = "9f8e7d6c-aaaa-4bbb-8ccc-ddddeeeeffff"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    mon(tmp_path, "a", "our-key")
    for name in (f"rook-ceph/{OURS}_u-1", "rook-ceph/log", "rook-ceph/crash", "elsewhere/log"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").touch()
    return tmp_path


def mon(root: Path, name: str, key: str) -> None:
    data = root / f"mon-{name}" / "data"
    data.mkdir(parents=True)
    (data / "keyring").write_text(f"[mon.]\n\tkey = {key}\n")


def removed(root: Path, *, check: bool = False) -> dict:
    parameters = {"root": str(root), "namespace": "rook-ceph", "fsid": OURS, "mon_key": "our-key"}
    return ceph_kubernetes_host_data._removed(parameters, check=check)


def left(root: Path) -> set[str]:
    return {str(path.parent.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_all_that_is_the_clusters_goes_and_other_namespaces_stay(root: Path) -> None:
    told = removed(root)
    assert told["kept"] == []
    assert left(root) == {"elsewhere/log"}
    assert not (root / "rook-ceph").exists()
    assert removed(root) == {"changed": False, "removed": [], "kept": []}


def test_the_check_mode_says_the_same_and_removes_nothing(root: Path) -> None:
    before = left(root)
    told = removed(root, check=True)
    assert left(root) == before
    assert told == removed(root)


def test_a_store_whose_key_cannot_be_read_stays_even_if_nobody_knows_ours(root: Path) -> None:
    keyring = root / "mon-a" / "data" / "keyring"
    keyring.write_text("[client.admin]\n\tkey = another\n")
    for key in ("our-key", ""):
        assert not ceph_kubernetes_host_data.is_ours(root / "mon-a", key)
    assert removed(root)["kept"] == [str(root / "mon-a")]
    assert keyring.exists()


@pytest.mark.parametrize("other", ["mon", "osd"])
def test_beside_another_clusters_data_what_names_no_cluster_stays(root: Path, other: str) -> None:
    if other == "mon":
        mon(root, "b", "their-key")
        kept = root / "mon-b"
    else:
        kept = root / "rook-ceph" / f"{THEIRS}_u-9"
        kept.mkdir()
        (kept / "file").touch()
    told = removed(root)
    assert told["kept"] == [str(kept)]
    shared = {"rook-ceph/log", "rook-ceph/crash", "elsewhere/log"}
    data = kept / "data" if other == "mon" else kept
    assert left(root) == {*shared, str(data.relative_to(root))}
