from pathlib import Path
from typing import Any, Self

import pytest
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils import cluster
from ansible_collections.ceph_orchestrator.ceph.plugins.module_utils.ceph_client import CephError

OURS = "0a1b2c3d-1111-4222-8333-444455556666"


class Client:
    def __init__(self, timeout: float) -> None:
        self.timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def command(self, _prefix: str) -> Any:
        return {"fsid": OURS}


@pytest.fixture(autouse=True)
def client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CephClient", Client)


@pytest.mark.parametrize("fsid", [OURS, ""])
def test_the_meant_cluster_is_connected(fsid: str) -> None:
    with cluster.connected({"fsid": fsid, "timeout": 3.0}) as connected:
        assert connected.timeout == 3.0


def test_another_cluster_is_refused_by_both_names() -> None:
    with (
        pytest.raises(CephError, match=f"{OURS}, not to other"),
        cluster.connected({"fsid": "other", "timeout": 3.0}),
    ):
        pass


def test_a_cluster_is_unknown_until_conf_and_key_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONF", str(tmp_path / "conf"))
    monkeypatch.setattr(cluster, "ADMIN_KEYRING", str(tmp_path / "keyring"))
    assert cluster.is_unknown()
    (tmp_path / "conf").touch()
    assert cluster.is_unknown()
    (tmp_path / "keyring").touch()
    assert not cluster.is_unknown()


def test_the_environment_says_how_long_a_command_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    fallback, names = cluster.ARGUMENTS["timeout"]["fallback"]
    monkeypatch.setenv("CEPH_ORCHESTRATOR_COMMAND_SECONDS", "40")
    assert fallback(*names) == "40"
